/* Confines the process for the tracer, as the launcher and bash's loadable builtin do between fork and exec. */
#define _GNU_SOURCE
#include "confinement.h"
#include "confine-self.h"

int confine_self(const char *profile, size_t size) {
  struct confinement confinement;
  struct confinement_fault fault;
  char *copy = malloc(size + 1);
  if (!copy) return 0;
  memcpy(copy, profile, size);
  if (open_confinement(&confinement, copy, size, &fault)) {
    allow_standard_descriptors(&confinement);
    if (enter_confinement(&confinement, &fault)) return 1;
  }
  print_confinement_fault("trace-calls", &fault);
  return 0;
}
