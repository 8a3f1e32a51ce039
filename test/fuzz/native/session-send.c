/* Fuzzes bin/session-send.h. Input: the words of the call, each ended by NUL, then an empty word, then the answer of the session's process. */
#include "target.h"
#include "host.h"
static char printed[1 << 13];
static size_t printed_length;
static int print(int fd, const void *bytes, size_t length) {
  if ((fd != 1 && fd != 2) || length > sizeof printed - printed_length) abort();
  memcpy(printed + printed_length, bytes, length);
  printed_length += length;
  return 1;
}
#define write_whole print
#include "../../../bin/session-send.h"

#define MAX_WORDS 16

/* Reads the answer again; aborts if the printed bytes or the exit status differ from it. */
static void check_answer(const uint8_t *at, size_t left, int status) {
  size_t shown = 0;
  while (left >= 5 && length_in(at + 1) <= left - 5) {
    size_t length = length_in(at + 1);
    if (*at == 'q' && length == 1) {
      if (status != (at[5] ? at[5] : 1) || shown != printed_length) abort(); /* end_input() in target.h turns status 0 into 1 */
      return;
    }
    if (*at != 'o' && *at != 'e') break;
    if (shown + length > printed_length || memcmp(printed + shown, at + 5, length) != 0) abort();
    shown += length, at += 5 + length, left -= 5 + length;
  }
  if (status || shown != printed_length) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  static char *volatile text;
  char *words[MAX_WORDS + 2] = {"apes"}, *at;
  int count = 1;
  place_record();
  if (!(text = calloc(length + 2, 1))) abort();
  memcpy(text, bytes, length);
  for (at = text; *at && count <= MAX_WORDS; at += strlen(at) + 1) words[count++] = at;
  host_answer = (const uint8_t *)at + 1;
  host_answer_length = at < text + length ? (size_t)(text + length - at - 1) : 0;
  printed_length = 0;
  char **volatile next = words;
  int status = setjmp(input_end);
  if (status == 0) next = send_without_node(count, words);
  if (host_end >= 0) {
    struct frame frame;
    struct message message;
    if (!read_message(count, words, &message) || !host_was_sent(&frame)) abort();
    if (!has_pair(&frame, "request", "deliver") || !has_pair(&frame, "mode", message.mode)) abort();
    if (!has_pair(&frame, "session", message.session) || !has_pair(&frame, "text", message.text)) abort();
    if (message.via && !has_pair(&frame, "via", message.via)) abort();
    if (!status && (next == words || strcmp(next[2], "silent") != 0)) abort(); /* the message was sent: any other call of Node than "silent" would send it again */
    check_answer(host_answer, host_answer_length, status);
    free(frame.payload);
    host_end = -1;
  } else if (status || next != words || printed_length) abort();
  close_from(3);
  free(text);
  return 0;
}
