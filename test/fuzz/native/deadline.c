/* Fuzzes the words with which `deadline` is called. No process is started; the target checks the time limit that was read. */
#include "target.h"
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
static unsigned seconds_set;
static int is_started;
static pid_t ended_child(pid_t child, int *status) {
  *status = 7 << 8;
  return child;
}
#define fork() (is_started = 1, 4321)
#define setsid() 0
#define setpgid(process, group) 0
#define kill(process, number) (-1)
#define waitpid(child, status, flags) ended_child(child, status)
#define signal(number, handler) ((void)0)
#define alarm(seconds) (seconds_set = (seconds))
#include "../../../bin/deadline.c"

#define MAX_WORDS 16

/* Returns the number of seconds that the word names, or -1. It reads the word in another way than `deadline`. */
static long seconds_in(const char *word) {
  long value = 0;
  word += strspn(word, " \t\n\v\f\r");
  if (*word == '+') word++;
  if (!*word || word[strspn(word, "0123456789")]) return -1;
  for (; *word; word++)
    if ((value = value * 10 + (*word - '0')) > 86400) return -1;
  return value > 0 ? value : -1;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  static FILE *silent;
  char *text = calloc(length + 1, 1), *words[MAX_WORDS + 2] = {"deadline"};
  if (!text || (!silent && !(silent = freopen("/dev/null", "w", stderr)))) abort();
  memcpy(text, bytes, length);
  int count = 1;
  for (char *at = text; at < text + length && count <= MAX_WORDS; at += strlen(at) + 1) words[count++] = at;
  seconds_set = 0, is_started = 0;
  int status = source_main(count, words);
  long wanted = count > 2 ? seconds_in(words[1]) : -1;
  if (wanted < 0 ? status != 125 || is_started : status != 7 || !is_started || (long)seconds_set != wanted) abort();
  free(text);
  return 0;
}
