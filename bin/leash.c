/*
 * leash DIRECTORY FILE ARGV0 [ARG…]: runs FILE in DIRECTORY, in a process group of its own. The holder is the process that has the other
 * end of descriptor 3. When the holder ends, leash kills the group.
 *
 * leash reads from descriptor 3, in this order:
 *  - the environment of FILE (possibly not UTF-8): NAME=VALUE strings that each end with a NUL, then an empty string;
 *  - the length of the profile (4 bytes, big endian), then the profile that confines FILE (confinement.h); length 0: FILE runs unconfined;
 *  - signal numbers, one byte each: leash sends each signal to the group;
 *  - end of file: the holder has ended or given up, and leash kills the group.
 * After a signal to the group, leash waits for the last process of the group. If FILE ends before the first signal, leash ends too. In this
 * case, the background processes of FILE continue to run.
 *
 * leash ends with the status of FILE, or by the signal that ended FILE. If nothing ran, leash ends with one of these statuses:
 *  - 64: a usage error
 *  - 71: an error of the system; DIRECTORY cannot be entered; the environment or the profile is incomplete; or the profile is too long
 *  - 72: FILE cannot be confined
 *  - 126, 127: FILE cannot be started
 */
#include "base.h"
#include <sys/resource.h>
#include "confinement.h"

#define CONTROL_DESCRIPTOR 3

extern char **environ;

static int ended_pipe[2];

static void on_child(int number) {
  int saved = errno;
  (void)number;
  if (write(ended_pipe[1], "", 1) < 0) { /* The pipe is full, so the main loop wakes up anyway. */
  }
  errno = saved;
}

__attribute__((noreturn)) static void fail(const char *what, const char *subject) {
  fprintf(stderr, "apes: %s: %s; nothing ran\n", visible(what), subject);
  _exit(EX_OSERR);
}

/* Reads byte by byte, because the profile and the signals follow the environment and must stay unread. */
static char **read_environment(void) {
  size_t size = 65536, used = 0, count = 0, start = 0;
  char *bytes = malloc(size);
  for (;;) {
    if (!bytes) fail("environment", "out of memory");
    ssize_t n = read(CONTROL_DESCRIPTOR, bytes + used, 1);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail("environment", "it did not arrive whole");
    if (bytes[used++] == 0) {
      if (used - start == 1) break;
      count++;
      start = used;
    }
    if (used == size) bytes = realloc(bytes, size *= 2);
  }
  char *at = bytes, **list = next_strings(&at, bytes + used, count);
  if (!list) fail("environment", "out of memory");
  return list;
}

static char *read_profile(size_t *length) {
  unsigned char head[4];
  if (!read_whole(CONTROL_DESCRIPTOR, head, sizeof head)) fail("profile", "it did not arrive whole");
  *length = length_in(head);
  if (*length > MAX_PROFILE_BYTES) fail("profile", "it is too long");
  char *bytes = malloc(*length + 1);
  if (!bytes) fail("profile", "out of memory");
  if (!read_whole(CONTROL_DESCRIPTOR, bytes, *length)) fail("profile", "it did not arrive whole");
  return bytes;
}

static void confine(const char *profile, size_t length) {
  struct confinement confinement;
  struct confinement_fault fault;
  if (length == 0 || (open_confinement(&confinement, profile, length, &fault) && enter_confinement(&confinement, &fault))) return;
  print_confinement_fault("apes", &fault);
  _exit(EX_CONFINEMENT);
}

static void end_as(int status) {
  if (WIFSIGNALED(status)) {
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none); /* no core dump of leash: the program has dumped its own core already */
    die_by_signal(WTERMSIG(status));
  }
  _exit(WEXITSTATUS(status));
}

int main(int argc, char **argv) {
  if (argc < 4) {
    fprintf(stderr, "usage: leash DIRECTORY FILE ARGV0 [ARG...]   (with the control descriptor as number 3)\n");
    return EX_USAGE;
  }
  environ = read_environment();
  size_t profile_length;
  char *profile = read_profile(&profile_length);
  if (chdir(argv[1])) fail(argv[1], strerror(errno));
  if (!open_wake_pipe(ended_pipe)) fail("pipe", strerror(errno));
  close_on_exec(CONTROL_DESCRIPTOR);
  signal(SIGCHLD, on_child);
  pid_t child = fork();
  if (child < 0) fail("fork", strerror(errno));
  if (child == 0) {
    setpgid(0, 0);
    signal(SIGCHLD, SIG_DFL);
    confine(profile, profile_length);
    execvp(argv[2], argv + 3);
    exit_for_failed_exec("apes", argv[2]);
  }
  setpgid(child, child);
  /* A reader of the program's output must get end of file when the program ends, not when leash ends. */
  for (int fd = 0; fd < 3; fd++) close(fd);
  int is_held = 1, is_signalled = 0, is_ended = 0, status = 0;
  for (;;) {
    if (!is_ended) is_ended = waitpid(child, &status, WNOHANG) == child;
    /* After a signal, waits for the last process of the group: bash can end before the processes that it started. */
    if (is_ended && (!is_signalled || kill(-child, 0) != 0)) end_as(status);
    struct pollfd ready[2] = {{ended_pipe[0], POLLIN, 0}, {CONTROL_DESCRIPTOR, POLLIN, 0}};
    if (poll(ready, is_held ? 2 : 1, is_ended ? 20 : -1) < 0 && errno != EINTR) kill(-child, SIGKILL);
    char ignored[64];
    while (read(ended_pipe[0], ignored, sizeof ignored) > 0) {
    }
    if (!is_held || !(ready[1].revents & (POLLIN | POLLHUP | POLLERR))) continue;
    unsigned char number;
    ssize_t n = read(CONTROL_DESCRIPTOR, &number, 1);
    if (n < 0 && errno == EINTR) continue;
    is_signalled = 1;
    kill(-child, n <= 0 ? SIGKILL : number);
    if (n <= 0) is_held = 0;
  }
}
