/*
 * terminal PROGRAM [ARG…]: acts as the person at the keyboard, for benchmarks. It runs PROGRAM in a new pty (80x24), reads the
 * output as fast as it comes, and measures the times itself, so that the calling script adds no time.
 *
 * Each line on standard input is one order, and gets one line on standard output as answer:
 *   s HEX    send these bytes and set the clock to zero                 -> s
 *   w HEX    wait until the output since the last order has these bytes -> w MICROSECONDS BYTES_SINCE [RECENT]
 *   m PID    the peak memory of the process PID so far, in kB           -> m KB     (0 if the system does not report it)
 *   p        the process id of PROGRAM                                  -> p PID
 *   q        hang up and wait for PROGRAM                               -> q STATUS
 * Before the first `s`, the clock runs from the start of PROGRAM. A wait of 60 s without success answers `w -1 BYTES HEX`; HEX is the
 * last output.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#if defined(__APPLE__)
#include <util.h>
#else
#include <pty.h>
#endif

#define TIMEOUT_MS 60000
#define TAIL 256

static char chunk[TAIL + (1 << 16)];
static size_t kept = 0;         /* bytes of the previous read that stay in `chunk`, because two reads may cut a mark in two */
static long long seen = 0;      /* bytes since the last order */
static char recent[TAIL];       /* the end of the last read, to show when a wait fails */
static size_t recent_length = 0;
static struct timespec zero;

static long long microseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (now.tv_sec - zero.tv_sec) * 1000000LL + (now.tv_nsec - zero.tv_nsec) / 1000;
}

static size_t unhex(const char *from, unsigned char *to, size_t room) {
  size_t n = 0;
  unsigned byte;
  for (; n < room && sscanf(from, "%2x", &byte) == 1; from += 2) to[n++] = (unsigned char)byte;
  return n;
}

/* Whether the `have` bytes of `chunk` contain the mark. If so, removes all bytes up to its end; else keeps only the bytes that may be its
   beginning. */
static int found(size_t have, const unsigned char *mark, size_t length) {
  char *hit = memmem(chunk, have, mark, length);
  size_t rest = hit ? have - (size_t)(hit + length - chunk) : have < length - 1 ? have : length - 1;
  kept = rest < TAIL ? rest : TAIL;
  memmove(chunk, chunk + have - kept, kept);
  return hit != NULL;
}

/* Returns 1 if the mark came, 0 if the output ended, -1 after the time-out. */
static int wait_for(int terminal, const unsigned char *mark, size_t length) {
  if (found(kept, mark, length)) return 1; /* this mark may have come in the same read as the mark before */
  for (;;) {
    struct pollfd ready = {terminal, POLLIN, 0};
    int n = poll(&ready, 1, TIMEOUT_MS);
    if (n == 0) return -1;
    if (n < 0 && errno == EINTR) continue;
    ssize_t got = read(terminal, chunk + kept, sizeof chunk - TAIL);
    if (got <= 0) return 0;
    seen += got;
    recent_length = (size_t)got < sizeof recent ? (size_t)got : sizeof recent;
    memcpy(recent, chunk + kept + (size_t)got - recent_length, recent_length);
    if (found(kept + (size_t)got, mark, length)) return 1;
  }
}

static long peak_memory(int pid) {
  char path[64], line[256];
  long kilobytes = 0;
  snprintf(path, sizeof path, "/proc/%d/status", pid);
  FILE *file = fopen(path, "r");
  if (!file) return 0;
  while (fgets(line, sizeof line, file))
    if (sscanf(line, "VmHWM: %ld", &kilobytes) == 1) break;
  fclose(file);
  return kilobytes;
}

int main(int argc, char **argv) {
  if (argc < 2) return 64;
  struct winsize size = {24, 80, 0, 0};
  int terminal;
  clock_gettime(CLOCK_MONOTONIC, &zero);
  pid_t pid = forkpty(&terminal, NULL, NULL, &size);
  if (pid < 0) return 71;
  if (pid == 0) {
    execvp(argv[1], argv + 1);
    _exit(127);
  }
  static char order[1 << 16];
  static unsigned char bytes[1 << 15];
  while (fgets(order, sizeof order, stdin)) {
    size_t length = unhex(order + 2, bytes, sizeof bytes);
    if (order[0] == 's') {
      clock_gettime(CLOCK_MONOTONIC, &zero);
      seen = 0;
      kept = 0;
      for (size_t done = 0; done < length;) {
        ssize_t n = write(terminal, bytes + done, length - done);
        if (n <= 0) return 74;
        done += (size_t)n;
      }
      printf("s\n");
    } else if (order[0] == 'w') {
      int outcome = wait_for(terminal, bytes, length);
      printf("w %lld %lld ", outcome == 1 ? microseconds() : -1, seen);
      for (size_t i = 0; outcome != 1 && i < recent_length; i++) printf("%02x", (unsigned char)recent[i]);
      printf("\n");
    } else if (order[0] == 'm') {
      printf("m %ld\n", peak_memory(atoi(order + 2)));
    } else if (order[0] == 'p') {
      printf("p %d\n", pid);
    } else {
      break;
    }
    fflush(stdout);
  }
  int status = 0;
  close(terminal);
  for (int i = 0; i < 300 && waitpid(pid, &status, WNOHANG) == 0; i++) {
    if (i == 200) kill(pid, SIGKILL);
    usleep(10000);
  }
  printf("q %d\n", status);
  return 0;
}
