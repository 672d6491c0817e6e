// Full fields: a component has so many names that a field counts few molecules, and the rest spills.
//
//   names in all   bits each, guard included   counts kept in the word   added by
//   31             2                           1                         CAS
//   20             3                           3                         CAS
//   15             4                           5                         fetch-and-add by two threads, CAS by others
//
// Soups and clients are text: see words.c.

#include "trial.h"

#define FULL_FIELD(text, what, names, counts, chemistry, ...)                                              \
  INLINE_AND_POOL(text, what, define_soup, follow_word, .soup = chemistry, .parameter = names, .capacity = counts, \
                  .words = {__VA_ARGS__})

FULL_FIELD("full-1", "a & b, and a field counts one", 31, 1, "a b: ab", "aaab", "abba", "babb");
FULL_FIELD("full-3", "a & b, and a field counts three", 20, 3, "a b: ab", "aaaaaa", "aaabbbb", "abbbb");
FULL_FIELD("full-5", "a & b, and a field counts five, added blindly", 15, 5, "a b: ab", "aaaaaa", "aaabbbb", "abbbb");
FULL_FIELD("full-all", "a & b, a field counts five, and all react", 15, 5, "a b: ab", "aaaaaa", "aaabbbbb", "abbbbb");
FULL_FIELD("full-repeat", "a & a & b, and a field counts three", 30, 3, "a b-: aab", "aaaaab", "aaab", "baaab");
FULL_FIELD("full-share", "two reactions share a name whose field counts one", 31, 1, "x y- z: xy xz", "xxxy", "yzyx",
           "zxyz");

INLINE_WORDS("full-order", "one thread alone injects a name that spills: in order", 3, "a b: ab", .parameter = 31,
             .capacity = 1, .words = {"aaaaa", "bb", "bb"});
INLINE_WORDS("full-crowd", "three threads fill a field, and all come above its limit at once", 3, "a b: ab",
             .parameter = 15, .capacity = 5, .words = {"aaaaaa", "a", "a"});
