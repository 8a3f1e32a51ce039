/*
 * For all targets. A target includes a source of bin/ and renames its `main`. Where this source would end the process, only the present
 * input ends, and the memory that the source has allocated is not freed.
 */
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static jmp_buf input_end;
__attribute__((noreturn)) static void end_input(int status) { longjmp(input_end, status ? status : 1); }
#define _exit end_input
#define main source_main

/* Returns the descriptor of an open file with these bytes, positioned at its start. */
__attribute__((unused)) static int file_with(const uint8_t *bytes, size_t length) {
  int fd = memfd_create("input", MFD_CLOEXEC);
  if (fd < 0 || write(fd, bytes, length) != (ssize_t)length || lseek(fd, 0, SEEK_SET) != 0) abort();
  return fd;
}
