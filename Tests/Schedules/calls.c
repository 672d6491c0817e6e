// Calls whose callers give up. The clients inject them so that they can be found again, and withdraw them while other
// clients inject what the calls react with. Soups and clients are text: see words.c.

#include "trial.h"

#define CALLS(text, what, chemistry, ...) \
  INLINE_AND_POOL(text, what, define_soup, follow_word, .soup = chemistry, __VA_ARGS__)

CALLS("withdraw", "a & f: two callers give up", "a! f: af", .words = {"AWAW", "AWAW", "fff"});
// Firings may take the molecule of one caller for the count of the other.
CALLS("withdraw-beside", "one caller gives up, others call and stay", "a! f: af", .words = {"AWAW", "afa", "ff"});
// With few answers, the callers leave more behind than a field of one holds. With many, they leave rings of calls
// behind.
CALLS("withdraw-some", "callers give up two of three calls", "a! f: af", .words = {"AAAWX", "AAAWW", "ffff"});
CALLS("withdraw-full", "the same, and a field counts one", "a! f: af", .parameter = 31, .capacity = 1,
      .words = {"AAAWX", "AAAWW", "ff"});
CALLS("withdraw-share", "a & f, c & f: two callers give up", "a! f c!: af cf", .words = {"ACWW", "CAWW", "fff"});
CALLS("withdraw-state", "two callers of a state give up", "a! f- s=: as fs", .words = {"AWAW", "AWAW", "ff"});

// Few steps: a firing takes the molecule of one call for the count of another. The other call is then neither counted
// nor consumed.
INLINE_WORDS("withdraw-late", "a caller gives up after his thread has answered somebody", 2, "a! f: af",
             .words = {"a", "AfW"});
INLINE_WORDS("withdraw-late-two", "two callers give up after their threads have answered somebody", 3, "a! f: af",
             .words = {"a", "AfW", "AfW"});
INLINE_WORDS("freeze-call", "callers give up while another thread freezes the soup", 3, "a! f: af", .waits = true,
             .unfrozen = true, .unordered = true, .words = {"fAVW", "AAXX", "(af)fAW"});
