/* Fuzzes the input of `leash` on its control descriptor: an environment, then a profile. */
#include "target.h"
#include "../../../bin/leash.c"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  struct confinement confinement = {.ruleset = -1};
  struct confinement_fault fault;
  char **volatile list = NULL;
  char *volatile profile = NULL;
  static FILE *silent;
  if (!silent && !(silent = freopen("/dev/null", "w", stderr))) abort();
  int fd = file_with(bytes, length);
  if (dup2(fd, CONTROL_DESCRIPTOR) < 0) abort();
  if (fd != CONTROL_DESCRIPTOR) close(fd);
  if (!setjmp(input_end)) {
    size_t count = 0, size;
    for (list = read_environment(); list[count]; count++)
      if (strlen(list[count]) > length) abort();
    profile = read_profile(&size);
    if (size > 0 && open_confinement(&confinement, profile, size, &fault) && profile[size - 1] != 0) abort();
    close_confinement(&confinement);
  }
  if (list) free(list[0]), free(list);
  free(profile);
  (void)source_main;
  return 0;
}
