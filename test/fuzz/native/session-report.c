/* Fuzzes bin/session-report.h. Input: the session, the harness, the event, the length of the host's answer, this answer, the report. */
#include "target.h"
#include "host.h"
static char *read_bytes;
static struct input keep_input(int fd, size_t most, int64_t until_ms) {
  struct input input = read_input(fd, most, until_ms);
  read_bytes = input.bytes;
  return input;
}
#define read_input keep_input
#include "../../../bin/session-report.h"

static void check_given_back(const uint8_t *said, size_t length) {
  char *again = malloc(length + 1);
  if (!again || read(0, again, length + 1) != (ssize_t)length || memcmp(again, said, length) != 0) abort();
  free(again);
}

static void check_sent(const uint8_t *said, size_t length, char **words, int is_taken) {
  struct frame frame;
  int is_sent = host_was_sent(&frame);
  if (is_taken && (!is_sent || host_answer_length < 6 || memcmp(host_answer, "q\0\0\0\1\0", 6) != 0)) abort();
  if (!is_sent) return;
  const char *fields = value_in(frame.payload, frame.length, "fields");
  if (!has_pair(&frame, "request", "report") || !has_pair(&frame, "harness", words[3])) abort();
  if (words[4] && !has_pair(&frame, "event", words[4])) abort();
  if (!fields || strlen(fields) != length || memcmp(fields, said, length) != 0) abort();
  free(frame.payload);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  static FILE *silent;
  static char *own[] = {"apes", "hooks", "report", NULL, NULL, NULL};
  static char *volatile text;
  static const uint8_t *volatile said;
  static volatile size_t said_length;
  if (!silent && !(silent = freopen("/dev/null", "w", stderr))) abort();
  place_record();
  if (!(text = calloc(length + 1, 1))) abort();
  memcpy(text, bytes, length);
  char *at = text, *end = text + length;
  const char *session = next_string(&at, end);
  own[3] = session ? next_string(&at, end) : NULL;
  own[4] = own[3] ? next_string(&at, end) : NULL;
  size_t left = (size_t)(end - at);
  if (!own[4] || left < 1) return free(text), 0;
  if (!*own[4]) own[4] = NULL;
  host_answer_length = (uint8_t)*at < left ? (uint8_t)*at : left - 1;
  host_answer = (const uint8_t *)at + 1;
  said = host_answer + host_answer_length;
  said_length = (size_t)((const uint8_t *)end - said);
  setenv("APES_SESSION", session, 1);
  int fd = file_with(said, said_length), ended = setjmp(input_end);
  if (ended == 0) {
    if (dup2(fd, 0) != 0) abort();
    close(fd);
    report_without_node(own[4] ? 5 : 4, own);
    check_given_back(said, said_length);
  }
  if (host_end >= 0) check_sent(said, said_length, own, ended != 0);
  else if (ended) abort();
  host_end = -1;
  close_from(3);
  free(read_bytes), read_bytes = NULL;
  free(text);
  return 0;
}
