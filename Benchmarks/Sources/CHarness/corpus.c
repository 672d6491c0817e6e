// Reads the text files below a directory into one block of memory, and cuts them into pieces.

#define _GNU_SOURCE
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness_words.h"

enum { PIECE = 4096 };

typedef struct reader {
  char *memory;
  size_t length, capacity, files;
  bool failed;
} reader;

static void reserve(reader *reader, size_t more) {
  if (reader->length + more <= reader->capacity) return;
  size_t capacity = (reader->length + more) * 2;
  char *memory = realloc(reader->memory, capacity);
  if (!memory) abort();
  reader->memory = memory;
  reader->capacity = capacity;
}

static void read_file(reader *reader, const char *path, size_t size) {
  FILE *file = fopen(path, "rb");
  if (!file) return;
  reserve(reader, size + 1);
  char *text = reader->memory + reader->length;
  size_t length = fread(text, 1, size, file);
  fclose(file);
  if (length == 0 || memchr(text, 0, length)) return;
  text[length] = '\n';  // words do not run across files
  reader->length += length + 1;
  reader->files += 1;
}

static void read_tree(reader *reader, const char *directory) {
  char *const roots[] = {(char *)directory, NULL};
  FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
  if (!tree) {
    reader->failed = true;
    return;
  }
  for (FTSENT *item = fts_read(tree); item; item = fts_read(tree)) {
    bool hidden = item->fts_level > 0 && item->fts_name[0] == '.';
    if (item->fts_info == FTS_D && hidden) fts_set(tree, item, FTS_SKIP);
    if (item->fts_info == FTS_F && !hidden) read_file(reader, item->fts_path, (size_t)item->fts_statp->st_size);
  }
  fts_close(tree);
}

static bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

static void cut(harness_corpus *corpus, const char *text, size_t length) {
  corpus->pieces = malloc((length / PIECE + 1) * sizeof *corpus->pieces);
  if (!corpus->pieces) abort();
  size_t start = 0;
  while (start < length) {
    size_t end = start + PIECE < length ? start + PIECE : length;
    while (end < length && !is_space(text[end])) end += 1;
    corpus->pieces[corpus->piece_count++] = (harness_piece){text + start, end - start};
    start = end;
  }
}

harness_corpus *harness_corpus_read(const char *directory) {
  reader reader = {0};
  read_tree(&reader, directory);
  if (reader.failed || reader.files == 0) {
    free(reader.memory);
    return NULL;
  }
  harness_corpus *corpus = calloc(1, sizeof *corpus);
  if (!corpus) abort();
  corpus->files = reader.files;
  corpus->bytes = reader.length;
  corpus->memory = reader.memory;
  cut(corpus, reader.memory, reader.length);
  return corpus;
}

void harness_corpus_free(harness_corpus *corpus) {
  free(corpus->pieces);
  free(corpus->memory);
  free(corpus);
}
