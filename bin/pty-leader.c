/*
 * pty-leader: the first program on the private pseudo-terminal. It opens the private descriptors of bash, then becomes bash by exec.
 *
 *   pty-leader SOCKET GATE_PID            becomes bash
 *   pty-leader SOCKET GATE_PID program    becomes another program, which gets only the terminal, as 0, 1 and 2
 *
 * The variable APE_LEADER_NONCE contains a nonce. pty-leader sends the nonce to the gate, as a proof that the gate started pty-leader.
 *
 * node-pty does not promise to pass descriptors on. So pty-leader connects twice to a private Unix-domain socket. It uses no FIFOs: every
 * process of the same user can open a FIFO again through /proc/PID/fd. bash gets these descriptors:
 *   0     tick: the gate writes one constant line here. bash then shows its prompt
 *   1, 2  the terminal
 *   3     channel: lines to the gate, answers to bash
 *   4     the terminal again, which is the standard input of the commands that bash runs
 *   5, 6  an unlinked file: 5 reads, 6 appends. The set-up text (setup.bash) reads the output of builtins from this file
 * The set-up text first moves the descriptors 3, 4, 5 and 6 to high numbers, and makes them close-on-exec.
 *
 * When both connections are made, the gate sends the start block on the channel. The block begins with 4 bytes (big endian): the number of
 * bytes that follow. NUL-terminated strings follow: directory, file to execute, number of arguments, the arguments, the environment.
 */
#include "base.h"
#if defined(__linux__)
#include <sys/prctl.h>
#endif
#include <sys/un.h>

#define MAX_START_BLOCK (64u << 20)

extern char **environ;

__attribute__((noreturn)) static void die(const char *what, const char *why) {
  fprintf(stderr, "ape-shell: %s: %s; nothing ran\n", visible(what), why);
  _exit(EX_OSERR);
}

/* Makes the kernel send SIGHUP when the gate dies. On macOS only the hang-up of the pseudo-terminal causes a SIGHUP. */
static void die_with_the_gate(pid_t gate) {
#if defined(__linux__)
  if (prctl(PR_SET_PDEATHSIG, SIGHUP) != 0) die("cannot tie the shell to the gate", strerror(errno));
#endif
  if (getppid() != gate) _exit(EX_OSERR); /* the gate has died already */
}

static int is_gate(int fd, pid_t gate) {
  struct peer peer;
  return peer_of(fd, &peer) && (peer.process == -1 ? peer.user == geteuid() : peer.process == gate);
}

static int connect_to_gate(const char *path, char role, const char *nonce, pid_t gate) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) die("cannot reach the gate", "the path of its socket is too long");
  strcpy(address.sun_path, path);
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) != 0) die("cannot reach the gate", strerror(errno));
  if (!is_gate(fd, gate)) die("cannot reach the gate", "another process answers on its socket");
  char greeting[80];
  int length = snprintf(greeting, sizeof greeting, "%c%s\n", role, nonce);
  if (!write_whole(fd, greeting, (size_t)length)) die("cannot greet the gate", strerror(errno));
  return fd;
}

/* Returns the next string of the start block; dies if no string is left. */
static char *needed_string(char **at, const char *end) {
  char *string = next_string(at, end);
  if (!string) die("the gate sent a malformed start", "it ends too early");
  return string;
}

static char **needed_strings(char **at, const char *end, size_t count) {
  char **list = next_strings(at, end, count);
  if (!list && errno == ENOMEM) die("out of memory", strerror(errno));
  if (!list) die("the gate sent a malformed start", "it ends too early");
  return list;
}

static void read_needed(int channel, void *bytes, size_t length) {
  if (!read_whole(channel, bytes, length)) die("the gate sent no start", errno ? strerror(errno) : "it hung up");
}

static void move(int from, int to) {
  if (from == to) return;
  if (dup2(from, to) < 0) die("cannot place a descriptor", strerror(errno));
}

/* Returns a copy of a descriptor, with a number above all numbers that bash gets. */
static int moved_above(int from) {
  int to = fcntl(from, F_DUPFD, 20);
  if (to < 0) die("cannot place a descriptor", strerror(errno));
  return to;
}

struct start {
  char *directory, *file, **arguments, **environment;
};

/* Reads the start block: the directory, the file to execute, its arguments and its environment. */
static void read_start(int channel, struct start *start) {
  unsigned char head[4];
  read_needed(channel, head, sizeof head);
  size_t length = length_in(head);
  if (length == 0 || length > MAX_START_BLOCK) die("the gate sent a malformed start", "bad length");
  char *block = malloc(length), *at = block, *end = block + length;
  if (!block) die("out of memory", strerror(errno));
  read_needed(channel, block, length);
  if (block[length - 1] != 0) die("the gate sent a malformed start", "no end");
  start->directory = needed_string(&at, end);
  start->file = needed_string(&at, end);
  size_t count = (size_t)atol(needed_string(&at, end));
  start->arguments = needed_strings(&at, end, count);
  start->environment = needed_strings(&at, end, count_strings(at, end));
}

static void unblock_signals(void) {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Writes one byte with the status, then the subject and the reason, to the channel. Exits with the status. */
__attribute__((noreturn)) static void exit_for_failed_start(int status, const char *subject) {
  char why[512];
  int length = snprintf(why, sizeof why, "%c%s: %s", status, subject, strerror(errno));
  write_whole(3, why, length < (int)sizeof why ? (size_t)length : sizeof why - 1);
  _exit(status);
}

/* Becomes the program, which gets only the terminal. Reports a failed start on the channel, which is close-on-exec. */
__attribute__((noreturn)) static void become_program(int channel, const char *directory, const char *file, char **arguments) {
  move(channel, 3);
  close_from(4);
  if (!close_on_exec(3)) _exit(EX_OSERR);
  unblock_signals();
  if (chdir(directory) != 0) exit_for_failed_start(EX_OSERR, directory);
  execvp(file, arguments);
  exit_for_failed_start(status_of_failed_exec(errno), file);
}

/* Makes a private, unlinked file with two descriptors: one reads from the start, one appends. */
static void open_output_file(const char *socket_path, int *reader, int *writer) {
  char path[sizeof(((struct sockaddr_un *)0)->sun_path) + 8];
  snprintf(path, sizeof path, "%s.out", socket_path);
  *writer = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND, 0600);
  *reader = *writer < 0 ? -1 : open(path, O_RDONLY);
  if (*reader < 0) die("cannot make a private file", strerror(errno));
  unlink(path);
}

int main(int argc, char **argv) {
  const char *nonce = getenv("APE_LEADER_NONCE");
  int is_program = argc == 4 && strcmp(argv[3], "program") == 0;
  if ((argc != 3 && !is_program) || !nonce || strlen(nonce) > 64) {
    fprintf(stderr, "pty-leader: started by ape-shell only\n");
    return EX_USAGE;
  }
  pid_t gate = (pid_t)atol(argv[2]);
  die_with_the_gate(gate);
  close_from(3);

  int reader = -1, writer = -1;
  if (!is_program) open_output_file(argv[1], &reader, &writer);
  int tick = connect_to_gate(argv[1], 'T', nonce, gate);
  int channel = connect_to_gate(argv[1], 'C', nonce, gate);

  struct start start;
  read_start(channel, &start);
  environ = start.environment;

  if (is_program) become_program(channel, start.directory, start.file, start.arguments);

  /* All descriptors first move to higher numbers. Otherwise dup2 could close a descriptor that is still needed. */
  int terminal = moved_above(0);
  tick = moved_above(tick);
  channel = moved_above(channel);
  reader = moved_above(reader);
  writer = moved_above(writer);
  move(tick, 0);
  move(channel, 3);
  move(terminal, 4);
  move(reader, 5);
  move(writer, 6);
  close_from(7);

  unblock_signals();
  if (start.directory[0] && chdir(start.directory) != 0) /* the directory may be gone: bash then starts in the current directory */
    fprintf(stderr, "ape-shell: cannot enter %s: %s\r\n", visible(start.directory), strerror(errno));
  execv(start.file, start.arguments);
  die(start.file, strerror(errno));
}
