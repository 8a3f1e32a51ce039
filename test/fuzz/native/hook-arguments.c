/* Fuzzes the words and the deadline of a call of the hook guard. No gate can be started, so each answer is a denial. */
#include "target.h"
#include <signal.h>
static int is_started;
#define fork() (is_started = 1, -1)
#define signal(number, handler) ((void)0)
#include "../../../bin/hook-guard.c"

#define MAX_WORDS 16

extern char **environ;

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  static FILE *silent;
  static char *volatile text;
  static char *words[MAX_WORDS + 2];
  static volatile int count;
  if (!silent && !(silent = freopen("/dev/null", "w", stderr))) abort();
  if (!(text = calloc(length + 1, 1))) abort();
  memcpy(text, bytes, length);
  memset(words, 0, sizeof words);
  clearenv();
  is_started = 0;
  if (length) setenv("APES_HOOK_DEADLINE", text, 1);
  words[0] = "hook-guard";
  count = 1;
  for (char *at = text + strlen(text) + 1; at < text + length && count <= MAX_WORDS; at += strlen(at) + 1) words[count++] = at;
  int64_t most = deadline_ms();
  if (most < 1000 || most > DEADLINE * 1000) abort();
  int status = setjmp(input_end);
  if (status == 0) source_main(count, words), abort(); /* the guard has returned without a denial */
  if (status != DENIED || (is_started && count < 2)) abort();
  for (int i = 2; i < count; i++)
    if (is_started && !strchr(words[i], '=') && strcmp(words[i], "HOME") != 0) abort();
  for (size_t i = 0; is_started && count > 2 && i < INSTALLATION_VARIABLE_COUNT; i++) {
    const char *value = getenv(installation_variables[i]);
    if (value && *value != '/') abort();
  }
  close_from(3);
  clearenv();
  free(text);
  return 0;
}
