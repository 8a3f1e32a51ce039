/*
 * Private Unix-domain sockets of this user, and the frames on these sockets. A frame is one type byte, the length in 4 bytes (big endian),
 * and the payload.
 */
#ifndef APE_PRIVATE_SOCKET_H
#define APE_PRIVATE_SOCKET_H
#include "base.h"
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>

#ifndef MSG_NOSIGNAL /* macOS has SO_NOSIGPIPE instead */
#define MSG_NOSIGNAL 0
#endif

static int without_sigpipe(int fd) {
#if defined(SO_NOSIGPIPE)
  int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#endif
  return fd;
}

/* Like write_whole of base.h, but raises no SIGPIPE if the peer has closed the socket. */
static int send_whole(int fd, const void *bytes, size_t length) {
  for (size_t at = 0; at < length;) {
    ssize_t n = send(fd, (const char *)bytes + at, length - at, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return 0;
    at += (size_t)n;
  }
  return 1;
}

static int write_frame(int fd, char type, const void *payload, size_t length) {
  unsigned char head[5] = {(unsigned char)type, (unsigned char)(length >> 24), (unsigned char)(length >> 16),
                           (unsigned char)(length >> 8), (unsigned char)length};
  return send_whole(fd, head, sizeof head) && send_whole(fd, payload, length);
}

/* Writes a frame whose payload is the strings of the list, each with its NUL. */
static int write_list(int fd, char type, char *const *list) {
  size_t total = 0;
  for (char *const *s = list; *s; s++) total += strlen(*s) + 1;
  char *block = malloc(total ? total : 1), *at = block;
  if (!block) return 0;
  for (char *const *s = list; *s; s++) {
    size_t n = strlen(*s) + 1;
    memcpy(at, *s, n);
    at += n;
  }
  int is_written = write_frame(fd, type, block, total);
  free(block);
  return is_written;
}

struct frame {
  char type;
  size_t length;
  char *payload; /* a NUL follows the payload */
};

/* In bytes. Our own frames are always shorter. So a frame with a greater length is malformed. */
#define MAX_FRAME (64u << 20)

/*
 * Reads one frame. Returns 1 for a whole frame; the caller must free the payload. Returns 0 in three cases: end of file, an error, a
 * malformed frame. After 0, the caller has nothing to free.
 */
static int read_frame(int fd, struct frame *frame) {
  unsigned char head[5];
  if (!read_whole(fd, head, sizeof head)) return 0;
  frame->type = (char)head[0];
  frame->length = length_in(head + 1);
  frame->payload = frame->length > MAX_FRAME ? NULL : malloc(frame->length + 1);
  if (!frame->payload || !read_whole(fd, frame->payload, frame->length)) {
    free(frame->payload);
    frame->payload = NULL;
    return 0;
  }
  frame->payload[frame->length] = 0;
  return 1;
}

static int is_own_peer(int fd) {
  struct peer peer;
  return peer_of(fd, &peer) && peer.user == geteuid();
}

static int is_private_directory(const char *directory) {
  struct stat stat;
  return lstat(directory, &stat) == 0 && S_ISDIR(stat.st_mode) && stat.st_uid == geteuid() && (stat.st_mode & 077) == 0;
}

/*
 * Writes the path of this installation's state directory to `out`. src/platform/paths.ts calls this path `state`. Returns 0 if the
 * environment names no absolute path, or if the path does not fit into `out`.
 */
static int state_directory(char *out, size_t size) {
  const char *own = getenv("APES_HOME"), *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
  int n;
  if (own && *own) n = snprintf(out, size, "%s/state", own);
  else if (state && *state == '/') n = snprintf(out, size, "%s/ape-shell", state);
  else if (home && *home == '/') n = snprintf(out, size, "%s/.local/state/ape-shell", home);
  else return 0;
  return n > 0 && (size_t)n < size && *out == '/';
}

/*
 * Writes the path of the directory for sockets to `out`. src/platform/paths.ts calls this path `run`. Returns 0 in the same cases as
 * `state_directory`.
 */
static int run_directory(char *out, size_t size) {
  const char *own = getenv("APES_HOME"), *runtime = getenv("XDG_RUNTIME_DIR");
  int n;
  if (own && *own) n = snprintf(out, size, "%s/run", own);
  else if (runtime && *runtime == '/') n = snprintf(out, size, "%s/ape-shell", runtime);
  else return state_directory(out, size) && append(out, size, "/run");
  return n > 0 && (size_t)n < size && *out == '/';
}

/*
 * Connects to a process of our own user, through a socket in a directory that is private to us. Returns the descriptor, or -1. The connect,
 * each read and each write time out after `most_ms` (0: never). Without a time-out, a stopped process could block us. A stopped process
 * reads nothing, and connections wait if its queue is full.
 */
static int connect_private(const char *path, int most_ms) {
  struct sockaddr_un address;
  memset(&address, 0, sizeof address);
  address.sun_family = AF_UNIX;
  char directory[sizeof address.sun_path];
  int n = snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
  if (n <= 0 || (size_t)n >= sizeof address.sun_path || *path != '/') return -1;
  memcpy(directory, address.sun_path, sizeof directory);
  *strrchr(directory, '/') = 0;
  if (!is_private_directory(directory)) return -1;
  int fd = without_sigpipe(socket(AF_UNIX, SOCK_STREAM, 0));
  if (fd < 0) return -1;
  close_on_exec(fd);
  struct timeval most = {most_ms / 1000, most_ms % 1000 * 1000};
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most);
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
  if (connect(fd, (struct sockaddr *)&address, sizeof address) || !is_own_peer(fd)) {
    close(fd);
    return -1;
  }
  return fd;
}

/*
 * Opens a file without a name, for the standard input of a program. A pipe would need a process that stays and writes to the pipe.
 * Returns the descriptor, or -1.
 */
static int unnamed_file(void) {
#if defined(__linux__) && defined(SYS_memfd_create)
  int fd = (int)syscall(SYS_memfd_create, "ape-stdin", 1 /* MFD_CLOEXEC */);
  if (fd >= 0) return fd;
#endif
  char name[] = "/tmp/ape-stdin-XXXXXX";
  int made = mkstemp(name);
  if (made >= 0) {
    unlink(name);
    close_on_exec(made);
  }
  return made;
}
#endif
