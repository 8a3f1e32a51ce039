/*
 * The native launcher: one program with two names, ape-shell and apes. The name of the program's own file decides which of the two programs
 * runs.
 *
 * Why it is native:
 *  - a `#!` script never sees the dash that login(1), su(1) and sshd(8) put before argv[0];
 *  - Node reads NODE_OPTIONS and the loader reads LD_PRELOAD before a script of ours could refuse these variables. So this program
 *    is linked statically if the platform can, and starts Node with an empty environment. The caller's environment goes to Node
 *    over a socket, as data. So no variable of the caller runs code inside the gate;
 *  - the launcher becomes bash by exec, after the gate has decided in another process. So signals, exit status and job control
 *    are bash's own, and no process stays in between;
 *  - whatever happens to Node, this process restores the terminal.
 *
 * Socket between this process and Node, descriptor 3 in Node (SOCK_STREAM, both directions). Frames: one type byte, a length of
 * 4 bytes (big endian), the payload. Lists are NUL-terminated strings one after the other.
 *   to Node    'A' argv   'E' environment, NAME=VALUE
 *              'G' go (both lists are complete). For each of the descriptors 0-2, '1' if the caller had closed it, else '0'. Then the
 *                  launcher's process id
 *              'T' the answer to 'r' and 'n': '1' done, '0' failed   'S' a signal that came: its number (one byte)
 *   from Node  'c' directory to run in
 *              's' NAME=VALUE to set for the command, 'u' NAME to unset
 *              'i' bytes for the standard input of the command (one or more frames)
 *              'p' profile that confines the command (confinement.h), applied last before exec. If the profile cannot be
 *                  applied, the exit status is 72 and nothing runs
 *              'x' the file to run, then the argv of the command: exec now
 *              'r' set raw mode   'n' set normal mode   'q' exit with this status (one byte)
 *              'k' die by this signal (one byte)
 * End of file without 'x', 'q' or 'k' means that Node died: exit 70, nothing runs.
 *
 * The first arguments can be `--installation=NAME=VALUE` (installation.h). In a call of `apes`, `--variable=NAME=VALUE` (set the variable)
 * and `--variable=NAME` (unset it) can come before `--installation=…`. The launcher removes all these arguments.
 *
 * `ape-shell -c` first asks the resident gate (src/shell/resident-gate.ts), if this gate listens on the socket gateSocketPath. The frames
 * above have the same meaning. In addition, the launcher first sends 'V' (its build), 'N' (its mount namespace) and 'D' (its directory).
 * In this 'G', all three flags are '0'. The resident gate sends 'a' (it is alive), 'e' (text for standard error) and 'f' (start
 * Node). If the resident gate sends no 'x', 'q' or 'k', the launcher starts Node. But if the launcher has already obeyed a part of the
 * answer, it exits with status 70.
 */
#include "base.h"
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <termios.h>
#if defined(__linux__)
#include <linux/sockios.h>
#endif

#if !defined(APE_NODE) || !defined(APE_BUILD)
#error "define APE_NODE, the absolute path of node, and APE_BUILD, a word that identifies this build"
#endif

#include "confinement.h"
#include "installation.h"
#include "private-socket.h"
#include "session-record.h"
#include "session-report.h"
#include "session-send.h"

extern char **environ;

static const char *program = "ape-shell";
static struct termios normal_mode;
static int is_raw = 0, is_session = 0, tty_descriptor = -1; /* is_session: Node has asked for a mode of the terminal */
static volatile sig_atomic_t signal_pipe = -1, last_signal = 0;

static void restore_terminal(void) {
  if (is_raw && tty_descriptor >= 0) {
    tcsetattr(tty_descriptor, TCSADRAIN, &normal_mode);
    is_raw = 0;
  }
}

__attribute__((noreturn)) static void die(int status, const char *message, const char *subject) {
  restore_terminal();
  fprintf(stderr, "%s: %s%s%s\n", program, message, subject ? ": " : "", subject ? visible(subject) : "");
  _exit(status);
}

/*
 * Writes the directory of this program's file to `path`. Sets `program` to `apes` if the file has this name. Exits if the file is not
 * found.
 */
static void own_directory(char path[PATH_MAX]) {
  if (!find_own_file(path)) die(EX_OSERR, "cannot find my own file", path);
  char *slash = strrchr(path, '/');
  if (strcmp(slash + 1, "apes") == 0) program = "apes";
  *slash = 0;
}

/* Whether the variable is one of our own, except APES_HOME. */
static int is_ours(const char *entry) {
  for (size_t i = 0; i < sizeof naming_variables / sizeof *naming_variables; i++)
    if (strncmp(entry, naming_variables[i], strlen(naming_variables[i])) == 0) return 0;
  for (size_t i = 0; i < sizeof own_prefixes / sizeof *own_prefixes; i++)
    if (strncmp(entry, own_prefixes[i], strlen(own_prefixes[i])) == 0) return 1;
  return 0;
}

struct variable {
  char *text;
  size_t at;
};

static int compare_names(const char *a, const char *b) {
  while (*a && *a != '=' && *a == *b) a++, b++;
  int first = *a == '=' ? 0 : (unsigned char)*a, second = *b == '=' ? 0 : (unsigned char)*b;
  return first - second;
}

/* Orders by name, then by position. */
static int compare_variables(const void *left, const void *right) {
  const struct variable *one = left, *other = right;
  int by_name = compare_names(one->text, other->text);
  return by_name ? by_name : one->at < other->at ? -1 : one->at > other->at;
}

/* Whether this is an exported function with a name outside ASCII: the gate cannot distinguish such names from each other. */
static int is_nameless_function(const char *text) {
  if (strncmp(text, "BASH_FUNC_", 10) != 0) return 0;
  for (const char *at = text; *at && *at != '='; at++)
    if ((unsigned char)*at >= 0x80) return 1;
  return 0;
}

/*
 * Of several variables with the same name, keeps the last variable. bash uses the last one, but getenv(3) returns the first one. So the
 * gate would show another value than bash uses, and the grant would be for that other value. Also removes the functions of
 * is_nameless_function.
 */
static void keep_each_name_once(void) {
  size_t count = 0, kept = 0;
  while (environ[count]) count++;
  struct variable *sorted = calloc(count + 1, sizeof *sorted);
  if (!sorted) die(EX_OSERR, "out of memory", NULL);
  for (size_t i = 0; i < count; i++) sorted[i] = (struct variable){environ[i], i};
  qsort(sorted, count, sizeof *sorted, compare_variables);
  for (size_t i = 0; i < count; i++) {
    int is_repeated = i + 1 < count && compare_names(sorted[i].text, sorted[i + 1].text) == 0;
    if (is_repeated || is_nameless_function(sorted[i].text)) environ[sorted[i].at] = NULL;
  }
  for (size_t i = 0; i < count; i++)
    if (environ[i]) environ[kept++] = environ[i];
  environ[kept] = NULL;
  free(sorted);
}

/* A command gets none of our own variables except APES_HOME, which names the installation. */
static void strip_own_variables(void) {
  char **to = environ;
  for (char **from = environ; *from; from++)
    if (!is_ours(*from)) *to++ = *from;
  *to = NULL;
}

static void on_signal(int number) {
  int saved = errno;
  unsigned char byte = (unsigned char)number;
  if (number == SIGTERM || number == SIGHUP || number == SIGINT || number == SIGQUIT) last_signal = number;
  if (signal_pipe >= 0 && write(signal_pipe, &byte, 1) < 0) { /* the pipe is full: enough signals wait for the gate already */
  }
  errno = saved;
}

static const int FORWARDED[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGWINCH, SIGCONT, SIGUSR1, SIGUSR2};
#define FORWARDED_COUNT (sizeof FORWARDED / sizeof *FORWARDED)
static struct sigaction inherited[FORWARDED_COUNT];

static void catch_signals(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  for (size_t i = 0; i < FORWARDED_COUNT; i++) {
    sigaction(FORWARDED[i], NULL, &inherited[i]);
    if (inherited[i].sa_handler != SIG_IGN || FORWARDED[i] == SIGWINCH) sigaction(FORWARDED[i], &action, NULL);
  }
}

static void release_signals(void) {
  for (size_t i = 0; i < FORWARDED_COUNT; i++) sigaction(FORWARDED[i], &inherited[i], NULL);
}

static int set_raw(int on) {
  if (tty_descriptor < 0 || (!on && !is_raw)) return tty_descriptor >= 0;
  if (!on) {
    restore_terminal();
    return 1;
  }
  if (!is_raw && tcgetattr(tty_descriptor, &normal_mode)) return 0;
  struct termios raw = normal_mode;
  cfmakeraw(&raw); /* clears OPOST too: Node's own raw mode leaves ONLCR on, and every line would end in CR CR LF */
  if (tcsetattr(tty_descriptor, TCSADRAIN, &raw)) return 0;
  is_raw = 1;
  return 1;
}

static int closed_by_caller[3], standard_input = -1, is_stripped = 0;
static struct frame profile = {0};

static void keep_input(const struct frame *frame) {
  if (standard_input < 0 && (standard_input = unnamed_file()) < 0)
    die(EX_OSERR, "cannot keep the standard input", strerror(errno));
  if (!write_whole(standard_input, frame->payload, frame->length)) die(EX_OSERR, "cannot keep the standard input", strerror(errno));
}

/* Confines this process with the profile that the gate has sent. Does nothing if the gate has sent no profile. */
static void confine(void) {
  struct confinement confinement;
  struct confinement_fault fault;
  if (!profile.payload) return;
  if (open_confinement(&confinement, profile.payload, profile.length, &fault)) {
    allow_standard_descriptors(&confinement);
    if (enter_confinement(&confinement, &fault)) return;
  }
  print_confinement_fault(program, &fault);
  _exit(EX_CONFINEMENT);
}

__attribute__((noreturn)) static void become(const struct frame *frame) {
  char *at = frame->payload, *end = at + frame->length;
  size_t count = count_strings(at, end);
  if (count < 2 || end[-1] != 0) die(EX_SOFTWARE, "the gate sent a malformed command", NULL);
  char **list = next_strings(&at, end, count);
  if (!list) die(EX_OSERR, "out of memory", NULL);
  restore_terminal();
  if (standard_input >= 0) {
    lseek(standard_input, 0, SEEK_SET);
    if (dup2(standard_input, 0) < 0) die(EX_OSERR, "cannot pass the standard input", strerror(errno));
    closed_by_caller[0] = 0;
  }
  for (int fd = 0; fd < 3; fd++)
    if (closed_by_caller[fd]) close(fd);
  if (signal_pipe >= 0) {
    signal_pipe = -1;
    release_signals();
  }
  confine();
  execvp(list[0], list + 1);
  exit_for_failed_exec(program, list[0]);
}

/* Obeys a frame that means the same from Node and from the resident gate. Returns 0, and does nothing, for any other frame. */
static int obey(struct frame *frame) {
  if (strchr("csuipx", frame->type) && !is_stripped) {
    strip_own_variables();
    is_stripped = 1;
  }
  switch (frame->type) {
  case 'c':
    if (chdir(frame->payload)) die(EX_OSERR, "cannot enter the directory", frame->payload);
    break;
  case 's': putenv(frame->payload); return 1; /* the environment keeps the string */
  case 'u': unsetenv(frame->payload); break;
  case 'i': keep_input(frame); break;
  case 'p':
    free(profile.payload);
    profile = *frame;
    return 1;
  case 'x': become(frame);
  case 'q':
    restore_terminal();
    _exit(frame->length ? (unsigned char)frame->payload[0] : EX_SOFTWARE);
  case 'k':
    restore_terminal();
    die_by_signal(frame->length ? (unsigned char)frame->payload[0] : SIGKILL);
  default: return 0;
  }
  free(frame->payload);
  return 1;
}

#define RESIDENT_ALIVE_MS 1000
#define RESIDENT_ANSWER_MS 60000

/*
 * Connects to this user's resident gate. Returns -1 if the connection fails. gateSocketPath in src/platform/paths.ts returns the same path.
 */
static int connect_resident(void) {
  char path[PATH_MAX];
  if (!run_directory(path, sizeof path) || !append(path, sizeof path, "/gate.sock")) return -1;
  return connect_private(path, RESIDENT_ALIVE_MS);
}

/*
 * Returns the number of the mount namespace; "0" if it is not known. This text must equal mountNamespace in
 * src/platform/mount-namespace.ts.
 */
static const char *mount_namespace(void) {
  static char text[24];
  struct stat own;
  snprintf(text, sizeof text, "%ju", stat("/proc/self/ns/mnt", &own) == 0 ? (uintmax_t)own.st_ino : (uintmax_t)0);
  return text;
}

/* Sends 'G'. `zero`, `one` and `two`: whether the caller had closed descriptor 0, 1, 2. The command will have this process's id. */
static int write_go(int fd, int zero, int one, int two) {
  char text[16];
  int length = snprintf(text, sizeof text, "%c%c%c%d", "01"[zero], "01"[one], "01"[two], (int)getpid());
  return write_frame(fd, 'G', text, (size_t)length);
}

/*
 * Lets the resident gate decide. Returns only if Node has to decide:
 * - this is not a call of `ape-shell -c`, or the current directory is not known
 * - this user's resident gate sends 'f', or gives no complete answer in time
 *
 * Exits if the gate breaks off its answer after this process has obeyed a part of the answer.
 */
static void ask_resident(char **argv) {
  char directory[PATH_MAX];
  if (strcmp(program, "ape-shell") != 0 || !argv[1] || argv[1][0] != '-' || argv[1][1] == '-' || !strchr(argv[1], 'c')) return;
  if (!getcwd(directory, sizeof directory)) return;
  int fd = connect_resident();
  if (fd < 0) return;
  int timeout = RESIDENT_ALIVE_MS;
  const char *namespace = mount_namespace();
  if (!write_frame(fd, 'V', APE_BUILD, strlen(APE_BUILD)) || !write_frame(fd, 'N', namespace, strlen(namespace)) ||
      !write_frame(fd, 'D', directory, strlen(directory)) ||
      !write_list(fd, 'A', argv) || !write_list(fd, 'E', environ) || !write_go(fd, 0, 0, 0))
    goto not_there;
  for (;;) {
    struct pollfd ready = {fd, POLLIN, 0};
    int n = poll(&ready, 1, timeout);
    if (n < 0 && errno == EINTR) continue;
    struct frame frame;
    if (n <= 0 || !read_frame(fd, &frame) || frame.type == 'f') break;
    timeout = RESIDENT_ANSWER_MS;
    if (frame.type == 'e') {
      write_whole(2, frame.payload, frame.length);
    } else if (frame.type != 'a' && !obey(&frame)) break;
  }
not_there:
  close(fd);
  /*
   * A part of the answer may have changed the directory and the environment. Node would decide with the changed directory and environment.
   */
  if (is_stripped) die(EX_SOFTWARE, "the resident gate broke off its answer; nothing ran. Try again", NULL);
}

/* How many descriptors Node and the gate open at least. With fewer, Node aborts and prints its own stack. */
#define NODE_DESCRIPTORS 20

static int can_open_node_descriptors(void) {
  int opened[NODE_DESCRIPTORS], count = 0;
  while (count < NODE_DESCRIPTORS && (opened[count] = fcntl(0, F_DUPFD, 3)) >= 0) count++;
  for (int i = 0; i < count; i++) close(opened[i]);
  return count == NODE_DESCRIPTORS;
}

/*
 * Starts Node as a grandchild and returns its process id. Node must not be a child when this process becomes bash: a shell reports or reaps
 * a child that it did not start.
 */
static pid_t start_node(int gate, int ours, const char *entry) {
  /* Node's process id comes back in shared memory: the caller's limits may allow no further descriptor. */
  volatile pid_t *node_pid = mmap(NULL, sizeof *node_pid, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (node_pid == MAP_FAILED) die(EX_OSERR, "out of memory", NULL);
  pid_t pid = fork();
  if (pid < 0) die(EX_OSERR, "cannot start a process", strerror(errno));
  if (pid > 0) {
    await_child(pid, NULL);
    return *node_pid;
  }
  pid = fork();
  if (pid > 0) *node_pid = pid;
  if (pid != 0) _exit(pid < 0);
  close(ours);
  if (gate != 3) {
    if (dup2(gate, 3) < 0) _exit(EX_OSERR);
    close(gate);
  }
  fcntl(3, F_SETFD, 0);
  for (int fd = 0; fd < 3; fd++) fill_if_closed(fd);
  char *argv[] = {(char *)APE_NODE, (char *)entry, NULL};
  char *clean[] = {NULL};
  execve(APE_NODE, argv, clean);
  dprintf(2, "%s: cannot start node at %s: %s; rebuild with `npm rebuild` in the package's directory\n", program, APE_NODE,
          strerror(errno));
  write_frame(3, 'q', "\x4e", 1); /* 78 EX_CONFIG */
  _exit(EX_CONFIG);
}

/* Obeys and removes the first arguments if they name the installation. `apes hooks install` writes such arguments. */
static char **skip_installation(int *argc, char **argv) {
  const char *fault = NULL;
  int count = take_installation(argv + 1, "--installation=", NULL, &fault);
  if (count < 0) die(EX_CONFIG, "an argument names no installation; call `apes hooks install` again. The argument is", fault);
  argv[count] = argv[0];
  *argc -= count;
  return argv + count;
}

/*
 * Obeys and removes the first arguments `--variable=…` of `apes`. A session writes these arguments into each call of `apes` that needs no
 * grant. The session cannot start `apes` with env(1): when env starts, the loader would obey a variable such as LD_PRELOAD. The session
 * cannot always unset LD_PRELOAD first, because an approved line may have made LD_PRELOAD read-only.
 */
static char **take_variables(int *argc, char **argv) {
  static const char prefix[] = "--variable=";
  const size_t skipped = sizeof prefix - 1;
  int count = 0;
  for (; argv[count + 1] && strncmp(argv[count + 1], prefix, skipped) == 0; count++) {
    char *word = argv[count + 1] + skipped;
    if ((strchr(word, '=') ? putenv(word) : unsetenv(word)) != 0) die(EX_USAGE, "not the name of a variable", word);
  }
  argv[count] = argv[0];
  *argc -= count;
  return argv + count;
}

/* Whether this call starts a server or a resident gate. Both run on after their caller has ended. */
static int outlives_caller(int argc, char **argv) {
  return argc > 1 && strcmp(program, "apes") == 0 && (strcmp(argv[1], "serve") == 0 || strcmp(argv[1], "gate") == 0);
}

/* Describes the caller's limit (`ulimit`) that may keep Node from starting, and how to lift it; NULL if no such limit is set. */
static const char *low_limit(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < 64)
    return "perhaps it needs more than `ulimit -n` allows: raise it to 64 or more";
#if defined(__linux__)
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    return "perhaps it needs more than `ulimit -v` allows: set the limit inside the command, as in `ape-shell -c 'ulimit -v N; ...'`";
#endif
  return NULL;
}

/* How long the launcher waits until Node has read the launcher's frames. A Node that cannot start its threads hangs. */
#define NODE_STARTS_MS 120000
#define NODE_STARTS_WITH_LIMIT_MS 30000

/* Whether Node still has data to read from us. False if the platform cannot tell. */
static int is_unread(int gate) {
#if defined(SIOCOUTQ)
  int bytes = 0;
  return ioctl(gate, SIOCOUTQ, &bytes) == 0 && bytes > 0;
#else
  (void)gate;
  return 0;
#endif
}

/*
 * Whether Node ended before it had read all frames: Linux then resets the connection. If the platform does not do so, returns 0, which means
 * that Node may have read them.
 */
static int was_reset(int gate) {
  int error = 0;
  socklen_t size = sizeof error;
  return getsockopt(gate, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == ECONNRESET;
}

/* Kills a Node that has not read all frames in time. Returns whether Node may have read them in the last moment. */
static int end_node(int gate, pid_t node, int has_sent_signals) {
  struct pollfd ended = {gate, 0, 0};
  kill(node, SIGKILL);
  poll(&ended, 1, 2000); /* until the kernel has closed Node's end */
  return !is_unread(gate) && (has_sent_signals || !was_reset(gate));
}

/*
 * Says what is known after Node ended without 'x', 'q' or 'k'. Before Node ended, a session may have run lines, and `apes` may have acted.
 * `apes run` and `apes grants run` do nothing before they become the command by exec.
 */
static const char *what_is_known(int argc, char **argv, int is_started) {
  int is_apes = strcmp(program, "apes") == 0 && is_started;
  int becomes_command = argc > 1 && (strcmp(argv[1], "run") == 0 || (argc > 2 && strcmp(argv[1], "grants") == 0 && strcmp(argv[2], "run") == 0));
  if (is_apes && !becomes_command) return "the process ended before it answered; what the process had begun is possibly done";
  if (is_session && !is_apes) return "the gate ended: no further line runs; lines before may have run";
  return "the gate ended without a decision; nothing ran";
}

int main(int argc, char **argv) {
  if (argc < 1) die(EX_USAGE, "called without even a name", NULL);
  char directory[PATH_MAX], entry[PATH_MAX + 32];
  /* A descriptor 0–2 that the caller closed must not become the socket; `become` closes the descriptor again for the command. */
  for (int fd = 0; fd < 3; fd++) closed_by_caller[fd] = fill_if_closed(fd);
  own_directory(directory);
  keep_each_name_once();
  if (strcmp(program, "apes") == 0) argv = take_variables(&argc, argv);
  argv = skip_installation(&argc, argv);
  if (outlives_caller(argc, argv)) close_from(3);
  if (strcmp(program, "apes") == 0) {
    report_without_node(argc, argv);
    argv = send_without_node(argc, argv);
  }
  snprintf(entry, sizeof entry, "%s/../main/%s.cjs", directory, program);
  if (access(entry, R_OK))
    die(EX_CONFIG, "this is a copy of the program without its package; call the installed program. Missing file", entry);
  ask_resident(argv);

  int pair[2], wake[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) || !open_wake_pipe(wake)) die(EX_OSERR, "cannot make a socket", strerror(errno));
  if (!can_open_node_descriptors())
    die(EX_OSERR, "too few files can be opened; nothing ran. Raise `ulimit -n` to 64 or more, or close open files", NULL);
  for (int i = 0; i < 2; i++) close_on_exec(pair[i]);
  for (int fd = 0; fd < 3 && tty_descriptor < 0; fd++)
    if (!closed_by_caller[fd] && isatty(fd)) tty_descriptor = fd;
  pid_t node = start_node(pair[0], pair[1], entry);
  close(pair[0]);
  signal_pipe = wake[1];
  catch_signals();

  int gate = without_sigpipe(pair[1]);
  int timeout_ms = low_limit() ? NODE_STARTS_WITH_LIMIT_MS : NODE_STARTS_MS, is_started = 0, has_sent_signals = 0;
  int64_t until = monotonic_ms() + timeout_ms;
  struct timeval most = {timeout_ms / 1000, 0};
  setsockopt(gate, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most);
  if (!write_list(gate, 'A', argv) || !write_list(gate, 'E', environ) ||
      !write_go(gate, closed_by_caller[0], closed_by_caller[1], closed_by_caller[2]))
    goto lost;

  for (;;) {
    struct pollfd ready[2] = {{gate, POLLIN, 0}, {wake[0], POLLIN, 0}};
    is_started = is_started || !is_unread(gate);
    if (poll(ready, 2, is_started ? -1 : 200) < 0 && errno != EINTR) goto lost;
    if (!is_started && monotonic_ms() > until && is_unread(gate)) {
      if (node > 0) is_started = end_node(gate, node, has_sent_signals);
      goto lost;
    }
    if (ready[1].revents & POLLIN) {
      unsigned char numbers[64];
      ssize_t n = read(wake[0], numbers, sizeof numbers);
      for (ssize_t i = 0; i < n; i++) write_frame(gate, 'S', &numbers[i], 1);
      has_sent_signals = 1;
    }
    if (!(ready[0].revents & (POLLIN | POLLHUP | POLLERR))) continue;
    /* Node may have read the call, acted and ended since `is_started` was last set. A reset says that Node had not read all frames. After a
     * signal was sent, a reset proves nothing about the call: Node may have read the call, but not the signal. */
    int has_read = is_started || has_sent_signals || !was_reset(gate);
    struct frame frame;
    if (!read_frame(gate, &frame)) {
      is_started = has_read;
      goto lost;
    }
    if (frame.type == 'r' || frame.type == 'n') {
      is_session = 1;
      write_frame(gate, 'T', set_raw(frame.type == 'r') ? "1" : "0", 1);
    } else if (!obey(&frame)) die(EX_SOFTWARE, "the gate sent a frame I do not know", NULL);
  }
lost:
  if (!is_started && node > 0 && is_unread(gate)) kill(node, SIGKILL);
  restore_terminal();
  /* Ctrl-C and hang-up also reach Node, and end a Node that does not catch these signals yet. The same signal then ends this process. */
  if (last_signal) die_by_signal(last_signal);
  const char *limit = low_limit();
  fprintf(stderr, "%s: %s%s%s\n", program, what_is_known(argc, argv, is_started), limit ? "; " : "", limit ? limit : "");
  _exit(EX_SOFTWARE);
}
