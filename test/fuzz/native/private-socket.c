/* Fuzzes the paths of our sockets, and lists of strings. Input: the size of the buffer, four variables, a path, then a list to send. */
#include "target.h"
#include "../../../bin/private-socket.h"

#define MAX_STRINGS 64

extern char **environ;

static void check_path(int (*find)(char *, size_t), size_t size) {
  char *out = malloc(size); /* of exactly this size, so that the sanitizer notices an access beyond it */
  if (!out) abort();
  if (find(out, size) && (*out != '/' || strlen(out) >= size)) abort();
  free(out);
}

/* Checks that a list arrives with the same strings as it was sent. */
static void check_list(char *const *list, size_t count) {
  int ends[2];
  struct frame frame;
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) || !write_list(ends[0], 'L', list) || !read_frame(ends[1], &frame)) abort();
  char *at = frame.payload, *end = at + frame.length;
  if (frame.type != 'L' || count_strings(at, end) != count) abort();
  for (size_t i = 0; i < count; i++) {
    const char *string = next_string(&at, end);
    if (!string || strcmp(string, list[i]) != 0) abort();
  }
  if (at != end) abort();
  free(frame.payload);
  close(ends[0]), close(ends[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  static const char *const NAMES[] = {"APES_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME", "HOME"};
  char *text = calloc(length + 1, 1), *list[MAX_STRINGS + 1] = {NULL};
  if (!text) abort();
  memcpy(text, bytes, length);
  size_t size = length ? 1 + bytes[0] * 17u : 1, count = 0;
  for (char *at = text + 1; at < text + length && count < MAX_STRINGS; at += strlen(at) + 1) list[count++] = at;
  clearenv();
  for (size_t i = 0; i < 4 && i < count; i++)
    if (*list[i] != '-' && setenv(NAMES[i], list[i], 1)) abort();
  check_path(state_directory, size);
  check_path(run_directory, size);
  if (count > 4) {
    int fd = connect_private(list[4], 10);
    if (fd >= 0) abort(); /* nothing listens there */
  }
  check_list(list, count);
  clearenv();
  free(text);
  (void)unnamed_file;
  return 0;
}
