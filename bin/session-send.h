/*
 * Runs `apes send SESSION TEXT` and `apes nudge SESSION TEXT` without Node. The start of Node would take most of the time.
 *
 * The launcher does not start Node in the plain case: SESSION is the whole name or id of one running session, TEXT is valid UTF-8 on
 * the command line, and the only options are `--json` and `--via`. The session's host (`src/session/host/session-socket.ts`, frame 'L',
 * request `deliver`) delivers the message and answers with the text to print. If the host got the request but does not answer,
 * send_without_node returns the arguments of `apes sessions silent` for Node. If the host did not get the whole request, send_without_node
 * returns argv, and Node sends the message.
 */
#ifndef APE_SESSION_SEND_H
#define APE_SESSION_SEND_H
#include "session-record.h"

#define SEND_CONNECT_MS 10000
/* As in src/session/client/send-client.ts. */
#define SEND_MS 60000

struct message {
  const char *mode, *session, *text, *via;
  int is_json;
};

/* The number of bytes of the UTF-8 character (RFC 3629) that begins here; 0 if no valid character begins here. */
static size_t character_length(const unsigned char *at) {
  if (*at < 0x80) return 1;
  size_t length = *at >= 0xf0 && *at <= 0xf4 ? 4 : *at >= 0xe0 && *at < 0xf0 ? 3 : *at >= 0xc2 && *at < 0xe0 ? 2 : 0;
  for (size_t i = 1; i < length; i++)
    if ((at[i] & 0xc0) != 0x80) return 0;
  if ((*at == 0xe0 && at[1] < 0xa0) || (*at == 0xed && at[1] > 0x9f)) return 0;
  if ((*at == 0xf0 && at[1] < 0x90) || (*at == 0xf4 && at[1] > 0x8f)) return 0;
  return length;
}

static int is_utf8(const char *text) {
  for (const unsigned char *at = (const unsigned char *)text; *at;) {
    size_t length = character_length(at);
    if (length == 0) return 0;
    at += length;
  }
  return 1;
}

/* Reads the arguments into `message`. Returns 0 if the arguments do not fit the plain case. */
static int read_message(int argc, char **argv, struct message *message) {
  if (argc < 4 || (strcmp(argv[1], "send") != 0 && strcmp(argv[1], "nudge") != 0)) return 0;
  *message = (struct message){argv[1], NULL, NULL, NULL, 0};
  for (int i = 2; i < argc; i++) {
    if (strcmp(argv[i], "--json") == 0) message->is_json = 1;
    else if (strcmp(argv[i], "--via") == 0 && i + 1 < argc) message->via = argv[++i];
    else if (argv[i][0] == '-') return 0;
    else if (!message->session) message->session = argv[i];
    else if (!message->text) message->text = argv[i];
    else return 0;
  }
  if (message->via && strcmp(message->via, "api") != 0 && strcmp(message->via, "keys") != 0) return 0;
  return message->text && is_utf8(message->text) && is_plain_word(message->session);
}

/* Returns `key=value`, or NULL if memory ran out. */
static char *pair(const char *key, const char *value) {
  size_t size = strlen(key) + strlen(value) + 2;
  char *text = malloc(size);
  if (text) snprintf(text, size, "%s=%s", key, value);
  return text;
}

/* Sends the request. Returns 0 if the request was not written whole: the host then delivers no message. */
static int ask_to_deliver(int fd, const struct message *message) {
  char *mode = pair("mode", message->mode), *session = pair("session", message->session), *text = pair("text", message->text);
  char via[16];
  snprintf(via, sizeof via, "via=%s", message->via ? message->via : "");
  char *asked[7] = {"request=deliver", mode, session, text};
  size_t count = 4;
  if (message->is_json) asked[count++] = "json=yes";
  if (message->via) asked[count++] = via;
  int is_asked = mode && session && text && write_list(fd, 'L', asked);
  free(mode), free(session), free(text);
  return is_asked;
}

/* The arguments of `apes sessions silent`: this verb only reports that no answer came. The message may have arrived. */
static char **words_of_silence(const struct message *message, int is_late) {
  static char *words[7] = {"apes", "sessions", "silent"};
  words[3] = (char *)message->session;
  words[4] = is_late ? "no answer in time" : "the connection is closed";
  words[5] = message->is_json ? "--json" : NULL;
  return words;
}

/* Exits if the host has answered. Else returns the arguments for Node. */
static char **send_without_node(int argc, char **argv) {
  struct message message;
  char path[PATH_MAX];
  if (!read_message(argc, argv, &message) || !socket_named(message.session, path, sizeof path)) return argv;
  int fd = connect_private(path, SEND_CONNECT_MS);
  if (fd < 0) return argv;
  struct timeval most = {SEND_MS / 1000, 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
  if (!ask_to_deliver(fd, &message)) {
    close(fd);
    return argv;
  }
  errno = 0;
  for (struct frame frame; read_frame(fd, &frame); free(frame.payload)) {
    if (frame.type == 'q' && frame.length == 1) _exit((unsigned char)frame.payload[0]);
    if (!memchr("oe", frame.type, 2)) break;
    signal(SIGPIPE, SIG_IGN); /* a closed output must not change the exit status */
    write_whole(frame.type == 'o' ? 1 : 2, frame.payload, frame.length);
    errno = 0;
  }
  int is_late = errno == EAGAIN || errno == EWOULDBLOCK;
  close(fd);
  return words_of_silence(&message, is_late);
}
#endif
