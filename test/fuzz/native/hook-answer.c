/* Fuzzes the answer of the gate that the hook guard reads. */
#include "target.h"
#include "../../../bin/hook-guard.c"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  char *volatile printed = NULL;
  static FILE *silent;
  if (!silent && !(silent = freopen("/dev/null", "w", stderr))) abort();
  int fd = file_with(bytes, length);
  if (!setjmp(input_end)) {
    size_t counted = 0;
    struct input output = read_output(fd, monotonic_ms() + 1000);
    printed = output.bytes;
    if (output.length != length || memcmp(printed, bytes, length) != 0) abort();
    const char *answer = answer_in(&output, &counted);
    if (answer && (counted == 0 || answer[-1] != '\n' || answer + counted != printed + length || strlen(answer) != counted)) abort();
  }
  free(printed);
  close(fd);
  (void)source_main;
  return 0;
}
