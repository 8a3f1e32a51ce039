/* Fuzzes a call of bash's loadable builtin. Input: the words of the call, an empty word, and the bytes that it can read from descriptor 10. */
#include "target.h"
#include "../../../bin/confine-builtin.c"
#include "bash.h"

#define MAX_WORDS 8
#define INPUT 10

static char bound[64];

void *bind_variable(const char *name, char *value, int flags) {
  (void)flags;
  if (strcmp(name, "__ape_held") != 0) abort();
  snprintf(bound, sizeof bound, "%s", value);
  return value;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  char *text = calloc(length + 1, 1), *at = text;
  WORD_DESC words[MAX_WORDS];
  WORD_LIST list[MAX_WORDS];
  size_t count = 0;
  if (!text) abort();
  memcpy(text, bytes, length);
  if (!held.shell && (!freopen("/dev/null", "w", stderr) || !__ape_confine_builtin_load(""))) abort();
  for (; at < text + length && *at && count < MAX_WORDS; at += strlen(at) + 1) words[count++] = (WORD_DESC){at, 0};
  for (size_t i = 0; i < count; i++) list[i] = (WORD_LIST){i + 1 < count ? &list[i + 1] : NULL, &words[i]};
  size_t used = at < text + length ? (size_t)(at + 1 - text) : length;
  int fd = file_with(bytes + used, length - used);
  if (fd != INPUT && (dup2(fd, INPUT) < 0 || close(fd))) abort();
  *bound = 0;
  int status = confine_builtin(count ? list : NULL);
  if (status != 0 && status != EX_BADUSAGE && status != EX_CONFINEMENT) abort();
  int is_arm = count > 0 && strcmp(words[0].word, "arm") == 0;
  if (held.is_armed != (is_arm && status == 0) || (*bound && !held.is_armed)) abort();
  if (is_arm && status == 0 && (count != 4 || strncmp(bound, words[3].word, sizeof bound - 1) != 0)) abort();
  disarm();
  close(INPUT);
  free(text);
  return 0;
}
