/*
 * Fuzzes bulk output through `pump`, with small blocks. Input: bytes that set how much each call reads and writes, then the output. The
 * target compares the written bytes, the bytes that are left for Node, and the copy with the output.
 */
#define BLOCK_BYTES 32u
#include "target.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/select.h>
#define MAX_OUTPUT 4096
#define STEPS 16
static struct {
  const uint8_t *steps, *output;
  size_t step, length, at, shown, left, moved;
  int quiet;
  uint8_t copied[MAX_OUTPUT];
} flood;
/* How many bytes the next call reads or writes; 0 means that it would block. */
static size_t next_step(size_t most) {
  size_t step = flood.steps[flood.step++ % STEPS] % 48u;
  return step < most ? step : most;
}
static ssize_t read_flood(int fd, void *bytes, size_t most);
static ssize_t write_flood(int fd, const void *bytes, size_t most);
static int wait_for_flood(fd_set *readable, fd_set *writable);
#define read(fd, bytes, most) read_flood(fd, bytes, most)
#define write(fd, bytes, most) write_flood(fd, bytes, most)
#define select(most, readable, writable, failed, time) wait_for_flood(readable, writable)
#define fcntl(...) O_NONBLOCK
#define isatty(fd) 1
#define open(...) 9
#define signal(number, handler) ((void)0)
#include "../../../bin/pump.c"

static ssize_t read_flood(int fd, void *bytes, size_t most) {
  if (fd != MASTER) abort();
  if (flood.at == flood.length) return 0;
  size_t length = next_step(most < flood.length - flood.at ? most : flood.length - flood.at);
  errno = EAGAIN;
  if (length == 0) return -1;
  memcpy(bytes, flood.output + flood.at, length);
  flood.at += length;
  return (ssize_t)length;
}

/* Checks that the written bytes are those of the output that come next on this descriptor. */
static ssize_t write_flood(int fd, const void *bytes, size_t most) {
  size_t at = fd == 9 ? flood.shown : fd == NODE ? flood.left : (size_t)((const char *)bytes - ring);
  if (fd == COPY) at += (size_t)(copied / RING_BYTES * RING_BYTES), at += at < copied ? RING_BYTES : 0;
  size_t length = fd == 9 ? next_step(most) : most;
  errno = EAGAIN;
  if (length == 0) return -1;
  if (at + length > flood.at || memcmp(bytes, flood.output + at, length) != 0) abort();
  if (fd == 9) flood.left = flood.shown += length;
  if (fd == NODE) flood.left += length;
  if (fd == COPY) memset(flood.copied + at, 1, length);
  return (ssize_t)length;
}

/* Lets Node have input after more than STEPS calls in which no byte moved, which ends `pump`. */
static int wait_for_flood(fd_set *readable, fd_set *writable) {
  size_t moved = flood.at + flood.shown;
  flood.quiet = moved == flood.moved ? flood.quiet + 1 : 0;
  flood.moved = moved;
  FD_ZERO(readable);
  FD_ZERO(writable);
  if (flood.quiet > STEPS) FD_SET(NODE, readable);
  return 1;
}

/* Whether a sequence that switches the terminal's modes begins at this place of the output. */
static int begins_mode(const uint8_t *at, size_t left) {
  if (left < 2 || at[0] != 0x1b) return 0;
  return at[1] == ']' || at[1] == 'c' || (at[1] == '[' && left > 2 && at[2] && strchr("?<=>!", at[2]));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  if (length <= STEPS) return 0;
  memset(&flood, 0, sizeof flood);
  flood.steps = bytes, flood.output = bytes + STEPS, flood.length = length - STEPS;
  taken = shown = copied = 0;
  wanted_blocks = 0;
  if (!setjmp(input_end)) source_main(), abort();
  if (taken != flood.at || shown != flood.shown || flood.left != flood.at) abort();
  for (size_t at = flood.at < RING_BYTES - BLOCK_BYTES ? 0 : flood.at - (RING_BYTES - BLOCK_BYTES); at < flood.at; at++)
    if (!flood.copied[at]) abort(); /* the end of the output, without a gap */
  for (size_t at = 0; at < flood.at; at++) {
    size_t end = (at / BLOCK_BYTES + 2) * BLOCK_BYTES;
    if (!begins_mode(flood.output + at, flood.at - at)) continue;
    for (size_t i = at; i < end && i < flood.at; i++)
      if (!flood.copied[i]) abort(); /* the sequence, up to the end of the next block */
  }
  return 0;
}
