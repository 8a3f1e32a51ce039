/*
 * deadline SECONDS PROGRAM [ARG…]: runs PROGRAM in a new session and process group, and kills the group after SECONDS.
 *
 * Closes all descriptors from 3 on. Exits when all processes of the group have ended or were killed. timeout(1) is not used, because
 * macOS does not have it.
 * deadline runs:
 * - notification commands. ape-shell does not wait for these commands. Without a limit, a command that hangs would run forever
 * - hook guards. If a hook exceeds its time limit, some harnesses run the tool. So the guard has to end before that limit
 *
 * Exit: the status of PROGRAM; 128 + N if signal N ended PROGRAM; 124 if SECONDS passed before all processes of the group had ended;
 * 125 after a usage error, or if fork or waitpid failed; 126 or 127 if PROGRAM could not be started (as in a shell).
 */
#include "base.h"

static pid_t child = -1;
static volatile sig_atomic_t is_over = 0;

static void on_alarm(int number) {
  (void)number;
  is_over = 1;
  if (child > 0) kill(-child, SIGKILL);
}

int main(int argc, char **argv) {
  char *end = NULL;
  long seconds = argc > 2 ? strtol(argv[1], &end, 10) : 0;
  if (argc < 3 || !end || *end || seconds < 1 || seconds > 86400) {
    fprintf(stderr, "usage: deadline SECONDS PROGRAM [ARG...]   (1 to 86400)\n");
    return 125;
  }
  close_from(3);
  setsid();
  child = fork();
  if (child < 0) return 125;
  if (child == 0) {
    setpgid(0, 0);
    execvp(argv[2], argv + 2);
    _exit(status_of_failed_exec(errno));
  }
  setpgid(child, child);
  signal(SIGALRM, on_alarm);
  unblock_signal(SIGALRM);
  alarm((unsigned)seconds);
  int status;
  if (!await_child(child, &status)) return 125;
  /* Background processes of PROGRAM may run until SECONDS have passed. */
  struct timespec pause = {0, 50 * 1000 * 1000};
  while (!is_over && kill(-child, 0) == 0) nanosleep(&pause, NULL);
  if (is_over) return 124;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
