/*
 * hook-guard HARNESS: what an agent harness calls before a tool. Runs `apes hooks gate HARNESS` (the file beside this one)
 * and hands its answer on; whatever else happens is a denial: exit 2 with a reason on standard error, which every harness
 * that runs programs as hooks takes for "do not run this tool" (exit 1, silence and broken JSON let the tool run there).
 *
 * An answer is: exit 0 with one JSON object on standard output, or exit 2 (the gate has said why on standard error).
 * Anything else is none: a missing program, a crash, a signal, no output, other output, more than 8 MiB, no end within
 * DEADLINE seconds. The program and all it started is killed then. APES_HOOK_DEADLINE may shorten the deadline, never
 * lengthen it. The installed line ends in `|| { …; exit 2; }`, so that the guard's own death is a denial too.
 */
#if defined(__linux__)
#define _GNU_SOURCE
#include <sys/prctl.h>
#endif
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#if defined(__APPLE__)
#include <mach-o/dyld.h>
#endif

#define DEADLINE 25
#define LONGEST_ANSWER (8u << 20)
#define DENIED 2

static volatile pid_t child = -1;

static void stop_child(void) {
  if (child > 0) kill(-child, SIGKILL);
}

__attribute__((noreturn)) static void deny(const char *why) {
  stop_child();
  dprintf(2, "ape-shell: DENIED, nothing ran: %s. Try again; if it stays, a human has to look: apes health\n", why);
  _exit(DENIED);
}

static void on_signal(int number) {
  static const char text[] = "ape-shell: DENIED, nothing ran: the gate was told to stop. Try again\n";
  (void)number;
  if (child > 0) kill(-child, SIGKILL);
  if (write(2, text, sizeof text - 1) < 0) { /* nobody reads it */
  }
  _exit(DENIED);
}

static void gate_file(char *out, size_t size) {
  char path[PATH_MAX], real[PATH_MAX];
#if defined(__APPLE__)
  uint32_t n = sizeof path;
  if (_NSGetExecutablePath(path, &n)) deny("the guard cannot find its own file");
#else
  ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
  if (n < 0) deny("the guard cannot find its own file");
  path[n] = 0;
#endif
  if (!realpath(path, real)) deny("the guard cannot find its own file");
  *strrchr(real, '/') = 0;
  if (snprintf(out, size, "%s/apes", real) >= (int)size) deny("the path of the gate is too long");
}

static int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int64_t deadline_ms(void) {
  const char *wish = getenv("APES_HOOK_DEADLINE");
  long seconds = wish ? strtol(wish, NULL, 10) : 0;
  return (seconds > 0 && seconds < DEADLINE ? seconds : DEADLINE) * (int64_t)1000;
}

/* Starts the gate with its output into a pipe; the descriptor to read from. */
static int start_gate(const char *file, const char *harness) {
  int ends[2];
  if (pipe(ends)) deny("no pipe could be made");
  child = fork();
  if (child < 0) deny("no process could be started");
  if (child == 0) {
    setpgid(0, 0);
#if defined(__linux__)
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    signal(SIGPIPE, SIG_DFL);
    dup2(ends[1], 1);
    close(ends[0]);
    close(ends[1]);
    char *argv[] = {(char *)file, "hooks", "gate", (char *)harness, NULL};
    execv(file, argv);
    dprintf(2, "ape-shell: %s: %s\n", file, strerror(errno));
    _exit(127);
  }
  setpgid(child, child);
  close(ends[1]);
  return ends[0];
}

/* The whole output, with a NUL behind it, or no return. */
static char *read_answer(int fd, int64_t over_at, size_t *length) {
  size_t room = 64 << 10, have = 0;
  char *answer = malloc(room + 1);
  for (;;) {
    if (!answer) deny("there is no memory");
    struct pollfd ready = {fd, POLLIN, 0};
    int64_t left = over_at - now_ms();
    if (left <= 0) deny("the gate did not answer in time");
    if (poll(&ready, 1, (int)left) <= 0) continue;
    ssize_t n = read(fd, answer + have, room - have);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) deny("the gate's answer could not be read");
    if (n == 0) break;
    have += (size_t)n;
    if (have > LONGEST_ANSWER) deny("the gate's answer is too long");
    if (have == room) answer = realloc(answer, (room *= 2) + 1);
  }
  answer[have] = 0;
  *length = have;
  return answer;
}

static int status_of_gate(int64_t over_at) {
  int status;
  for (;;) {
    pid_t done = waitpid(child, &status, WNOHANG);
    if (done == child) break;
    if (done < 0 && errno != EINTR) deny("the gate's end could not be seen");
    if (now_ms() >= over_at) deny("the gate did not end in time");
    poll(NULL, 0, 5);
  }
  child = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/* One JSON object, seen from outside: the gate writes it in one piece at its very end. */
static int is_object(const char *text, size_t length) {
  while (length > 0 && strchr(" \t\r\n", text[length - 1])) length--;
  while (length > 0 && strchr(" \t\r\n", *text)) text++, length--;
  return length >= 2 && text[0] == '{' && text[length - 1] == '}' && memchr(text, 0, length) == NULL;
}

static void write_answer(const char *text, size_t length) {
  for (size_t done = 0; done < length;) {
    ssize_t n = write(1, text + done, length - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) deny("the answer could not be handed on");
    done += (size_t)n;
  }
}

int main(int argc, char **argv) {
  if (argc != 2) deny("usage: hook-guard HARNESS");
  for (int fd = 0; fd < 3; fd++)
    if (fcntl(fd, F_GETFD) < 0) open("/dev/null", fd ? O_WRONLY : O_RDONLY);
  int64_t over_at = now_ms() + deadline_ms();
  char file[PATH_MAX + 8];
  gate_file(file, sizeof file);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGCHLD, SIG_DFL);
  for (const int *each = (const int[]){SIGTERM, SIGHUP, SIGINT, SIGQUIT, 0}; *each; each++) signal(*each, on_signal);
  size_t length;
  int fd = start_gate(file, argv[1]);
  char *answer = read_answer(fd, over_at, &length);
  int status = status_of_gate(over_at);
  if (status == DENIED) return DENIED;
  if (status != 0) deny("the gate failed");
  if (!is_object(answer, length)) deny("the gate gave no answer");
  write_answer(answer, length);
  return 0;
}
