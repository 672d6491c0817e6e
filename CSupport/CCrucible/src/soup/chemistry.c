// Chemistries: a definition at a place where an equal one has ended before shares what that one has found.
//
// A place is one in the source: file, line, the matcher that is requested, and a number of the binding for the types
// there. A chemistry is a species for each name, a rule for each reaction and a layout for each component, and the
// texts and lists that these refer to. The instance is the soup: for each name, reaction and component, a structure
// with what changes, and with a pointer into the chemistry. Structures of the chemistry refer to each other by
// pointers, and to the instance by indices, so that every instance can share them.
//
//   SITE-1  The first definition at a place makes a chemistry of its own. When it is frozen, it publishes the
//       chemistry, by one compare-and-swap, complete. From then on the chemistry is never changed, except for
//       `known_file` and the spares, and is never freed. The places of a program are limited, and so are the
//       chemistries of one place (CRUCIBLE_CHEMISTRIES). A definition that ends meanwhile at the same place publishes
//       another one. Later definitions find one of them.
//   SITE-2  A later definition follows the chemistry while each of its steps equals that of the same number. A step
//       that differs, or an end that comes too early, leads to another chemistry that has left the first one after the
//       same steps (`from`), or to one of its own. Names and reactions keep their addresses, and their rules are
//       replaced by equal ones. Injections meanwhile are held, and read nothing that the change writes. If there is no
//       memory for a chemistry of its own, the step fails and changes nothing.
//   SITE-3  Two steps are equal if everything is equal on which the layout depends, and everything that species and
//       rules contain. Kinds, sizes, functions, patterns, placements and lines are compared, and texts by their
//       characters.
//   SITE-4  A repeat shares with the first soup also the contexts of names that share one (`shared`). They live
//       forever. Its names, reactions, components and counters are its own for as long as it lives, and so are other
//       contexts, first values, seed and observers.
//   SITE-5  A matcher finds what all soups share in `fits` and `list`, which only the first soup calls. `create` makes
//       the rest for each soup, and writes nothing that soups share.
//
// A fork may come between any two of these steps, in another thread. In the child, published chemistries are complete,
// and a chemistry that was not published belongs to a soup that the child must not use.
//
// A chemistry is not published if a molecule has an origin, if a name has a key, a capacity or an expiry, or if its
// soups need more than CRUCIBLE_REPEAT_BYTES.
//
// Callers: any thread may find a chemistry. Only the thread that defines a soup may follow it, make one, or publish it.
//
// Progress: finding and publishing are lock-free, making a chemistry allocates.

#include "soup/chemistry.h"

#include "base/memory.h"
#include "firing/bounds.h"
#include "firing/origin.h"
#include "matcher/inject.h"
#include "soup/soup.h"
#include "soup/inject.h"

_Atomic(struct chemistry *) crucible__places[CRUCIBLE_PLACES];

static bool same_text(const char *text, const char *other) {
  if (!text) text = "";
  return text == other || strcmp(text, other) == 0;
}

crucible_label crucible__label_words(const char *text) {
  size_t length = strlen(text);
  crucible_label label = {0, 0};
  if (length > sizeof label - 1) return CRUCIBLE_LONG_LABEL;
  memcpy(&label, text, length);
  return label;
}

// ---------------------------------------------------------------------------------------------------------------------
// Beginning and end
// ---------------------------------------------------------------------------------------------------------------------

/// Copies `text` ("" for null). Most files are the soup's own, and are not copied. Null: no memory.
static const char *keep_text(struct chemistry *chemistry, const char *text) {
  if (!text || !*text) return "";
  const char *file = chemistry->options.file;
  if (file && strcmp(text, file) == 0) return file;
  size_t size = strlen(text) + 1;
  char *copy = crucible__arena_take(&chemistry->arena, size, 1);
  return copy ? memcpy(copy, text, size) : NULL;
}

static void end_chemistry(struct chemistry *chemistry) {
  crucible__arena_free(&chemistry->arena);
  crucible__free(chemistry, CRUCIBLE_CHEMISTRY_BYTES);
}

void crucible__release_chemistry(struct chemistry *chemistry) {
  if (!chemistry->is_shared) end_chemistry(chemistry);
}

static struct chemistry *make_chemistry(const crucible_soup_options *options) {
  struct chemistry *chemistry = crucible__allocate(CRUCIBLE_CHEMISTRY_BYTES, CRUCIBLE_LINE);
  if (!chemistry) return NULL;
  memset((void *)chemistry, 0, sizeof *chemistry);
  crucible__arena_begin(&chemistry->arena, chemistry + 1, CRUCIBLE_CHEMISTRY_BYTES - sizeof *chemistry);
  chemistry->options = *options;
  chemistry->options.file = NULL;  // it is not kept yet
  chemistry->options.label = keep_text(chemistry, options->label);
  chemistry->options.file = keep_text(chemistry, options->file);
  if (chemistry->options.label && chemistry->options.file) {
    chemistry->words = crucible__label_words(chemistry->options.label);
    return chemistry;
  }
  end_chemistry(chemistry);
  return NULL;
}

struct chemistry *crucible__begin_chemistry(const crucible_soup_options *options) {
  _Atomic(struct chemistry *) *place = crucible__place_of(options->site, options->variant, options->line);
  struct chemistry *found = options->site ? load_acquire(place) : NULL;  // partner: the CAS in crucible__publish
  for (; found; found = found->next) {
    if (!found->from && crucible__is_at(found, options->site, options->variant, options->line, options->matcher) &&
        same_text(options->label, found->options.label) && same_text(options->file, found->options.file)) {
      return found;
    }
  }
  return make_chemistry(options);
}

/// Makes room for the species of a name with this index, which an attempt without memory may have had.
static bool add_name(struct chemistry *chemistry, uint32_t index) {
  struct species **names =
      crucible__arena_list(&chemistry->arena, chemistry->names, index, &chemistry->name_capacity, 4);
  if (!names) return false;
  chemistry->names = names;
  chemistry->name_count = index + 1;
  return true;
}

static size_t rule_size(size_t width) { return sizeof(struct rule) + width * sizeof(struct input); }

static struct rule *add_rule(struct chemistry *chemistry, uint32_t index, size_t width) {
  struct rule **rules =
      crucible__arena_list(&chemistry->arena, chemistry->reactions, index, &chemistry->reaction_capacity, 4);
  if (!rules) return NULL;
  chemistry->reactions = rules;
  chemistry->reaction_count = index + 1;
  return rules[index] = crucible__arena_take(&chemistry->arena, rule_size(width), _Alignof(struct rule));
}

/// Whether the name has what soups do not share.
static bool has_more(const crucible_name_options *options) {
  return options->key || options->bound || options->expiry;
}

static struct species *make_species(struct chemistry *chemistry, uint32_t index, const crucible_name_options *options) {
  if (!add_name(chemistry, index)) return NULL;
  struct species *species =
      crucible__arena_take(&chemistry->arena, sizeof(struct species), _Alignof(struct species));
  chemistry->names[index] = species;
  if (!species) return NULL;
  species->label = keep_text(chemistry, options->label);
  species->file = keep_text(chemistry, options->file);
  if (!species->label || !species->file) return NULL;
  species->alignment = options->size ? (uint32_t)options->alignment : 1;
  species->size = (uint32_t)options->size;
  species->kind = (uint8_t)options->kind;
  species->destroy = options->destroy;
  species->release = options->release;
  species->carry = options->carry;
  species->shared = options->carry ? NULL : options->shared;
  species->index = (uint8_t)index;
  species->line = options->line;
  if (options->key) {
    crucible_key_options *key = crucible__arena_take(&chemistry->arena, sizeof *key, _Alignof(crucible_key_options));
    if (!key) return NULL;
    *key = *options->key;
    species->key = key;
  }
  if (options->expiry) {
    crucible_expiry_options *expiry = crucible__arena_take(&chemistry->arena, sizeof *expiry, _Alignof(uint64_t));
    if (!expiry) return NULL;
    *expiry = *options->expiry;
    species->expiry = expiry;
  }
  if (options->bound) {
    struct bound *bound = crucible__arena_take(&chemistry->arena, sizeof *bound, _Alignof(struct bound));
    if (!bound) return NULL;
    *bound = (struct bound){.options = *options->bound};
    species->bound = bound;
  }
  species->words = crucible__label_words(species->label);
  bool is_plain = !options->carry && !has_more(options) && (species->shared || !species->destroy);
  species->shape = is_plain ? crucible_name_shape(options->kind, options->size, options->alignment) : NO_SHAPE;
  return species;
}

static struct rule *make_rule(struct chemistry *chemistry, uint32_t index, const crucible_reaction_options *options) {
  struct rule *rule = add_rule(chemistry, index, options->input_count);
  if (!rule) return NULL;
  rule->file = keep_text(chemistry, options->file);
  if (!rule->file) return NULL;
  rule->line = options->line;
  rule->width = (uint8_t)options->input_count;
  rule->placement = options->placement;
  rule->away = options->placement == CRUCIBLE_INLINE ? 0 : options->placement == CRUCIBLE_EXTERNAL ? 2 : 1;
  rule->depth_limit = options->placement == CRUCIBLE_INLINE ? CRUCIBLE_UNCHECKED : 0;
  rule->body = options->body;
  rule->release = options->release;
  rule->empty = options->empty;
  rule->submit = options->submit;
  rule->enter = options->enter;
  rule->retries = options->retries;
  rule->inherits = options->inherits;
  rule->in_order = options->in_order;
  rule->takes_late = options->in_order && options->placement == CRUCIBLE_EXTERNAL && options->input_count == 1 &&
                     options->inputs[0]->has_payload;
  rule->visits = options->visits;
  rule->may_lack_origin = options->may_lack_origin && !rule->takes_late;
  rule->index = index;
  uint32_t facts = 0;
  for (uint32_t i = 0; i < rule->width; i++) {
    rule->inputs[i].name = options->inputs[i]->species->index;
    rule->state_count += options->inputs[i]->kind == CRUCIBLE_STATE;
    facts += options->inputs[i]->kind == CRUCIBLE_FACT;
  }
  rule->input_count = rule->width - facts;
  return rule;
}

// ---------------------------------------------------------------------------------------------------------------------
// Following
// ---------------------------------------------------------------------------------------------------------------------

static bool is_same_name(const struct species *species, const crucible_name_options *options) {
  return !has_more(options) && species->size == options->size && species->kind == options->kind &&
         (options->size == 0 || species->alignment == options->alignment) && species->destroy == options->destroy &&
         (options->shared ? species->shared == options->shared
                          : !species->shared && species->release == options->release) &&
         species->carry == options->carry && species->line == options->line &&
         same_text(options->label, species->label) && same_text(options->file, species->file);
}

static bool is_same_reaction(const struct crucible_soup *soup, const struct rule *rule,
                             const crucible_reaction_options *options) {
  if (rule->width != options->input_count || rule->placement != options->placement || rule->body != options->body ||
      rule->release != options->release || rule->submit != options->submit || rule->enter != options->enter ||
      rule->inherits != options->inherits || rule->in_order != options->in_order || rule->retries != options->retries ||
      rule->visits != options->visits || rule->may_lack_origin != (options->may_lack_origin && !rule->takes_late) ||
      rule->empty != options->empty || rule->line != options->line) {
    return false;
  }
  for (uint32_t i = 0; i < rule->width; i++) {
    if (rule->inputs[i].name >= soup->name_count || soup->names[rule->inputs[i].name] != options->inputs[i]) {
      return false;
    }
  }
  return same_text(options->file, rule->file);
}

/// Finds the next chemistry of the place that has left the soup's one after the steps so far.
static struct chemistry *next_branch(const struct crucible_soup *soup, struct chemistry *after) {
  const struct chemistry *now = soup->chemistry;
  const crucible_soup_options *at = &now->options;
  struct chemistry *next =
      after ? after->next : load_acquire(crucible__place_of(at->site, at->variant, at->line));  // partner: the CAS
  while (next && (next->from != now || next->from_names != soup->name_count ||
                  next->from_reactions != soup->reaction_count)) {
    next = next->next;
  }
  return next;
}

/// Gives the soup another chemistry with the same steps so far.
static void change_to(struct crucible_soup *soup, struct chemistry *chemistry) {
  if (soup->is_made) crucible__end_kept(soup, soup->reaction_count);
  soup->is_made = false;
  soup->chemistry = chemistry;
  for (uint32_t i = 0; i < soup->name_count; i++) crucible__set_found(soup->names[i], &(struct finding){0});
  for (uint32_t r = 0; r < soup->reaction_count; r++) {
    soup->reactions[r]->rule = chemistry->reactions[r];
    soup->reactions[r]->component = NULL;
  }
}

bool crucible__become_private(struct crucible_soup *soup) {
  const struct chemistry *from = soup->chemistry;
  struct chemistry *mine = make_chemistry(&from->options);
  if (!mine) return false;
  mine->from = from;
  mine->from_names = soup->name_count;
  mine->from_reactions = soup->reaction_count;
  for (uint32_t i = 0; i < soup->name_count; i++) {
    if (!add_name(mine, i)) goto no_memory;
    mine->names[i] = from->names[i];
  }
  for (uint32_t r = 0; r < soup->reaction_count; r++) {
    const struct rule *like = from->reactions[r];
    struct rule *rule = add_rule(mine, r, like->width);
    if (!rule) goto no_memory;
    memcpy((void *)rule, (const void *)like, offsetof(struct rule, known_file));
    rule->depth_limit = rule->placement == CRUCIBLE_INLINE ? CRUCIBLE_UNCHECKED : 0;
    for (uint32_t i = 0; i < like->width; i++) rule->inputs[i].name = like->inputs[i].name;
  }
  change_to(soup, mine);
  return true;
no_memory:
  end_chemistry(mine);
  return false;
}

/// Whether a chemistry has a step, which is the next one of the soup.
typedef bool (*has_step)(const struct crucible_soup *soup, const struct chemistry *chemistry, const void *step);

static bool has_name(const struct crucible_soup *soup, const struct chemistry *chemistry, const void *step) {
  return soup->name_count < chemistry->name_count && is_same_name(chemistry->names[soup->name_count], step);
}

static bool has_reaction(const struct crucible_soup *soup, const struct chemistry *chemistry, const void *step) {
  return soup->reaction_count < chemistry->reaction_count &&
         is_same_reaction(soup, chemistry->reactions[soup->reaction_count], step);
}

static bool has_end(const struct crucible_soup *soup, const struct chemistry *chemistry, const void *step) {
  (void)step;
  return soup->name_count == chemistry->name_count && soup->reaction_count == chemistry->reaction_count;
}

/// Whether the soup's chemistry has the step, or else another one, which the soup follows from now on.
static bool follow(struct crucible_soup *soup, has_step has, const void *step) {
  if (!crucible__follows(soup)) return false;
  if (has(soup, soup->chemistry, step)) return true;
  struct chemistry *branch = NULL;
  while ((branch = next_branch(soup, branch)) && !has(soup, branch, step)) {
  }
  if (branch) change_to(soup, branch);
  return branch != NULL;
}

struct species *crucible__next_species(struct crucible_soup *soup, const crucible_name_options *options) {
  if (follow(soup, has_name, options)) return soup->chemistry->names[soup->name_count];
  if (soup->chemistry->is_shared && !crucible__become_private(soup)) return NULL;
  return make_species(soup->chemistry, soup->name_count, options);
}

struct rule *crucible__next_rule(struct crucible_soup *soup, const crucible_reaction_options *options) {
  if (follow(soup, has_reaction, options)) return soup->chemistry->reactions[soup->reaction_count];
  if (soup->chemistry->is_shared && !crucible__become_private(soup)) return NULL;
  return make_rule(soup->chemistry, soup->reaction_count, options);
}

bool crucible__ends_elsewhere(struct crucible_soup *soup) { return follow(soup, has_end, NULL); }

// ---------------------------------------------------------------------------------------------------------------------
// Publishing
// ---------------------------------------------------------------------------------------------------------------------

static size_t in_lines(size_t size) { return (size + CRUCIBLE_LINE - 1) / CRUCIBLE_LINE * CRUCIBLE_LINE; }

size_t crucible__cell_size(const struct species *species, size_t *alignment) {
  bool has_room_behind = species->kind == CRUCIBLE_STATE && species->shared && !species->destroy;
  size_t size = species->size, to = species->alignment;
  if (has_room_behind) size = (size + to - 1) / to * to + size;
  *alignment = to < CRUCIBLE_LINE ? CRUCIBLE_LINE : to;
  return size <= CRUCIBLE_ROOM && to <= _Alignof(max_align_t) ? 0 : in_lines(size);
}

size_t crucible__name_size(const struct species *species) {
  bool has_bag = species->kind < CRUCIBLE_STATE && species->size > 0;
  return has_bag ? sizeof(struct crucible_name) : offsetof(struct crucible_name, bag);
}

size_t crucible__reaction_size(const struct rule *rule, size_t *alignment) {
  size_t size = sizeof(struct reaction) + rule->width * sizeof(void *);
  bool is_written = rule->placement == CRUCIBLE_EXTERNAL;  // its counts are written while it runs
  *alignment = is_written ? CRUCIBLE_LINE : _Alignof(struct reaction);
  return is_written ? in_lines(size) : size;
}

/// The size of a block for a soup of the chemistry, without gaps for alignments above a line.
static size_t block_size(const struct chemistry *chemistry) {
  size_t lines = sizeof(struct crucible_soup), alignment;
  if (chemistry->component_count > 1) lines += chemistry->component_count * sizeof(struct component);
  size_t rest = (chemistry->name_count + chemistry->reaction_count) * sizeof(void *);
  for (uint32_t i = 0; i < chemistry->name_count; i++) {
    lines += crucible__name_size(chemistry->names[i]);
    if (chemistry->names[i]->kind >= CRUCIBLE_STATE) lines += crucible__cell_size(chemistry->names[i], &alignment);
  }
  for (uint32_t r = 0; r < chemistry->reaction_count; r++) {
    size_t size = crucible__reaction_size(chemistry->reactions[r], &alignment);
    *(alignment < CRUCIBLE_LINE ? &rest : &lines) += size;
  }
  for (uint32_t c = 0; c < chemistry->component_count; c++) {
    const struct layout *layout = &chemistry->components[c];
    if (!crucible__is_whole(chemistry)) rest += (layout->name_count + layout->reaction_count) * sizeof(void *);
    lines += layout->own_size;
  }
  return lines + in_lines(rest);
}

void crucible__set_found(struct crucible_name *name, const struct finding *finding) {
  name->word = finding->word;
  if (crucible__is_bagged(name)) name->front = finding->front;
  name->bit = finding->bit;
  name->completes_here = finding->completes_here;
}

/// Notes what freezing has found for the names. Later soups have the contexts of those that share one. False: no
/// memory.
static bool note_names(struct crucible_soup *soup) {
  struct chemistry *mine = soup->chemistry;
  size_t size = soup->name_count * sizeof *mine->findings;
  mine->findings = crucible__arena_take(&mine->arena, size, _Alignof(struct finding));
  mine->ends_no_name = mine->findings != NULL;
  for (uint32_t i = 0; mine->findings && i < soup->name_count; i++) {
    struct crucible_name *name = soup->names[i];
    bool ends_value = crucible__has_cell(name) && (name->species->destroy || name->kind == CRUCIBLE_FACT);
    if (ends_value || (name->species->release && !name->species->shared)) mine->ends_no_name = false;
    mine->findings[i] = (struct finding){
        .word = name->word, .front = crucible__is_bagged(name) ? name->front : 0, .bit = name->bit,
        .completes_here = name->completes_here,
        .inject = name->carries ? name->species->carry : crucible__inject_for(name)};
    if (crucible__is_bagged(name) && crucible__bag_is_plain(&name->bag)) mine->findings[i].bag = name->bag;
    if (name->species->shared && !name->species->context) name->species->context = name->context;
  }
  return mine->findings != NULL;
}

void crucible__publish(struct crucible_soup *soup) {
  struct chemistry *mine = soup->chemistry;
  if (!mine->options.site || !soup->may_repeat || mine->is_shared) return;
  for (uint32_t i = 0; i < soup->name_count; i++) {
    const struct species *species = mine->names[i];
    if (species->key || species->bound || species->expiry || crucible__has_origins(soup->names[i])) return;
    if (mine->names[i]->shared && !soup->names[i]->context) return;
  }
  size_t size = block_size(mine);
  const crucible_soup_options *at = &mine->options;
  _Atomic(struct chemistry *) *place = crucible__place_of(at->site, at->variant, at->line);
  mine->next = load_acquire(place);  // partner: the CAS below
  uint32_t count = 0;
  for (const struct chemistry *other = mine->next; other; other = other->next) {
    count += crucible__is_at(other, at->site, at->variant, at->line, at->matcher);
  }
  if (size > CRUCIBLE_REPEAT_BYTES || count >= CRUCIBLE_CHEMISTRIES) return;
  mine->size = (uint32_t)size;
  if (!note_names(soup)) return;
  mine->is_shared = true;
  crucible__arena_keep(&mine->arena);
  crucible__keep(mine, CRUCIBLE_CHEMISTRY_BYTES);
  while (!cas_acq_rel(place, &mine->next, mine)) {  // partner: the loads of the place
  }
}

#if defined(CRUCIBLE_SCHEDULER)
void crucible__forget_chemistries(void) {
  crucible__free_spares();
  uint64_t counted = crucible_live_bytes();
  for (uint32_t i = 0; i < CRUCIBLE_PLACES; i++) {
    for (struct chemistry *chemistry = load_relaxed(&crucible__places[i]), *next; chemistry; chemistry = next) {
      next = chemistry->next;
      end_chemistry(chemistry);
    }
    store_relaxed(&crucible__places[i], NULL);
  }
  crucible__keep(NULL, (size_t)(crucible_live_bytes() - counted));  // they were not counted
}
#endif
