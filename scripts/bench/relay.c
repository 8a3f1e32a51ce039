/*
 * relay PROGRAM [ARG…]: runs PROGRAM in a minimal second pty, with which ape-shell is compared. It has forkpty, the outer terminal in raw
 * mode, and a poll loop with one 64 KiB buffer. It has no Node, no gate and no recording.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#if defined(__APPLE__)
#include <util.h>
#else
#include <pty.h>
#endif

static int copy(int from, int to) {
  static char buffer[1 << 16];
  ssize_t n = read(from, buffer, sizeof buffer);
  if (n <= 0) return 0;
  for (ssize_t done = 0; done < n;) {
    ssize_t written = write(to, buffer + done, (size_t)(n - done));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return 0;
    done += written;
  }
  return 1;
}

int main(int argc, char **argv) {
  if (argc < 2) return 64;
  struct termios normal, raw;
  struct winsize size;
  int inner, status = 0;
  tcgetattr(0, &normal);
  ioctl(0, TIOCGWINSZ, &size);
  pid_t pid = forkpty(&inner, NULL, &normal, &size);
  if (pid < 0) return 71;
  if (pid == 0) {
    execvp(argv[1], argv + 1);
    _exit(127);
  }
  raw = normal;
  cfmakeraw(&raw);
  tcsetattr(0, TCSANOW, &raw);
  struct pollfd ends[2] = {{0, POLLIN, 0}, {inner, POLLIN, 0}};
  for (;;) {
    if (poll(ends, 2, -1) < 0) continue;
    if (ends[1].revents && !copy(inner, 1)) break;
    if (ends[0].revents && !copy(0, inner)) break;
  }
  tcsetattr(0, TCSADRAIN, &normal);
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
