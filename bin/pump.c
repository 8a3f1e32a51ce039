/*
 * pump: carries bulk output from the private pseudo-terminal to the person's terminal while Node sleeps. Node starts the pump when
 * bulk output begins; the pump ends with the bulk output.
 *
 *   3  the master of the pseudo-terminal. It must be and stay non-blocking: Node uses the same open file description
 *   4  the person's terminal
 *   5  the copy of the output for Node. The copy contains a little more than the last MiB. The copy contains a block of earlier output
 *      only if this block, or the block before it, may switch the terminal's modes or set the terminal's title
 *   6  the channel to Node. Before the pump ends, it writes the rest of the output to this channel: output that the pump has read, but
 *      has not shown. To ask for the pseudo-terminal back, Node closes its end of the channel or writes any byte
 *
 * The pump ends if no output came for a while, if Node asks for the pseudo-terminal back, if Node has ended, if the
 * pseudo-terminal is closed, or if the person's terminal fails. In the last two cases, Node then notices the same failure itself, and
 * handles it. If the terminal takes no output (Ctrl-S), the pump soon stops reading (MAX_WAITING). Further output stays in the kernel. So
 * the program that prints has to wait. Node does not have to wait: it can still ask for the pseudo-terminal back.
 *
 * Exit: 0; 71 if the pump cannot start its work, 64 if a descriptor is missing. With 71 and 64 the pump has read nothing.
 */
#include "base.h"
#include <sys/select.h>

#define MASTER 3
#define TERMINAL 4
#define COPY 5
#define NODE 6

/*
 * If the pump drops output, the copy has a gap. The ring holds more output than Node keeps (src/session/screen/screen-mirror.ts). So the
 * copy after the last gap is longer than the output that Node keeps, and Node keeps nothing from before a gap.
 */
#if !defined(BLOCK_BYTES) /* the fuzz test sets a smaller size: test/fuzz/native/pump.c */
#define BLOCK_BYTES (1u << 16)
#endif
#define BLOCKS 18
#define RING_BYTES (BLOCKS * BLOCK_BYTES)
/* If this many bytes or more are read and not yet shown, the pump stops reading. */
#define MAX_WAITING BLOCK_BYTES
/* A pause of this length ends the bulk output. A person does not notice such a pause. A busy machine rarely delays a program for longer. */
#define END_PAUSE_US 250000

static char ring[RING_BYTES];
/*
 * Counts of bytes since the start. `taken`: read. `shown`: written to the terminal. `copied`: copied to Node or dropped.
 * copied <= taken and shown <= taken. The ring has the bytes from `copied` to `taken`, and from `shown` to `taken`.
 */
static unsigned long long taken = 0, shown = 0, copied = 0;
static int wanted_blocks = 0; /* how many of the next blocks that leave the ring are copied to Node */

static int is_nothing_yet(void) { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

/* Opens the terminal again, non-blocking. The open file description of `fd` must stay blocking: other processes share it. */
static int reopen(int fd) {
#if defined(__linux__)
  char name[32];
  snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
#else
  const char *name = ttyname(fd);
  if (!name) return -1;
#endif
  return isatty(fd) ? open(name, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1;
}

/* Returns the number of bytes from `at` to the end of the block of `at`, or to `end` if `end` comes first. */
static size_t piece(unsigned long long at, unsigned long long end) {
  unsigned long long stop = (at / BLOCK_BYTES + 1) * BLOCK_BYTES;
  return (size_t)((stop < end ? stop : end) - at);
}

/* Writes the bytes of the ring from `at` to `end`; ends the pump if Node is gone. */
static void give(int fd, unsigned long long at, unsigned long long end) {
  for (size_t length; at < end; at += length) {
    length = piece(at, end);
    if (!write_whole(fd, ring + at % RING_BYTES, length)) _exit(0);
  }
}

__attribute__((noreturn)) static void give_back(void) {
  give(COPY, copied, taken);
  give(NODE, shown, taken);
  _exit(0);
}

/* Whether the block may contain a sequence that src/session/screen/terminal-modes.ts looks for, or the beginning of such a sequence. */
static int has_mode(const char *block) {
  const char *end = block + BLOCK_BYTES, *at = block;
  while ((at = memchr(at, 0x1b, (size_t)(end - at)))) {
    at++;
    if (at == end || *at == ']' || *at == 'c') return 1;
    if (*at == '[' && (at + 1 == end || strchr("?<=>!", at[1]))) return 1;
  }
  return 0;
}

/*
 * Drops the oldest block of the ring. If has_mode() finds a sequence in the block, Node gets a copy of this block and of the next block.
 * The sequence may go on in the next block.
 */
static void drop_block(void) {
  unsigned long long end = (copied / BLOCK_BYTES + 1) * BLOCK_BYTES;
  if (copied % BLOCK_BYTES == 0 && has_mode(ring + copied % RING_BYTES)) wanted_blocks = 2;
  if (wanted_blocks > 0) {
    wanted_blocks--;
    give(COPY, copied, end);
  }
  copied = end;
}

/* Reads until there is no more output, or until MAX_WAITING bytes wait to be shown. Returns 0 if the pseudo-terminal is closed. */
static int take(void) {
  while (taken - shown < MAX_WAITING) {
    if (taken % BLOCK_BYTES == 0 && taken - copied > RING_BYTES - BLOCK_BYTES) drop_block();
    ssize_t n = read(MASTER, ring + taken % RING_BYTES, piece(taken, taken + BLOCK_BYTES));
    if (n <= 0) return n < 0 && is_nothing_yet();
    taken += (size_t)n;
  }
  return 1;
}

/* Writes output until the terminal takes no more without waiting. Returns 0 if the terminal fails. */
static int show(int terminal) {
  while (shown < taken) {
    ssize_t n = write(terminal, ring + shown % RING_BYTES, piece(shown, taken));
    if (n <= 0) return n < 0 && is_nothing_yet();
    shown += (size_t)n;
  }
  return 1;
}

/* Waits until the pump can read or show more. Returns 0 if the bulk output is over, or if Node asks for the pseudo-terminal back. */
static int wait_for_more(int terminal) {
  int is_stopped = shown < taken; /* the terminal takes no more now */
  int n;
  do {
    struct timeval most = {0, END_PAUSE_US};
    fd_set readable, writable;
    FD_ZERO(&readable);
    FD_ZERO(&writable);
    FD_SET(NODE, &readable);
    if (taken - shown < MAX_WAITING) FD_SET(MASTER, &readable);
    if (is_stopped) FD_SET(terminal, &writable);
    n = select(terminal + 1, &readable, &writable, NULL, is_stopped ? NULL : &most);
    if (n > 0 && FD_ISSET(NODE, &readable)) return 0;
  } while (n < 0 && errno == EINTR);
  return n > 0;
}

int main(void) {
  for (int fd = MASTER; fd <= NODE; fd++)
    if (fcntl(fd, F_GETFD) < 0) {
      fprintf(stderr, "pump: started by ape-shell only\n");
      return EX_USAGE;
    }
  /* A signal to the process group must not lose output that was read. The pump needs no signal: it ends when Node ends. */
  const int ignored[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE};
  for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) signal(ignored[i], SIG_IGN);
  int terminal = reopen(TERMINAL);
  if (terminal < 0 || !(fcntl(MASTER, F_GETFL) & O_NONBLOCK)) return EX_OSERR;
  while (take() && show(terminal) && wait_for_more(terminal)) {
  }
  give_back();
}
