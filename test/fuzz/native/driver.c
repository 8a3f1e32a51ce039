/*
 * driver SEED RUNS FILE…: calls LLVMFuzzerTestOneInput, the entry of a target beside this file, with mutations of the files. It
 * keeps an input that reaches new code, and mutates it further (-fsanitize-coverage=trace-pc). The same seed makes the same
 * inputs. If a sanitizer ends the process, the input is in the file `crash` of the current directory.
 *
 * The entry is that of libFuzzer, which only clang has: clang -fsanitize=fuzzer,address,undefined TARGET.c -Ibin
 */
#include <fcntl.h>
#include <sanitizer/common_interface_defs.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_INPUT 4096
#define MAX_KEPT 4096
#define MAP_BITS 16

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);
void __sanitizer_cov_trace_pc(void);

struct input {
  size_t length;
  uint8_t bytes[MAX_INPUT];
};

static struct input *kept[MAX_KEPT], now;
static size_t kept_count = 0, reached = 0;
static uint8_t map[1 << MAP_BITS];
static int is_new = 0;
static uintptr_t before = 0;
static uint64_t state;

/* Marks each edge between two places of the target. Addresses are relative to the entry, because each process has the program elsewhere. */
void __sanitizer_cov_trace_pc(void) {
  uintptr_t here = (uintptr_t)__builtin_return_address(0) - (uintptr_t)LLVMFuzzerTestOneInput;
  size_t at = ((here >> 1) * 0x9e3779b97f4a7c15u ^ before * 0xc2b2ae3d27d4eb4fu) >> (64 - MAP_BITS);
  before = here;
  if (map[at]) return;
  map[at] = 1;
  reached++;
  is_new = 1;
}

/* xorshift64* */
static uint64_t draw(uint64_t below) {
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return (state * 0x2545f4914f6cdd1dULL >> 16) % below;
}

static void keep(const struct input *input) {
  struct input *copy = kept_count < MAX_KEPT ? malloc(sizeof *copy) : NULL;
  if (!copy) return;
  memcpy(copy, input, sizeof *copy);
  kept[kept_count++] = copy;
}

static void save(void) {
  int fd = open("crash", O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (fd >= 0 && write(fd, now.bytes, now.length) == (ssize_t)now.length) close(fd);
}

static void insert(size_t at, const uint8_t *bytes, size_t length) {
  if (now.length + length > MAX_INPUT) length = MAX_INPUT - now.length;
  memmove(now.bytes + at + length, now.bytes + at, now.length - at);
  memcpy(now.bytes + at, bytes, length);
  now.length += length;
}

static void mutate(void) {
  static const uint8_t BOUNDARIES[] = {0, 1, 0x7f, 0x80, 0xff, '0', '9', '-', '.', '=', '/', '"', '\\', '\n', '{', '}', 0x1b};
  static const uint32_t LENGTHS[] = {0, 1, 2, 0x7f, 0xff, 0x100, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff};
  size_t at = (size_t)draw(now.length + 1), left = now.length - at;
  size_t length = (size_t)draw((left < 32 ? left : 32) + 1);
  uint8_t copied[64];
  switch (draw(8)) {
  case 0: if (left) now.bytes[at] ^= (uint8_t)(1u << draw(8)); break;
  case 1: if (left) now.bytes[at] = BOUNDARIES[draw(sizeof BOUNDARIES)]; break;
  case 2:
    memmove(now.bytes + at, now.bytes + at + length, left - length);
    now.length -= length;
    break;
  case 3:
    memcpy(copied, now.bytes + at, length);
    insert((size_t)draw(now.length + 1), copied, length);
    break;
  case 4: insert(at, BOUNDARIES + draw(sizeof BOUNDARIES), 1); break;
  case 5: {
    uint32_t value = LENGTHS[draw(sizeof LENGTHS / sizeof *LENGTHS)];
    for (size_t i = 0; i < 4 && i < left; i++) now.bytes[at + i] = (uint8_t)(value >> (24 - 8 * i));
    break;
  }
  case 6: now.length = at; break;
  default: {
    const struct input *other = kept[draw(kept_count)];
    size_t from = (size_t)draw(other->length + 1);
    insert(at, other->bytes + from, other->length - from);
  }
  }
}

static void run(void) {
  uint8_t *exact = malloc(now.length ? now.length : 1); /* of exactly this size, so that the sanitizer notices an access beyond the input */
  if (!exact) exit(1);
  memcpy(exact, now.bytes, now.length);
  is_new = 0;
  before = 0;
  LLVMFuzzerTestOneInput(exact, now.length);
  free(exact);
  if (is_new) keep(&now);
}

int main(int argc, char **argv) {
  if (argc < 4) return 64;
  state = strtoull(argv[1], NULL, 10) * 2 + 1;
  long runs = atol(argv[2]);
  __sanitizer_set_death_callback(save);
  for (int i = 3; i < argc; i++) {
    int fd = open(argv[i], O_RDONLY);
    ssize_t length = fd < 0 ? -1 : read(fd, now.bytes, sizeof now.bytes);
    if (length < 0) return 66;
    close(fd);
    now.length = (size_t)length;
    keep(&now);
    run();
  }
  for (long i = 0; i < runs; i++) {
    memcpy(&now, kept[draw(kept_count)], sizeof now);
    for (uint64_t left = 1 + draw(6); left > 0; left--) mutate();
    run();
  }
  printf("%ld runs, %zu inputs kept, %zu edges\n", runs, kept_count, reached);
  return 0;
}
