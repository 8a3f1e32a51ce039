/* The gate's answer, as the guard of a harness's hooks looks at it. */
#include "target.h"
#include "../../../bin/hook-guard.c"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  char *volatile answer = NULL;
  static FILE *silent;
  if (!silent && !(silent = freopen("/dev/null", "w", stderr))) abort();
  int fd = file_with(bytes, length);
  if (!setjmp(input_end)) {
    size_t read_length;
    answer = read_answer(fd, now_ms() + 1000, &read_length);
    if (read_length != length || memcmp(answer, bytes, length) != 0) abort();
    int is_answer = is_object(answer, length);
    if (is_answer && (!memchr(bytes, '{', length) || !memchr(bytes, '}', length))) abort();
  }
  free(answer);
  close(fd);
  (void)source_main;
  return 0;
}
