/*
 * pump: carries bulk output from the private pseudo-terminal to the person's terminal, so that Node sleeps meanwhile. It is
 * started when bulk output begins, and ends with it.
 *
 *   3  master of the pseudo-terminal; does not block, and must stay so: Node has the same open file
 *   4  the person's terminal
 *   5  the copy for Node: at the end a little more than the last MiB; of what came before, only the pieces that may switch the
 *      terminal's modes or set its title
 *   6  the line to Node: what was read and could not be shown goes here at the end; end of file on it, or any byte, asks for the
 *      pseudo-terminal back
 *
 * It ends when no output came for a while, when Node asks for it, when Node is gone, when the pseudo-terminal is over, and when
 * the person's terminal fails: Node then sees the same and handles it. It never waits for the terminal alone: a stopped one
 * (Ctrl-S) holds up only the program that prints. What the terminal does not take stays in the kernel.
 *
 * Exit: 0, or 71 when it cannot do its work at all (then it read nothing).
 */
#include "base.h"
#include <sys/select.h>

#define MASTER 3
#define TERMINAL 4
#define COPY 5
#define LINE 6

/* More than Node keeps (src/session/screen/screen-mirror.ts), so that what comes after a gap pushes out what Node has from before it. */
#if !defined(BLOCK_BYTES) /* a small one under test: test/fuzz/native/pump.c */
#define BLOCK_BYTES (1u << 16)
#endif
#define BLOCKS 18
#define RING_BYTES (BLOCKS * BLOCK_BYTES)
/* Read and not shown. */
#define MAX_WAITING BLOCK_BYTES
/* Shorter than what a person notices, longer than what a busy machine makes a program wait. */
#define END_PAUSE_US 250000

static char ring[RING_BYTES];
/* Bytes since the start: copied <= taken, shown <= taken. Those from `copied` on, and from `shown` on, are in the ring. */
static unsigned long long taken = 0, shown = 0, copied = 0;
static int wanted_blocks = 0;

static int is_nothing_yet(void) { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

/* The same terminal as an open file of our own: whether it blocks then concerns no other process. */
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

/* The bytes from `at` on that lie in one piece, up to the end of their block. */
static size_t piece(unsigned long long at, unsigned long long end) {
  unsigned long long stop = (at / BLOCK_BYTES + 1) * BLOCK_BYTES;
  return (size_t)((stop < end ? stop : end) - at);
}

static void give(int fd, unsigned long long at, unsigned long long end) {
  for (size_t length; at < end; at += length) {
    length = piece(at, end);
    if (!write_whole(fd, ring + at % RING_BYTES, length)) _exit(0); /* Node is gone */
  }
}

__attribute__((noreturn)) static void give_back(void) {
  give(COPY, copied, taken);
  give(LINE, shown, taken);
  _exit(0);
}

/* Whether the block has, or may have begun, a sequence that src/session/screen/terminal-modes.ts looks for. */
static int has_mode(const char *block) {
  const char *end = block + BLOCK_BYTES, *at = block;
  while ((at = memchr(at, 0x1b, (size_t)(end - at)))) {
    at++;
    if (at == end || *at == ']' || *at == 'c') return 1;
    if (*at == '[' && (at + 1 == end || strchr("?<=>!", at[1]))) return 1;
  }
  return 0;
}

/* The oldest block makes room. A sequence may go on in the next one. */
static void drop_block(void) {
  unsigned long long end = (copied / BLOCK_BYTES + 1) * BLOCK_BYTES;
  if (copied % BLOCK_BYTES == 0 && has_mode(ring + copied % RING_BYTES)) wanted_blocks = 2;
  if (wanted_blocks > 0 && wanted_blocks--) give(COPY, copied, end);
  copied = end;
}

/* Reads what there is; 0 at the end of the pseudo-terminal. */
static int take(void) {
  while (taken - shown < MAX_WAITING) {
    if (taken % BLOCK_BYTES == 0 && taken - copied > RING_BYTES - BLOCK_BYTES) drop_block();
    ssize_t n = read(MASTER, ring + taken % RING_BYTES, piece(taken, taken + BLOCK_BYTES));
    if (n <= 0) return n < 0 && is_nothing_yet();
    taken += (size_t)n;
  }
  return 1;
}

/* Shows what the terminal takes without waiting; 0 when it failed. */
static int show(int terminal) {
  while (shown < taken) {
    ssize_t n = write(terminal, ring + shown % RING_BYTES, piece(shown, taken));
    if (n <= 0) return n < 0 && is_nothing_yet();
    shown += (size_t)n;
  }
  return 1;
}

/* 0 when nothing came for so long that the bulk output is over, or when Node asks for the pseudo-terminal back. */
static int wait_for_more(int terminal) {
  int is_stopped = shown < taken, n;
  do {
    struct timeval most = {0, END_PAUSE_US};
    fd_set readable, writable;
    FD_ZERO(&readable);
    FD_ZERO(&writable);
    FD_SET(LINE, &readable);
    if (taken - shown < MAX_WAITING) FD_SET(MASTER, &readable);
    if (is_stopped) FD_SET(terminal, &writable);
    n = select(terminal + 1, &readable, &writable, NULL, is_stopped ? NULL : &most);
    if (n > 0 && FD_ISSET(LINE, &readable)) return 0;
  } while (n < 0 && errno == EINTR);
  return n > 0;
}

int main(void) {
  for (int fd = MASTER; fd <= LINE; fd++)
    if (fcntl(fd, F_GETFD) < 0) {
      fprintf(stderr, "pump: started by ape-shell only\n");
      return EX_USAGE;
    }
  /* What ends Node ends this program; a signal to the whole group must not cost what was taken. */
  const int ignored[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE};
  for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) signal(ignored[i], SIG_IGN);
  int terminal = reopen(TERMINAL);
  if (terminal < 0 || !(fcntl(MASTER, F_GETFL) & O_NONBLOCK)) return EX_OSERR;
  while (take() && show(terminal) && wait_for_more(terminal)) {
  }
  give_back();
}
