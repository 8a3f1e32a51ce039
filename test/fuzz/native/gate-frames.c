/* Fuzzes the frames of the gate, which the launcher reads and obeys. No program is started, and nothing is confined. */
#define APE_NODE "/nonexistent"
#define APE_BUILD "fuzz"
#include "target.h"
#include <signal.h>
#define raise(number) 0
#define signal(number, handler) ((void)0)
#define sigprocmask(how, set, old) 0
#include "../../../bin/confinement.h"
static int is_confined, is_executed;
static char *kept[4096];
static size_t kept_count;
static int put_variable(char *text) {
  if (kept_count == sizeof kept / sizeof *kept) abort();
  kept[kept_count++] = text;
  return putenv(text);
}
static int mark_confined(const struct confinement *confinement, struct confinement_fault *fault) {
  (void)fault;
  if (confinement->ruleset < 0) abort();
  is_confined = 1;
  return 1;
}
static int mark_executed(const char *file, char *const *list) {
  size_t sum = strlen(file);
  for (; *list; list++) sum += strlen(*list);
  is_executed = 1 + (int)(sum & 0);
  errno = ENOENT;
  return -1;
}
#define putenv put_variable
#define enter_confinement mark_confined
#define execvp mark_executed
#define chdir(path) (*(path) == '/' ? 0 : -1)
#include "../../../bin/launcher.c"

static void forget(void) {
  close_from(3);
  if (profile.payload) free(profile.payload);
  profile = (struct frame){0};
  standard_input = -1;
  is_stripped = is_confined = is_executed = 0;
  clearenv();
  while (kept_count > 0) free(kept[--kept_count]);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  static FILE *silent;
  static char own[] = "APE_X=1", other[] = "PATH=/bin";
  if (!silent && !(silent = freopen("/dev/null", "w", stderr))) abort();
  static char *before[3];
  before[0] = own, before[1] = other;
  environ = before;
  int fd = file_with(bytes, length);
  static struct frame frame;
  if (!setjmp(input_end))
    while (read_frame(fd, &frame)) {
      if (obey(&frame)) continue;
      free(frame.payload);
      break;
    }
  else
    free(frame.payload);
  if (is_executed && (profile.payload != NULL) != is_confined) abort();
  for (char **at = environ; is_executed && at && *at; at++)
    if (*at == own) abort(); /* a variable of ours reaches the program */
  forget();
  (void)source_main;
  return 0;
}
