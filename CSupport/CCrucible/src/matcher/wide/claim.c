// The matcher `claim`: a word for each name. All its code is that of the wide form of `word` (wide.c); only the layout
// differs. It is here to be compared: the decentralised matcher of Turon and Russo, "Scalable join patterns" (OOPSLA
// 2011), has this layout.
//
// What the layout buys
//   Reactions that share no name never write to the same line. No word or lock of the whole component exists. A word
//   counts 2^59 molecules, so it never overflows in practice.
// What it costs
//   A reaction over k names takes from k words. The molecule that completes it is not counted, so k - 1 words change.
//   One word changes by one compare-and-swap. Several words change by a claim (base/claims.h), with two
//   compare-and-swaps a word and one that decides. A body that gives several states back needs a claim, too. In `word`,
//   where names share a word, one compare-and-swap does all this. A component has at most as many names as one claim
//   has words.
//
// Nothing else differs, so the invariants are those of wide.c. A pause of one name claims the words of the names that
// react with it (WIDE-5), and not those of the whole component. A name is WITHIN (wide_short.c) only if its reactions
// take nothing else. The threads that meet a pause or a stop of the component find it in each word.

#include "matcher/wide/wide.h"
#include "matcher/word/word_fields.h"

bool crucible__claim_fits(struct component *component) {
  crucible__find_largest_needs(component);
  for (uint32_t bit = 0; bit < component->layout->name_count; bit++) component->names[bit]->word.home = (uint8_t)bit;
  crucible__wide_make_fields(component, component->layout->name_count, WIDE_MOST_BITS);
  return true;
}
