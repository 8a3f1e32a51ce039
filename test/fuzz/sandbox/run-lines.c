/*
 * run-lines ROOT BASH MODE LOG OPTION: reads command lines that end in NUL, runs each line with its own bash, and writes what really
 * happened as fields that end in NUL:
 *   P argc arg…   a program started (written by the stand-in)
 *   F name        a file that appeared in the working directory
 *   E how         the end of the line: `exit N`, `signal N` or `timeout`
 * OPTION: `+extglob` or `-extglob`, the shell option that decides what `!(…)` means.
 * MODE contained: ROOT becomes `/`; there is no network; the user owns nothing. This needs root or user namespaces, and otherwise the
 * status is 77. MODE open is only for lines that name no path outside of the working directory.
 * ROOT has the working directory `work` (new files in it whose names do not begin with `=` are removed), LOG, and `bin` for PATH. For
 * `contained` it also has `sh/bash` with its libraries, and an empty `proc`.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define USER 61734
#define SECONDS 3

/* A shell option, and whether it is set. */
static char option[64];
static int is_set;
static char path_[64], home[4096], bash[4096], work[4096], log_[4096];

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void die(int status, const char *what) {
  perror(what);
  exit(status);
}

static void limit(int what, rlim_t value) {
  struct rlimit both = {value, value};
  if (setrlimit(what, &both) < 0) die(70, "setrlimit");
}

static void child(const char *line) {
  int null = open("/dev/null", O_RDWR);
  if (null < 0 || setsid() < 0 || chdir(work) < 0) die(70, "chdir");
  for (int fd = 0; fd < 3; fd++) dup2(null, fd);
  for (int fd = 3; fd < 20; fd++) close(fd);
  limit(RLIMIT_CPU, SECONDS);
  limit(RLIMIT_FSIZE, 1 << 20);
  limit(RLIMIT_CORE, 0);
  if (geteuid() == 0 && (setgroups(0, NULL) < 0 || setresgid(USER, USER, USER) < 0 || setresuid(USER, USER, USER) < 0))
    _exit(70);
  if (getuid() == USER) limit(RLIMIT_NPROC, 300);
  char sign[] = "+O";
  char *const words[] = {"bash", sign, option, "-c", (char *)line, NULL};
  if (is_set) sign[0] = '-';
  char *const environment[] = {path_, home, "LC_ALL=C.UTF-8", "x=a b", "y=*", "e=", "s=$(cnry)", "t=a[$(cnry)]", "n=3", NULL};
  execve(bash, words, environment);
  _exit(71);
}

/* Waits for bash and for all processes that it left in the background. Puts the end of bash into `how`. */
static void wait_all(pid_t main_, char *how) {
  double end = now() + SECONDS;
  int status, timed_out = 0;
  strcpy(how, "exit ?");
  for (;;) {
    pid_t pid = waitpid(-1, &status, WNOHANG);
    if (pid < 0) return;
    if (pid == main_ && !timed_out) sprintf(how, WIFEXITED(status) ? "exit %d" : "signal %d", WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    if (pid > 0) continue;
    if (now() > end) {
      timed_out = 1;
      strcpy(how, "timeout");
      kill(-main_, SIGKILL);
      end = now() + SECONDS;
    }
    struct timespec little = {0, 200000};
    nanosleep(&little, NULL);
  }
}

static void field(const char *text) { fwrite(text, 1, strlen(text) + 1, stdout); }

static void report(const char *how) {
  static char buffer[65536];
  int log = open(log_, O_RDWR);
  ssize_t got;
  while ((got = read(log, buffer, sizeof buffer)) > 0) fwrite(buffer, 1, (size_t)got, stdout);
  if (ftruncate(log, 0) < 0) die(70, "ftruncate");
  close(log);
  DIR *directory = opendir(work);
  struct dirent *entry;
  while ((entry = readdir(directory))) {
    if (entry->d_name[0] == '=' || !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
    field("F");
    field(entry->d_name);
    if (unlinkat(dirfd(directory), entry->d_name, 0) < 0) die(70, entry->d_name);
  }
  closedir(directory);
  field("E");
  field(how);
}

int main(int argc, char **argv) {
  if (argc != 6) return 64;
  const char *root = argv[1];
  int contained = !strcmp(argv[3], "contained");
  if (contained) {
    if (unshare(CLONE_NEWNET | CLONE_NEWNS | (geteuid() == 0 ? 0 : CLONE_NEWUSER)) < 0) die(77, "unshare");
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0) die(77, "mount");
    /* For /dev/fd. Without /proc a program that reads `<(…)` does not start, so the test learns less, but nothing wrong. */
    char proc[4096];
    snprintf(proc, sizeof proc, "%s/proc", root);
    if (mount("/proc", proc, NULL, MS_BIND | MS_REC, NULL) < 0) perror("mount /proc");
    if (chroot(root) < 0 || chdir("/") < 0) die(77, "chroot");
    root = "";
  }
  snprintf(path_, sizeof path_, "PATH=%s/bin", root);
  snprintf(home, sizeof home, "HOME=%s/work", root);
  snprintf(bash, sizeof bash, "%s", contained ? "/sh/bash" : argv[2]);
  snprintf(work, sizeof work, "%s/work", root);
  snprintf(log_, sizeof log_, "%s/%s", root, argv[4]);
  is_set = argv[5][0] == '-';
  snprintf(option, sizeof option, "%s", argv[5] + 1);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  char *line = NULL;
  size_t room = 0;
  while (getdelim(&line, &room, 0, stdin) > 0) {
    char how[32];
    fflush(stdout);
    pid_t pid = fork();
    if (pid < 0) die(71, "fork");
    if (pid == 0) child(line);
    wait_all(pid, how);
    report(how);
  }
  return 0;
}
