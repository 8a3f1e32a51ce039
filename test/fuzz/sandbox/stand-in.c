/* Stands in for every program: records its arguments and ends. It calls write(2) once for a record, so that records do not mix. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
  size_t size = 32;
  for (int i = 0; i < argc; i++) size += strlen(argv[i]) + 1;
  char *record = malloc(size), *at = record;
  if (!record) return 70;
  at += sprintf(at, "P%c%d%c", 0, argc, 0);
  for (int i = 0; i < argc; i++) {
    size_t length = strlen(argv[i]) + 1;
    memcpy(at, argv[i], length);
    at += length;
  }
  int log = open(LOG, O_WRONLY | O_APPEND);
  if (log < 0 || write(log, record, (size_t)(at - record)) != at - record) return 70;
  /* The output becomes words of `$(…)`, so it is harmless and has more than one word. */
  close(log); /* `log` is descriptor 1 if the line has closed its standard output */
  if (write(1, "out put\n", 8) < 0) return 0;
  return 0;
}
