/* Fuzzes the record of a running session that the launcher reads. */
#define APE_NODE "/nonexistent"
#define APE_BUILD "fuzz"
#include "target.h"
#include "../../../bin/launcher.c"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  static char path[64];
  char socket[108];
  size_t read_length = 0;
  if (!*path) {
    snprintf(path, sizeof path, "./record");
    close(open(path, O_WRONLY | O_CREAT, 0600));
  }
  int fd = open(path, O_WRONLY | O_TRUNC);
  if (fd < 0 || write(fd, bytes, length) != (ssize_t)length) abort();
  close(fd);
  char *record = read_record(path, &read_length);
  if (record) {
    if (read_length != length || record[length - 1] != 0) abort();
    if (socket_in(record, length, socket, sizeof socket) && (*socket != '/' || strcmp(socket, value_in(record, length, "socket")) != 0))
      abort();
  }
  free(record);
  (void)source_main;
  return 0;
}
