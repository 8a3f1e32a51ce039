/* Fuzzes the frames that the launcher reads from Node, from the resident gate and from a session. */
#include "target.h"
#include "../../../bin/private-socket.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  int fd = file_with(bytes, length);
  size_t sum = 0;
  for (struct frame frame; read_frame(fd, &frame); free(frame.payload)) {
    if (frame.payload[frame.length] != 0) abort();
    sum += strlen(frame.payload);
  }
  close(fd);
  (void)connect_private, (void)run_directory, (void)unnamed_file, (void)write_frame, (void)write_list;
  return (int)(sum & 0);
}
