/* Fuzzes the arguments and the environment that the launcher reads. Input: strings that end in NUL, which are used as both. */
#define APE_NODE "/nonexistent"
#define APE_BUILD "fuzz"
#include "target.h"
#include "../../../bin/launcher.c"

#define MAX_STRINGS 64

static int has_name_twice(char **list) {
  for (char **one = list; *one; one++)
    for (char **other = one + 1; *other; other++)
      if (compare_names(*one, *other) == 0) return 1;
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  char *text = calloc(length + 1, 1), *words[MAX_STRINGS + 3] = {"apes", "send"}, *variables[MAX_STRINGS + 1] = {NULL};
  if (!text) abort();
  memcpy(text, bytes, length);
  size_t count = 0;
  for (char *at = text; at < text + length && count < MAX_STRINGS; at += strlen(at) + 1) {
    variables[count] = at;
    words[2 + count++] = at;
  }
  struct message message;
  if (read_message((int)count + 2, words, &message)) {
    if (!is_plain_word(message.session) || !is_utf8(message.text)) abort();
  }
  environ = variables;
  keep_each_name_once();
  if (has_name_twice(variables)) abort();
  strip_own_variables();
  for (char **at = variables; *at; at++)
    if (strncmp(*at, "APE_", 4) == 0 || (strncmp(*at, "APES_", 5) == 0 && strncmp(*at, "APES_HOME=", 10) != 0)) abort();
  environ = NULL;
  free(text);
  (void)source_main;
  return 0;
}
