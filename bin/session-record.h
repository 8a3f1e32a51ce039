/*
 * The records of sessions that run, for what is done without Node. `src/session/registry.ts` writes one file for each, ID.live: strings
 * KEY=VALUE in any order, each with a NUL behind it. `socket` is needed, `name` may be missing. Any doubt is for Node.
 */
#include <dirent.h>
#include <time.h>

#define LONGEST_RECORD (256u << 10)
#define RECORD_MS 2000

static int64_t monotonic_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* What can stand in a path as it is. */
static int is_plain_word(const char *word) {
  if (!*word || *word == '.' || *word == '-' || strlen(word) > 64) return 0;
  for (; *word; word++)
    if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-", *word)) return 0;
  return 1;
}

/* Up to `most` bytes, until the end or `over_at`, with a NUL behind them; NULL without memory. */
static char *read_input(int fd, size_t most, int64_t over_at, size_t *length) {
  size_t room = 64 << 10;
  char *text = malloc(room + 1);
  *length = 0;
  while (text && *length < most) {
    struct pollfd ready = {fd, POLLIN, 0};
    int64_t left = over_at - monotonic_ms();
    if (left <= 0) break;
    if (poll(&ready, 1, (int)left) <= 0) continue;
    size_t wanted = room - *length < most - *length ? room - *length : most - *length;
    ssize_t n = read(fd, text + *length, wanted);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    *length += (size_t)n;
    if (*length == room) text = realloc(text, (room *= 2) + 1);
  }
  if (text) text[*length] = 0;
  return text;
}

static int sessions_directory(char *out, size_t size) {
  return run_directory(out, size - 16) && is_private_directory(strcat(out, "/sessions"));
}

/* Its bytes, or NULL when it is not there, or not ours alone, or not whole. */
static char *read_record(const char *path, size_t *length) {
  int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  struct stat stat;
  if (fd < 0) return NULL;
  int is_private = fstat(fd, &stat) == 0 && S_ISREG(stat.st_mode) && stat.st_uid == geteuid() && (stat.st_mode & 077) == 0;
  char *record = is_private ? read_input(fd, LONGEST_RECORD, monotonic_ms() + RECORD_MS, length) : NULL;
  close(fd);
  if (record && (*length == 0 || record[*length - 1] != 0)) {
    free(record);
    return NULL;
  }
  return record;
}

/* The value of the first string with this key; NULL when there is none. The list ends with a NUL. */
static const char *value_in(const char *list, size_t length, const char *key) {
  size_t n = strlen(key);
  for (const char *at = list; at < list + length; at += strlen(at) + 1)
    if (strncmp(at, key, n) == 0 && at[n] == '=') return at + n + 1;
  return NULL;
}

static int socket_in(const char *record, size_t length, char *out, size_t size) {
  const char *socket = value_in(record, length, "socket");
  return socket && *socket == '/' && snprintf(out, size, "%s", socket) < (int)size;
}

/* The socket of the one session that runs under this name, or has this id. None, or more than one: 0. */
static int socket_named(const char *word, char *out, size_t size) {
  char path[PATH_MAX], socket[sizeof((struct sockaddr_un *)0)->sun_path];
  if (!sessions_directory(path, sizeof path - 300)) return 0;
  DIR *directory = opendir(path);
  if (!directory) return 0;
  size_t end = strlen(path);
  int found = 0;
  for (struct dirent *entry; (entry = readdir(directory));) {
    size_t n = strlen(entry->d_name), length = 0;
    if (n < 6 || n > 200 || strncmp(entry->d_name, "s_", 2) != 0 || strcmp(entry->d_name + n - 5, ".live") != 0) continue;
    snprintf(path + end, sizeof path - end, "/%s", entry->d_name);
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
