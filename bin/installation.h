/*
 * Sets the environment variables that choose the installation (`installation_variables`) from arguments NAME=VALUE. `apes hooks
 * install` writes these arguments into the commands that a harness runs. The settings of a project can make a harness set these
 * variables, and so choose another installation. Therefore, if there is at least one argument, each of `installation_variables` without
 * an argument is unset. If there is no argument, the environment stays as it is. The argument `HOME`, without `=`, means the home
 * directory in the user database.
 */
#ifndef APE_INSTALLATION_H
#define APE_INSTALLATION_H
#include "base.h"
#include "own-variables.h"
#if !defined(__linux__)
#include <pwd.h>
#endif

#define INSTALLATION_VARIABLE_COUNT (sizeof installation_variables / sizeof *installation_variables)

#if defined(__linux__)
/* A static program cannot load the libraries that getpwuid(3) needs, so this function reads /etc/passwd. */
static const char *home_of_user(void) {
  char *line = NULL; /* never freed: the result points into it */
  size_t size = 0;
  ssize_t length;
  FILE *file = fopen("/etc/passwd", "re");
  const char *home = NULL;
  while (file && !home && (length = getline(&line, &size, file)) > 0) {
    if (line[length - 1] == '\n') line[length - 1] = 0;
    char *fields[6], *at = line;
    int count = 0;
    while (at && count < 6) fields[count++] = strsep(&at, ":");
    char *end = NULL;
    if (count < 6 || !*fields[2] || strtoul(fields[2], &end, 10) != getuid() || *end) continue;
    home = fields[5];
  }
  if (file) fclose(file);
  return home && *home == '/' ? home : NULL;
}
#else
static const char *home_of_user(void) {
  struct passwd *entry = getpwuid(getuid());
  return entry && *entry->pw_dir == '/' ? entry->pw_dir : NULL;
}
#endif

/*
 * Looks up the name before `=` of `word` in `installation_variables`. Returns its index there, or -1 if the list does not have the name.
 * Sets `*value` to the text after `=`. Without `=`, the whole word is the name, and `*value` becomes NULL.
 */
static int variable_in(const char *word, const char **value) {
  const char *sign = strchr(word, '=');
  size_t length = sign ? (size_t)(sign - word) : strlen(word);
  *value = sign ? sign + 1 : NULL;
  for (size_t i = 0; i < INSTALLATION_VARIABLE_COUNT; i++)
    if (strlen(installation_variables[i]) == length && strncmp(installation_variables[i], word, length) == 0) return (int)i;
  return -1;
}

/* Whether `values` and the environment choose different installations. */
static int leads_elsewhere(const char *const *values) {
  for (size_t i = 0; i < INSTALLATION_VARIABLE_COUNT; i++) {
    const char *now = getenv(installation_variables[i]), *wanted = values[i] ? values[i] : "";
    if (strcmp(now ? now : "", wanted) != 0) return 1;
    if (i == 0 && *wanted) return 0; /* APES_HOME alone decides */
  }
  return 0;
}

/*
 * Reads the leading words that begin with `prefix`. Sets the installation variables that these words name, and unsets the others.
 * Returns the number of such words; 0: the environment is unchanged. Returns -1 in two cases:
 * - A word names no installation variable, or contains no absolute path as the value. `*fault` is the word. The environment is unchanged.
 * - A variable cannot be set or unset. `*fault` is the variable. The variables before it are already changed.
 * `is_elsewhere` may be NULL. Valid words set `*is_elsewhere` to 1 if the words choose a different installation, else to 0. If there
 * are no such words, `*is_elsewhere` is unchanged.
 */
static int take_installation(char **words, const char *prefix, int *is_elsewhere, const char **fault) {
  const char *values[INSTALLATION_VARIABLE_COUNT] = {NULL};
  size_t skipped = strlen(prefix);
  int count = 0;
  for (; words[count] && strncmp(words[count], prefix, skipped) == 0; count++) {
    const char *value, *word = words[count] + skipped;
    int at = variable_in(word, &value);
    if (at >= 0 && !value && strcmp(word, "HOME") == 0) value = home_of_user();
    if (at < 0 || !value || *value != '/') return *fault = words[count], -1;
    values[at] = value;
  }
  if (count == 0) return 0;
  if (is_elsewhere) *is_elsewhere = leads_elsewhere(values);
  for (size_t i = 0; i < INSTALLATION_VARIABLE_COUNT; i++)
    if ((values[i] ? setenv(installation_variables[i], values[i], 1) : unsetenv(installation_variables[i])) != 0)
      return *fault = installation_variables[i], -1;
  return count;
}
#endif
