// See carried.h.

#include "pool/carried.h"

#include "base/errors.h"
#include "base/memory.h"

struct box {
  struct reaction *reaction;
  struct carried carried;
};

struct reaction *crucible__box(const struct reaction *reaction, const struct carried *carried) {
  struct box *box = crucible__allocate(sizeof *box, _Alignof(struct box));
  if (!box) crucible__die("no memory to hand a reserved firing on");
  *box = (struct box){.reaction = (struct reaction *)(uintptr_t)reaction, .carried = *carried};
  return crucible__with_mark(box, BOXED);
}

struct reaction *crucible__unbox(struct reaction *work, struct carried *carried) {
  struct box *box = (struct box *)(void *)crucible__without_mark(work);
  struct reaction *reaction = box->reaction;
  *carried = box->carried;
  crucible__free(box, sizeof *box);
  return reaction;
}
