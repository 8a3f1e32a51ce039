/*
 * For the targets of calls to the host of a session. One end of a pair of sockets takes the place of the connection, and the answer is
 * already written to it. A directory has the record of one session.
 */
#include "../../../bin/session-record.h"

static int host_end = -1;
static const uint8_t *host_answer;
static size_t host_answer_length;

__attribute__((unused)) static int connect_host(const char *path, int most_ms) {
  int ends[2];
  (void)most_ms;
  if (strcmp(path, "/run/host.sock") != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) abort();
  if (send(ends[1], host_answer, host_answer_length, 0) != (ssize_t)host_answer_length || shutdown(ends[1], SHUT_WR)) abort();
  host_end = ends[1];
  return ends[0];
}
#define connect_private connect_host

/* Writes the record of a session with the id s_1 and the name `fix` below the current directory. */
__attribute__((unused)) static void place_record(void) {
  static char directory[PATH_MAX];
  static const char record[] = "socket=/run/host.sock\0name=fix";
  if (*directory) return;
  if (!getcwd(directory, sizeof directory)) abort();
  mkdir("run", 0700), mkdir("run/sessions", 0700);
  int fd = open("run/sessions/s_1.live", O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (fd < 0 || !write_whole(fd, record, sizeof record)) abort();
  close(fd);
  clearenv();
  if (setenv("APES_HOME", directory, 1)) abort();
}

/* Reads the list that was sent to the host. Returns 0 if nothing was sent, or not the whole list. */
__attribute__((unused)) static int host_was_sent(struct frame *frame) {
  int is_whole = read_frame(host_end, frame);
  char more;
  if (is_whole && (frame->type != 'L' || recv(host_end, &more, 1, MSG_DONTWAIT) > 0)) abort();
  return is_whole;
}

__attribute__((unused)) static int has_pair(const struct frame *frame, const char *key, const char *value) {
  const char *said = value_in(frame->payload, frame->length, key);
  return said && strcmp(said, value) == 0;
}
