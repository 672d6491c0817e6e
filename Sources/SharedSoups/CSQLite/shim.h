// SQLite, and the two calls of it whose last argument is a macro that Swift cannot read.

#include <sqlite3.h>

static inline int shared_bind_text(sqlite3_stmt *statement, int index, const char *text, int size) {
  return sqlite3_bind_text(statement, index, text, size, SQLITE_TRANSIENT);
}

static inline int shared_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int size) {
  // A null pointer would bind NULL, and an empty array may have one.
  return size == 0 ? sqlite3_bind_zeroblob(statement, index, 0)
                   : sqlite3_bind_blob(statement, index, bytes, size, SQLITE_TRANSIENT);
}
