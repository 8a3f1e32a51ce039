/*
 * Reads the records of running sessions, for commands that the launcher runs without Node. `src/session/registry.ts` writes one file
 * ID.live for each session: strings KEY=VALUE in any order, each with a NUL after it. The key `socket` is required. The key `name` may be
 * missing. A record that cannot be read is skipped. If no session or several sessions match, the launcher starts Node.
 */
#ifndef APE_SESSION_RECORD_H
#define APE_SESSION_RECORD_H
#include "private-socket.h"
#include <dirent.h>

#define MAX_RECORD_BYTES (256u << 10)
#define RECORD_MS 2000 /* how long reading a record may take */

/* Whether the word is a safe file name: 1 to 64 ASCII letters, digits, `.`, `_` or `-`, and no `.` or `-` at its beginning. */
static int is_plain_word(const char *word) {
  if (!*word || *word == '.' || *word == '-' || strlen(word) > 64) return 0;
  for (; *word; word++)
    if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-", *word)) return 0;
  return 1;
}

static int sessions_directory(char *out, size_t size) {
  return run_directory(out, size) && append(out, size, "/sessions") && is_private_directory(out);
}

/*
 * Returns the bytes of a record, and writes their number to `length`. The caller frees the bytes. Returns NULL if the file does not exist,
 * is not private to us, is incomplete, or is longer than MAX_RECORD_BYTES. After NULL, `length` has its old value.
 */
static char *read_record(const char *path, size_t *length) {
  int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  struct stat stat;
  if (fd < 0) return NULL;
  int is_private = fstat(fd, &stat) == 0 && S_ISREG(stat.st_mode) && stat.st_uid == geteuid() && (stat.st_mode & 077) == 0;
  struct input record = {NULL, 0, INPUT_BROKEN};
  if (is_private) record = read_input(fd, MAX_RECORD_BYTES, monotonic_ms() + RECORD_MS);
  close(fd);
  if (record.bytes && record.end == INPUT_WHOLE && record.length > 0 && record.bytes[record.length - 1] == 0) {
    *length = record.length;
    return record.bytes;
  }
  free(record.bytes);
  return NULL;
}

/* Returns the value of the first string with this key; NULL: no string has this key. The caller checks that the list ends with a NUL. */
static const char *value_in(const char *list, size_t length, const char *key) {
  size_t n = strlen(key);
  for (const char *at = list; at < list + length; at += strlen(at) + 1)
    if (strncmp(at, key, n) == 0 && at[n] == '=') return at + n + 1;
  return NULL;
}

/* Writes the socket's path from a record to `out`. Returns 0 if the path is missing, is not absolute, or does not fit. */
static int socket_in(const char *record, size_t length, char *out, size_t size) {
  const char *socket = value_in(record, length, "socket");
  return socket && *socket == '/' && snprintf(out, size, "%s", socket) < (int)size;
}

/* Finds the session with the name or id `word`. Writes the path of its socket to `out`. Returns 0 if no session or several match. */
static int socket_named(const char *word, char *out, size_t size) {
  char path[PATH_MAX], socket[sizeof((struct sockaddr_un *)0)->sun_path];
  if (!sessions_directory(path, sizeof path)) return 0;
  DIR *directory = opendir(path);
  if (!directory) return 0;
  size_t end = strlen(path);
  int found = 0;
  for (struct dirent *entry; (entry = readdir(directory));) {
    size_t n = strlen(entry->d_name), length = 0;
    if (n < 6 || n > 200 || strncmp(entry->d_name, "s_", 2) != 0 || strcmp(entry->d_name + n - 5, ".live") != 0) continue;
    path[end] = 0;
    if (!append(path, sizeof path, "/") || !append(path, sizeof path, entry->d_name)) continue;
    char *record = read_record(path, &length);
    const char *name = record ? value_in(record, length, "name") : NULL;
    int is_id = strlen(word) == n - 5 && strncmp(entry->d_name, word, n - 5) == 0;
    int fits = record && (is_id || (name && strcmp(name, word) == 0));
    if (fits && socket_in(record, length, socket, sizeof socket) && found++ == 0) snprintf(out, size, "%s", socket);
    free(record);
  }
  closedir(directory);
  return found == 1;
}
#endif
