// Names with keys: see keyed.c of the core. A molecule's key is its number modulo the number of keys.

#include "trial.h"

#define KEYED(text, what, chemistry, count, ...)                                                             \
  INLINE_AND_POOL(text, what, define_soup, follow_word, .soup = chemistry, .keys = count, .unordered = true, \
                  .words = {__VA_ARGS__})

KEYED("key-join", "a & b of one key: it is born and dies with each match", "a b: ab", 1, "aab", "ba", "bab");
KEYED("key-joins", "a & b of three keys", "a b: ab", 3, "aaba", "bab", "babb");
KEYED("key-twice", "a & a & b: a name stands in the pattern twice", "a b: aab", 2, "aab", "aba", "baa");
KEYED("key-share", "two reactions share a name", "x y z: xy xz", 2, "xxxy", "yzyx", "zxyz");
KEYED("key-state", "a state for each of two keys, and one need not stay", "h= s: hs", 2, "sss", "sss", "sss");
KEYED("key-states", "two states for each key, alone and together", "h= i= s r: his hr ir", 2, "ssr", "rss", "srr");
KEYED("key-together", "several of many keys at once", "a b: ab", 3, "(aab)b", "(bab)", "a(ab)");
KEYED("key-withdraw", "calls are given up while others are matched", "a! f: af", 2, "AfW", "ffA", "AAXX");
KEYED("key-pause", "a pause, a step and a name that is paused", "h= s a b: hs ab", 2, "PZNR", "assb", "MaHabUa");
KEYED("key-steps", "steps of a paused soup", "a b: ab", 2, "PabNbaN", "ab", "ba");
KEYED("key-steps-state", "the same beside states", "h= s a: hs sa", 2, "PasNsaN", "as", "sa");
KEYED("key-stop", "a stop and a restart, which forgets the states", "h= s a b: hs ab", 2, "QTsab", "sas", "Ybsb");
KEYED("key-clear", "clears against injections and a call that is given up", "a! b: ab", 2, "bKb", "AbW", "LbAX");
KEYED("key-told", "one name is cleared, the other expires, and a stop comes", "a b: ab", 2, "LaQ", "aObab", "bab");
KEYED("key-expire", "molecules expire while others are matched, and a stop comes", "a b: ab", 2, "aOab", "abOb",
      "baQb");
KEYED("key-expire-state", "the same beside states", "h= s a: hs ha", 2, "ssOs", "aaOa", "sas");
INLINE_AND_POOL("key-order", "the oldest molecules of a key react first", define_soup, follow_word, .soup = "a b: ab",
                .keys = 1, .words = {"aaa", "(ab)", "(ab)"});
INLINE_AND_POOL("key-idle", "states that no body uses go, and a stop comes", define_soup, follow_word,
                .soup = "h= s a: hs ha", .keys = 2, .expires = true, .unordered = true, .waits = true,
                .words = {"sOhsOh", "aaOs", "saQTs"});
CASE("key-fact", "a fact that reactions of keys read", 3, define_soup, follow_word, .placement = CRUCIBLE_INLINE,
     .soup = "a b f*: abf", .keys = 2, .unordered = true, .words = {"abf", "bba", "aaf"});
