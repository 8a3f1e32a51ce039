/* Fuzzes the words that name the installation, and the user database. Input: words, an empty word, and lines of passwd(5). */
#include "target.h"
#include <stdio.h>
#define MAX_WORDS 16
static char *users, *lines[MAX_WORDS + 2];
static size_t users_length, line_count = 0;
static FILE *open_users(const char *path, const char *mode) {
  (void)path;
  line_count++;
  return users_length ? fmemopen(users, users_length, mode) : NULL;
}
static ssize_t read_line(char **line, size_t *size, FILE *file) {
  ssize_t length = getline(line, size, file);
  lines[line_count - 1] = *line;
  return length;
}
#define fopen open_users
#define getline read_line
#include "../../../bin/installation.h"

extern char **environ;

/* Whether `home` is the home directory in this line, and the line is about this user. It reads the line in another way than the source. */
static int is_home_in(const char *line, size_t length, const char *home) {
  char *copy = strndup(line, length), *field[6] = {copy}, number[24];
  size_t count = 1;
  for (char *at = copy; *at && count < 6; at++)
    if (*at == ':') *at = 0, field[count++] = at + 1;
  if (count == 6) field[5][strcspn(field[5], ":")] = 0;
  snprintf(number, sizeof number, "%ju", (uintmax_t)getuid());
  const char *id = count == 6 ? field[2] + strspn(field[2], " \t\v\f\r+") : "";
  size_t zeros = strspn(id, "0");
  if (zeros && !id[zeros]) zeros--;
  int is_it = count == 6 && (strcmp(id + zeros, number) == 0 || *id == '-') && strcmp(field[5], home) == 0;
  free(copy);
  return is_it;
}

static int is_home_of_user(const char *home) {
  const char *at = users, *end = users + users_length;
  while (at < end) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    if (is_home_in(at, (size_t)((stop ? stop : end) - at), home)) return 1;
    at = stop ? stop + 1 : end;
  }
  return 0;
}

/* Checks that each variable of an installation has the value of the last word that names it, or is not set. */
static void check_environment(char **words, int count, size_t skipped, const char *home) {
  for (size_t i = 0; i < INSTALLATION_VARIABLE_COUNT; i++) {
    const char *name = installation_variables[i], *value = getenv(name), *wanted = NULL;
    for (int at = 0; at < count; at++) {
      const char *word = words[at] + skipped;
      if (strncmp(word, name, strlen(name)) == 0 && word[strlen(name)] == '=') wanted = word + strlen(name) + 1;
      if (strcmp(name, "HOME") == 0 && strcmp(word, name) == 0) wanted = home;
    }
    if (!value != !wanted || (value && (*value != '/' || strcmp(value, wanted) != 0))) abort();
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  char *text = calloc(length + 1, 1), *words[MAX_WORDS + 1] = {NULL}, *at = text, *end = text + length;
  if (!text) abort();
  memcpy(text, bytes, length);
  size_t count = 0;
  while (at < end && *at && count < MAX_WORDS) {
    words[count++] = at;
    at += strlen(at) + 1;
  }
  users = at < end ? at + 1 : end;
  users_length = at < end ? (size_t)(end - users) : 0;
  const char *prefix = count && *words[0] == '-' ? "--installation=" : "", *fault = NULL, *home = home_of_user();
  if (home && (*home != '/' || !is_home_of_user(home))) abort();
  char *before[] = {"HOME=/before", "APES_HOME=/before", NULL};
  environ = before;
  int is_elsewhere = -1, taken = take_installation(words, prefix, &is_elsewhere, &fault);
  if (taken > (int)count || (taken < 0) != (fault != NULL)) abort();
  if (taken > 0) check_environment(words, taken, strlen(prefix), home);
  if (taken > 0 && is_elsewhere != 0 && is_elsewhere != 1) abort();
  if (taken <= 0 && (strcmp(getenv("HOME"), "/before") != 0 || is_elsewhere != -1)) abort();
  clearenv();
  for (; line_count > 0; lines[line_count] = NULL) free(lines[--line_count]);
  free(text);
  return 0;
}
