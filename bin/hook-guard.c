/*
 * hook-guard HARNESS [NAME=VALUE…]: an agent harness calls this program before each tool. The guard runs the gate, `apes hooks gate
 * HARNESS`, and prints the gate's answer. `apes` is the file beside the guard. Arguments NAME=VALUE choose the installation. Without such
 * arguments the harness's environment chooses the installation (`installation.h`).
 *
 * Without an answer the guard denies: it exits with 2 and prints a reason on standard error. A harness would run the tool after exit 1,
 * after no output, and after broken JSON. After exit 2, only Cline would run the tool. So Cline's hook line turns every failure into a
 * denial (src/harness/cline/closed-line.ts).
 *
 * The gate answers in one of two ways:
 * - exit 0 and, on standard output, `answer LENGTH`, a line feed and LENGTH bytes (src/harness/guard-answer.ts). The guard does not
 *   interpret these bytes.
 * - exit 2 and the reason on standard error.
 *
 * Anything else is no answer: a missing program, a crash, a signal, no output, other output, more than 8 MiB, no end within DEADLINE
 * seconds. If the gate still runs when the guard denies, the guard kills the gate's process group. APES_HOOK_DEADLINE can only shorten
 * the deadline. Most shell lines that call the guard end in `|| { …; exit 2; }`, so that the tool is denied even if the guard itself dies.
 */
#include "base.h"
#include "installation.h"
#if defined(__linux__)
#include <sys/prctl.h>
#endif

#define DEADLINE 25
#define MAX_ANSWER_BYTES (8u << 20)
#define DENIED 2

static volatile pid_t child = -1;

static void stop_child(void) {
  if (child > 0) kill(-child, SIGKILL);
}

__attribute__((noreturn)) static void deny(const char *why) {
  stop_child();
  dprintf(2, "ape-shell: DENIED, nothing ran: %s. Try again; if it happens again, a human has to look: apes health\n", why);
  _exit(DENIED);
}

__attribute__((noreturn)) static void deny_installation(const char *word) {
  dprintf(2, "ape-shell: DENIED, nothing ran: \"%s\" names no installation here. A human has to call: apes hooks install\n", visible(word));
  _exit(DENIED);
}

static void on_signal(int number) {
  static const char text[] = "ape-shell: DENIED, nothing ran: a signal ended the gate. Try again\n";
  (void)number;
  if (child > 0) kill(-child, SIGKILL);
  if (write(2, text, sizeof text - 1) < 0) { /* no reader is left */
  }
  _exit(DENIED);
}

static void gate_file(char path[PATH_MAX]) {
  if (!find_own_file(path)) deny("the guard cannot find its own file");
  *strrchr(path, '/') = 0;
  if (!append(path, PATH_MAX, "/apes")) deny("the path of the gate is too long");
}

static int64_t deadline_ms(void) {
  const char *wish = getenv("APES_HOOK_DEADLINE");
  long seconds = wish ? strtol(wish, NULL, 10) : 0;
  return (seconds > 0 && seconds < DEADLINE ? seconds : DEADLINE) * (int64_t)1000;
}

/*
 * Starts the gate, and returns the descriptor from which the guard reads the gate's output. `is_elsewhere`: whether the harness's
 * environment names another installation than the arguments.
 */
static int start_gate(const char *file, const char *harness, int is_elsewhere) {
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
    char *argv[] = {(char *)file, "hooks", "gate", (char *)harness, is_elsewhere ? "--led-elsewhere" : NULL, NULL};
    execv(file, argv);
    dprintf(2, "ape-shell: %s: %s\n", visible(file), strerror(errno));
    _exit(127);
  }
  setpgid(child, child);
  close(ends[1]);
  return ends[0];
}

/* Returns everything that the gate prints. Denies, and does not return, if the output cannot be read, is late or is too long. */
static struct input read_output(int fd, int64_t over_at) {
  struct input output = read_input(fd, MAX_ANSWER_BYTES + 1, over_at);
  if (!output.bytes) deny("there is no memory");
  if (output.end == INPUT_LATE) deny("the gate did not answer in time");
  if (output.end == INPUT_FULL) deny("the gate's answer is too long");
  if (output.end == INPUT_BROKEN) deny("the gate's answer could not be read");
  return output;
}

static int status_of_gate(int64_t over_at) {
  int status;
  for (;;) {
    pid_t done = waitpid(child, &status, WNOHANG);
    if (done == child) break;
    if (done < 0 && errno != EINTR) deny("the guard could not find out how the gate ended");
    if (monotonic_ms() >= over_at) deny("the gate did not end in time");
    poll(NULL, 0, 5);
  }
  child = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/*
 * Returns the answer for the harness: everything after the first line. Returns NULL in these cases: the first line is malformed, the
 * first line names another length, the answer is empty, or the answer has a NUL.
 */
static const char *answer_in(const struct input *output, size_t *length) {
  static const char WORD[] = "answer ";
  const char *at = output->bytes, *end = at + output->length;
  if (output->length < sizeof WORD || memcmp(at, WORD, sizeof WORD - 1) != 0) return NULL;
  *length = 0;
  for (at += sizeof WORD - 1; *at >= '0' && *at <= '9' && *length <= MAX_ANSWER_BYTES; at++) *length = *length * 10 + (size_t)(*at - '0');
  if (*length == 0 || *at++ != '\n') return NULL;
  if ((size_t)(end - at) != *length || memchr(at, 0, *length)) return NULL;
  return at;
}

int main(int argc, char **argv) {
  if (argc < 2) deny("usage: hook-guard HARNESS [NAME=VALUE...]");
  for (int fd = 0; fd < 3; fd++) fill_if_closed(fd);
  int is_elsewhere = 0;
  const char *fault = NULL;
  if (take_installation(argv + 2, "", &is_elsewhere, &fault) < 0) deny_installation(fault);
  int64_t over_at = monotonic_ms() + deadline_ms();
  char file[PATH_MAX];
  gate_file(file);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGCHLD, SIG_DFL);
  for (const int *each = (const int[]){SIGTERM, SIGHUP, SIGINT, SIGQUIT, 0}; *each; each++) signal(*each, on_signal);
  struct input output = read_output(start_gate(file, argv[1], is_elsewhere), over_at);
  int status = status_of_gate(over_at);
  if (status == DENIED) return DENIED;
  if (status != 0) deny("the gate failed");
  size_t length;
  const char *answer = answer_in(&output, &length);
  if (!answer) deny("the gate gave no answer");
  if (!write_whole(1, answer, length)) deny("the answer could not be handed on");
  return 0;
}
