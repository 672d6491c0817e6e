// The matcher `claim`: the wide form of `word` (wide.c) with another layout. Each name has a word of its own, whose
// field takes all bits. The decentralised matcher of Turon and Russo, "Scalable join patterns" (OOPSLA 2011), has this
// layout, so it is here to compare.
//
// What the layout buys
//   Reactions that share no name never write to the same line. No word or lock of the whole component exists. A field
//   counts 2^59 molecules, so nothing spills while the programs of this world run.
// What it costs
//   A reaction over k names needs k words. One is left out for the molecule that completes it. So two names take one
//   compare-and-swap, and more names take a claim of k - 1 words: two for each word, and one that decides. Where names
//   share a word, one compare-and-swap takes them all. Bodies give several states back by a claim, too. A component has
//   at most as many names as one claim has words.
//
// Nothing else differs, so the invariants are those of wide.c. A pause of one name claims the words of the names that
// react with it (WIDE-5), and not those of the whole component. A name is WITHIN (wide_short.c) only if its reactions
// take nothing else. The threads that meet a pause or a stop of the component find it in each word.

#include "matcher/wide/wide.h"
#include "matcher/word/word_fields.h"

bool crucible__claim_fits(struct component *component) {
  crucible__find_largest_needs(component);
  for (uint32_t bit = 0; bit < component->name_count; bit++) component->names[bit]->word.home = (uint8_t)bit;
  crucible__wide_make_fields(component, component->name_count, WIDE_MOST_BITS);
  return true;
}
