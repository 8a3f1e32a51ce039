/*
 * `apes hooks report HARNESS [EVENT]` without Node. A harness waits for its hooks at each prompt and around each tool. With Node, the
 * harness would mostly wait for the start of Node.
 *
 * The launcher makes the report on two conditions: APES_SESSION names a running session with a record, and the hook's input has at most
 * MAX_REPORT_BYTES. The launcher sends the input unchanged to the socket of the session (`src/session/protocol.ts`, frame 'L', request
 * `report`). The session's host interprets the input. The launcher exits with 0 in these cases:
 * - The session has accepted the report.
 * - The input does not end, or no answer comes, within REPORT_MS. The launcher writes to the log that no answer came.
 * - There is no memory for the input, or give_back fails.
 *
 * In every other case report_without_node returns, the standard input is as before, and Node makes the report. Examples are a session host
 * of an older version, and input that is not JSON.
 */
#ifndef APE_SESSION_REPORT_H
#define APE_SESSION_REPORT_H
#include "session-record.h"

#define REPORT_MS 2000
/* Node makes the report of longer input. Long input must not keep the session's host busy: the host also serves the terminal. */
#define MAX_REPORT_BYTES (1u << 20)
/* One byte more than the limit in src/cli/hooks/report-here.ts. The extra byte shows Node that the input is too long. */
#define MAX_INPUT_BYTES ((16u << 20) + 1)
#define MAX_LOG_BYTES (1 << 20)

/* Reads the socket's path from the record of a running session, and writes the path to `out`. Returns 0 if this fails. */
static int socket_of(const char *session, char *out, size_t size) {
  char path[PATH_MAX];
  size_t room = sizeof path, length = 0;
  if (!sessions_directory(path, room) || !append(path, room, "/") || !append(path, room, session) || !append(path, room, ".live"))
    return 0;
  char *record = read_record(path, &length);
  int is_found = record && socket_in(record, length, out, size);
  free(record);
  return is_found;
}

/* Sends the report. Returns 1 if the session has accepted it. */
static int send_report(int fd, char **argv, const char *said, size_t length) {
  char harness[96], event[96], *fields = malloc(length + 16);
  if (!fields || memchr(said, 0, length)) return free(fields), 0;
  snprintf(harness, sizeof harness, "harness=%s", argv[3]);
  snprintf(event, sizeof event, "event=%s", argv[4] ? argv[4] : "");
  snprintf(fields, length + 16, "fields=%s", said);
  char *asked[] = {"request=report", harness, fields, argv[4] ? event : NULL, NULL};
  struct frame answer = {0, 0, NULL};
  int is_accepted = write_list(fd, 'L', asked) && read_frame(fd, &answer) && answer.type == 'q' && answer.length == 1 &&
                answer.payload[0] == 0;
  free(answer.payload);
  free(fields);
  return is_accepted;
}

/* Reports the timeout on standard error and in the log, as Node does. The exit status 0 hides the trouble, but the log shows it. */
static void note_trouble(const char *harness) {
  char path[PATH_MAX], line[160];
  time_t now = time(NULL);
  dprintf(2, "apes hooks report: no answer within %d ms\n", REPORT_MS);
  if (!state_directory(path, sizeof path) || !is_private_directory(path) || !append(path, sizeof path, "/hooks.log")) return;
  int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
  struct stat stat;
  if (fd < 0) return;
  if (fstat(fd, &stat) == 0 && stat.st_size > MAX_LOG_BYTES && ftruncate(fd, 0) != 0) _exit(0);
  size_t n = strftime(line, sizeof line, "%Y-%m-%dT%H:%M:%SZ ", gmtime(&now));
  n += (size_t)snprintf(line + n, sizeof line - n, "%s: no answer within %d ms\n", harness, REPORT_MS);
  write_whole(fd, line, n);
}

/* Replaces the standard input by a file that contains the bytes of `said`. Node can then read these bytes again. */
static void give_back(const char *said, size_t length) {
  int fd = unnamed_file();
  if (fd < 0 || !write_whole(fd, said, length) || lseek(fd, 0, SEEK_SET) || dup2(fd, 0) < 0) _exit(0);
  close(fd);
}

static void report_without_node(int argc, char **argv) {
  const char *session = getenv("APES_SESSION");
  char path[PATH_MAX];
  if (argc < 4 || argc > 5 || strcmp(argv[1], "hooks") != 0 || strcmp(argv[2], "report") != 0) return;
  if (!session || !is_plain_word(session) || !is_plain_word(argv[3]) || (argc == 5 && !is_plain_word(argv[4]))) return;
  int64_t over_at = monotonic_ms() + REPORT_MS;
  if (!socket_of(session, path, sizeof path)) return;
  int fd = connect_private(path, REPORT_MS);
  if (fd < 0) return;
  struct input said = read_input(0, MAX_INPUT_BYTES, over_at);
  if (!said.bytes) _exit(0);
  int is_whole = monotonic_ms() < over_at;
  if (is_whole && said.length <= MAX_REPORT_BYTES && send_report(fd, argv, said.bytes, said.length)) _exit(0);
  close(fd);
  if (monotonic_ms() < over_at) return give_back(said.bytes, said.length);
  note_trouble(argv[3]); /* Node does not send the report again: the session may have received the report. */
  _exit(0);
}
#endif
