/*
 * Functions that our C programs share: reading and writing all bytes, strings in a block, the clock, descriptors, the end of a
 * process, the peer of a socket. All functions are static, so each program compiles from one source file.
 *
 * Include this header first: it defines _GNU_SOURCE. A function that can fail returns 1 on success and 0 on failure. If the function's
 * result is a pointer, the function returns NULL on failure.
 */
#ifndef APE_BASE_H
#define APE_BASE_H
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/syscall.h>
#endif
#if defined(__APPLE__)
#include <mach-o/dyld.h>
#endif

/* --- bytes ------------------------------------------------------------------------------------------------------------- */

/* Reads exactly `length` bytes. Returns 0 on an error, and if the file ends earlier. In the latter case, errno is 0. */
static inline int read_whole(int fd, void *bytes, size_t length) {
  for (size_t at = 0; at < length;) {
    ssize_t n = read(fd, (char *)bytes + at, length - at);
    if (n < 0 && errno == EINTR) continue;
    if (n == 0) errno = 0;
    if (n <= 0) return 0;
    at += (size_t)n;
  }
  return 1;
}

/* Writes all bytes. Returns 0 on an error. A non-blocking descriptor that takes no more bytes is also an error (EAGAIN). */
static inline int write_whole(int fd, const void *bytes, size_t length) {
  for (size_t at = 0; at < length;) {
    ssize_t n = write(fd, (const char *)bytes + at, length - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return 0;
    at += (size_t)n;
  }
  return 1;
}

/* The length in the head of a frame: 4 bytes, big endian. The length counts only the bytes after the head. */
static inline size_t length_in(const unsigned char head[4]) {
  return (size_t)head[0] << 24 | (size_t)head[1] << 16 | (size_t)head[2] << 8 | head[3];
}

static inline int64_t monotonic_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Why read_input stopped: at end of file, at the deadline, at the maximum length, or on an error. */
enum input_end { INPUT_WHOLE, INPUT_LATE, INPUT_FULL, INPUT_BROKEN };

struct input {
  char *bytes; /* the bytes, and a NUL after them; the caller frees them. NULL: memory ran out; `length` and `end` then mean nothing */
  size_t length; /* the number of bytes before the NUL */
  enum input_end end;
};

/*
 * Reads until the end of file, until `most` bytes are read, or until the monotonic clock reaches `until_ms`. After `most` bytes
 * `end` is INPUT_FULL, even if the file ends there.
 */
static inline struct input read_input(int fd, size_t most, int64_t until_ms) {
  size_t room = 64 << 10;
  struct input input = {malloc(room + 1), 0, INPUT_FULL};
  while (input.bytes && input.length < most) {
    struct pollfd ready = {fd, POLLIN, 0};
    int64_t left = until_ms - monotonic_ms();
    if (left <= 0) {
      input.end = INPUT_LATE;
      break;
    }
    if (poll(&ready, 1, left < INT_MAX ? (int)left : INT_MAX) <= 0) continue;
    size_t wanted = room < most ? room - input.length : most - input.length;
    ssize_t n = read(fd, input.bytes + input.length, wanted);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      input.end = n == 0 ? INPUT_WHOLE : INPUT_BROKEN;
      break;
    }
    input.length += (size_t)n;
    if (input.length == room) input.bytes = realloc(input.bytes, (room *= 2) + 1);
  }
  if (input.bytes) input.bytes[input.length] = 0;
  return input;
}

/* --- strings, each with a NUL after it, in one block -------------------------------------------------------------------- */

static inline size_t count_strings(const char *at, const char *end) {
  size_t count = 0;
  for (; at < end; at++) count += *at == 0;
  return count;
}

/* Returns a pointer to the string at `*at`, not a copy. Moves `*at` behind the string's NUL. Returns NULL if no whole string is left. */
static inline char *next_string(char **at, const char *end) {
  char *string = *at, *stop = string < end ? memchr(string, 0, (size_t)(end - string)) : NULL;
  if (!stop) return NULL;
  *at = stop + 1;
  return string;
}

/*
 * Returns a list of pointers to the next `count` strings; a NULL ends the list. The caller frees the list, but not the strings. On
 * failure returns NULL: errno is EINVAL if fewer strings are left, and ENOMEM if memory ran out.
 */
static inline char **next_strings(char **at, const char *end, size_t count) {
  errno = EINVAL;
  if (count > (size_t)(end - *at)) return NULL;
  char **list = calloc(count + 1, sizeof *list);
  for (size_t i = 0; list && i < count; i++)
    if (!(list[i] = next_string(at, end))) {
      free(list);
      errno = EINVAL;
      return NULL;
    }
  return list;
}

/* Appends `more` to `text`, a buffer of `size` bytes. If the result and its NUL do not fit, returns 0 and leaves `text` unchanged. */
static inline int append(char *text, size_t size, const char *more) {
  size_t length = strlen(text), added = strlen(more);
  if (added >= size - length) return 0;
  memcpy(text + length, more, added + 1);
  return 1;
}

/* --- descriptors ------------------------------------------------------------------------------------------------------- */

static inline int close_on_exec(int fd) { return fcntl(fd, F_SETFD, FD_CLOEXEC) == 0; }

/*
 * Closes all descriptors from `first` on. On a system without close_range(2), closes only descriptors below OPEN_MAX and below 65536. An
 * inherited descriptor may be a lock or the end of a pipe. A long-lived process must not keep locks and pipes open.
 */
static inline void close_from(int first) {
#if defined(SYS_close_range)
  if (syscall(SYS_close_range, (unsigned)first, ~0U, 0U) == 0) return;
#endif
  long most = sysconf(_SC_OPEN_MAX);
  for (int fd = first; fd < (most < 0 || most > 65536 ? 65536 : (int)most); fd++) close(fd);
}

/*
 * If `fd` (0, 1 or 2) is closed, opens /dev/null with this number, so that no later file gets the number. Returns 1 if `fd` was closed,
 * even if /dev/null cannot be opened. Returns 0 if `fd` was open. Call this function for 0, then 1, then 2: open(2) takes the lowest
 * free number.
 */
static inline int fill_if_closed(int fd) {
  if (fcntl(fd, F_GETFD) >= 0) return 0;
  open("/dev/null", fd ? O_WRONLY : O_RDONLY);
  return 1;
}

/* Makes a pipe for a signal handler to write to. Both ends are close-on-exec and non-blocking. A signal handler must not wait. */
static inline int open_wake_pipe(int ends[2]) {
  if (pipe(ends)) return 0;
  for (int i = 0; i < 2; i++)
    if (!close_on_exec(ends[i]) || fcntl(ends[i], F_SETFL, O_NONBLOCK)) return 0;
  return 1;
}

struct peer {
  uid_t user;
  pid_t process; /* -1 if the system does not report the process */
};

/* The user and process at the other end of a Unix-domain socket, as the kernel reports them. */
static inline int peer_of(int fd, struct peer *peer) {
#if defined(__linux__)
  struct ucred credentials;
  socklen_t size = sizeof credentials;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0 || size != sizeof credentials) return 0;
  *peer = (struct peer){credentials.uid, credentials.pid};
  return 1;
#else
  gid_t group;
  peer->process = -1;
  return getpeereid(fd, &peer->user, &group) == 0;
#endif
}

/* --- processes --------------------------------------------------------------------------------------------------------- */

/* Writes the path of this program's file to `path`, and resolves symbolic links. On failure `path` is a text for the error message. */
static inline int find_own_file(char path[PATH_MAX]) {
  char named[PATH_MAX];
#if defined(__APPLE__)
  uint32_t size = sizeof named;
  int is_named = _NSGetExecutablePath(named, &size) == 0;
  const char *hint = "its path is too long";
#else
  ssize_t n = readlink("/proc/self/exe", named, sizeof named - 1);
  int is_named = n >= 0;
  const char *hint = "is /proc mounted?";
  if (is_named) named[n] = 0;
#endif
  if (is_named && realpath(named, path)) return 1;
  snprintf(path, PATH_MAX, "%s", is_named ? named : hint);
  return 0;
}

static inline int await_child(pid_t child, int *status) {
  for (;;) {
    if (waitpid(child, status, 0) == child) return 1;
    if (errno != EINTR) return 0;
  }
}

/* The exit status of a shell that cannot execute a file: 127 if the file does not exist, else 126. */
static inline int status_of_failed_exec(int why) { return why == ENOENT ? 127 : 126; }

/*
 * Returns a copy of `text` for a message. A terminal may act on these characters, so each of their bytes becomes `\xNN`:
 * - C0, DEL, C1
 * - U+061C and U+2000 to U+207F: some of these characters change the direction of text
 * - a UTF-8 continuation byte at a wrong place
 * Returns "?" if memory is short. Keeps errno.
 */
static inline const char *visible(const char *text) {
  int saved = errno;
  char *copy = malloc(4 * strlen(text) + 1), *end = copy;
  errno = saved;
  if (!copy) return "?";
  int is_hidden = 0, more = 0;
  for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
    int is_continuation = (*at & 0xc0) == 0x80;
    if (!is_continuation || more == 0) {
      more = is_continuation || *at < 0xc2 ? 0 : *at < 0xe0 ? 1 : *at < 0xf0 ? 2 : 3;
      is_hidden = *at < 0x20 || *at == 0x7f || (*at >= 0x80 && more == 0) || (*at == 0xc2 && at[1] < 0xa0) || (*at == 0xd8 && at[1] == 0x9c) ||
                  (*at == 0xe2 && (at[1] & 0xfe) == 0x80);
    } else {
      more--;
    }
    if (is_hidden) end += sprintf(end, "\\x%02x", *at);
    else *end++ = (char)*at;
  }
  *end = 0;
  return copy;
}

/* Reports that an exec of `file` failed with errno, and ends the process. */
__attribute__((noreturn)) static inline void exit_for_failed_exec(const char *program, const char *file) {
  int why = errno;
  dprintf(2, "%s: %s: %s\n", program, visible(file), strerror(why));
  _exit(status_of_failed_exec(why));
}

/* The process that started this program may have blocked the signal: exec(2) keeps the signal mask. */
static inline void unblock_signal(int number) {
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, number);
  sigprocmask(SIG_UNBLOCK, &one, NULL);
}

__attribute__((noreturn)) static inline void die_by_signal(int number) {
  signal(number, SIG_DFL);
  unblock_signal(number);
  raise(number);
  _exit(128 + number);
}
#endif
