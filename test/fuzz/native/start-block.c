/* Fuzzes the start block that the leader reads. */
#include "target.h"
#include "../../../bin/pty-leader.c"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  static FILE *silent;
  struct start start = {NULL, NULL, NULL, NULL};
  if (!silent && !(silent = freopen("/dev/null", "w", stderr))) abort();
  int fd = file_with(bytes, length);
  if (!setjmp(input_end)) {
    size_t sum = strlen(start.directory ? start.directory : "");
    read_start(fd, &start);
    sum += strlen(start.directory) + strlen(start.file);
    for (char **at = start.arguments; *at; at++) sum += strlen(*at);
    for (char **at = start.environment; *at; at++) sum += strlen(*at);
    if (sum >= length) abort();
    free(start.arguments), free(start.environment), free(start.directory);
  }
  close(fd);
  (void)source_main;
  return 0;
}
