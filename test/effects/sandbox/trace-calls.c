/*
 * trace-calls STAGE SCRATCH [NAME=VALUE…]: runs calls one after the other in a sandbox, and writes the effects of each call on files,
 * programs, the network and other processes. Only for Linux. Needs root or user namespaces, and otherwise ends with status 77.
 *
 * The sandbox has its own mount, network, PID, IPC and UTS namespaces. The whole machine is read-only. An overlay is on STAGE; its upper
 * layer is on SCRATCH and is removed after each call that wrote. /tmp, /var/tmp and /dev/shm are empty. A loopback network has an HTTP
 * server on ports 8080 and 8081. The calls run as the user USER, without privileges.
 *
 * Standard input, fields ended by a NUL:   how milliseconds directory input count word…
 *   how     `traced`, or `plain`: not traced, to compare with another tracer. With `+BYTES` after it, a profile of BYTES bytes
 *           (bin/confinement.h) follows the words, and confines the call
 *   input   the file for standard input
 * Standard output, fields ended by a NUL:
 *   E what errno path other      an effect: its kind, 0 or the error, and its path; `other` is the second path of rename and link
 *   X end standard-error extra   the end of the call: `exit N`, `signal N` or `timeout`; `extra` is its output on descriptor 5
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/mount.h>
#include <linux/seccomp.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "confine-self.h"

/* The user `nobody`. The user database has it, so that programs find its name at once. */
#define USER 65534
#define MAX_PROCESSES 512
#define LINGER_MS 300

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "trace-calls: an architecture whose system calls are not listed here"
#endif

/*
 * The system calls that are traced. The others change and read nothing that lasts, or work on a descriptor whose opening was traced.
 */
static const int watched[] = {
#ifdef __NR_open
    __NR_open, __NR_creat, __NR_rename, __NR_link, __NR_symlink, __NR_unlink, __NR_rmdir, __NR_mkdir, __NR_mknod, __NR_chmod,
    __NR_chown, __NR_lchown, __NR_utime, __NR_utimes, __NR_futimesat,
#endif
#ifdef __NR_renameat
    __NR_renameat,
#endif
    __NR_openat, __NR_openat2, __NR_renameat2, __NR_linkat, __NR_symlinkat, __NR_unlinkat, __NR_mkdirat, __NR_mknodat, __NR_fchmodat,
    452 /* fchmodat2 */, __NR_fchmod, __NR_fchownat, __NR_fchown, __NR_utimensat, __NR_truncate, __NR_setxattr, __NR_lsetxattr,
    __NR_fsetxattr, __NR_removexattr, __NR_lremovexattr, __NR_fremovexattr, __NR_execve, __NR_execveat, __NR_connect, __NR_bind,
    __NR_sendto, __NR_sendmsg, __NR_sendmmsg, __NR_kill, __NR_tkill, __NR_tgkill, __NR_rt_sigqueueinfo, __NR_rt_tgsigqueueinfo,
    __NR_pidfd_open, __NR_ptrace, __NR_mount, __NR_umount2, __NR_chroot, __NR_pivot_root, __NR_setns, __NR_unshare,
    __NR_sethostname, __NR_setdomainname, __NR_settimeofday, __NR_clock_settime, __NR_process_vm_readv, __NR_process_vm_writev,
    __NR_open_by_handle_at, __NR_bpf, __NR_reboot, __NR_swapon, __NR_swapoff, __NR_init_module, __NR_finit_module, __NR_fsopen,
    __NR_open_tree, __NR_move_mount, __NR_mount_setattr, __NR_keyctl, __NR_add_key,
};

struct process {
  pid_t pid;
  int is_waiting; /* whether the system call `what` has begun and not ended */
  char what[24];
  char path[PATH_MAX], other[PATH_MAX];
  int takes_result; /* whether the path is that of the descriptor which the call returns */
};

static struct process processes[MAX_PROCESSES];
static int alive;
static const char *stage, *scratch;
static char **environment;
static int is_root, is_stage_dirty, is_temporary_dirty;
static pid_t server;
static volatile sig_atomic_t is_over;
static uint64_t seen[8192];

static void die(int status, const char *what) {
  perror(what);
  exit(status);
}

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static struct process *find_process(pid_t pid) {
  for (int i = 0; i < MAX_PROCESSES; i++)
    if (processes[i].pid == pid) return &processes[i];
  return NULL;
}

static struct process *add_process(pid_t pid) {
  struct process *known = find_process(pid);
  if (known) return known;
  struct process *empty = find_process(0);
  if (!empty) die(70, "too many processes");
  memset(empty, 0, offsetof(struct process, path));
  empty->pid = pid;
  alive++;
  return empty;
}

static void forget_process(pid_t pid) {
  struct process *known = find_process(pid);
  if (!known) return;
  known->pid = 0;
  alive--;
}

/* ---------------------------------------------------------------- writing */

static void field(const char *text) { fwrite(text, 1, strlen(text) + 1, stdout); }

static int is_new(const char *what, const char *error, const char *path, const char *other) {
  uint64_t hash = 1469598103934665603u;
  const char *parts[] = {what, error, path, other};
  for (int i = 0; i < 4; i++) {
    for (const char *c = parts[i]; *c; c++) hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    hash = (hash ^ 1) * 1099511628211u;
  }
  uint64_t *place = &seen[hash & 8191];
  if (*place == hash) return 0;
  *place = hash;
  return 1;
}

static int is_below(const char *path, const char *directory) {
  size_t length = strlen(directory);
  return !strncmp(path, directory, length) && (path[length] == '/' || !path[length]);
}

static void mark_dirty(const char *path) {
  if (is_below(path, stage)) is_stage_dirty = 1;
  if (is_below(path, "/tmp") || is_below(path, "/var/tmp") || is_below(path, "/dev/shm")) is_temporary_dirty = 1;
}

/* Whether a call with this error is an effect: it succeeded, or was refused. A call for a path that is missing, or of another kind, is none. */
static int is_effect(int error) {
  static const int counted[] = {0, EPERM, EACCES, EROFS, EXDEV, ECONNREFUSED, ENETUNREACH, EHOSTUNREACH, ETIMEDOUT};
  for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
    if (counted[i] == error) return 1;
  return 0;
}

static void report(const char *what, int error, const char *path, const char *other) {
  char number[16];
  if (!is_effect(error)) return;
  snprintf(number, sizeof number, "%d", error);
  if (!error && strcmp(what, "read") && strcmp(what, "execute") && strcmp(what, "connect") && strcmp(what, "send")) {
    mark_dirty(path);
    mark_dirty(other);
  }
  if (!is_new(what, number, path, other)) return;
  field("E");
  field(what);
  field(number);
  field(path);
  field(other);
}

/* ---------------------------------------------------------------- reading the other process */

static ssize_t peek(pid_t pid, uint64_t at, void *into, size_t size) {
  struct iovec here = {into, size}, there = {(void *)(uintptr_t)at, size};
  return process_vm_readv(pid, &here, 1, &there, 1, 0);
}

/* Reads a string of the other process page by page, because the next page may not be mapped. */
static void peek_text(pid_t pid, uint64_t at, char *into, size_t room) {
  size_t got = 0;
  while (got < room - 1) {
    size_t part = 4096 - ((at + got) & 4095);
    if (part > room - 1 - got) part = room - 1 - got;
    ssize_t count = peek(pid, at + got, into + got, part);
    if (count <= 0) break;
    char *end = memchr(into + got, 0, (size_t)count);
    if (end) return;
    got += (size_t)count;
  }
  into[got] = 0;
}

static int read_link(const char *path, char *into) {
  ssize_t count = readlink(path, into, PATH_MAX - 1);
  if (count < 0) count = 0;
  into[count] = 0;
  return count > 0;
}

static void path_of_fd(pid_t pid, int fd, char *into) {
  char link[64];
  if (fd == AT_FDCWD) snprintf(link, sizeof link, "/proc/%d/cwd", pid);
  else snprintf(link, sizeof link, "/proc/%d/fd/%d", pid, fd);
  read_link(link, into);
}

/* Makes a path absolute for process `pid`: paths such as /proc/self would mean the tracer here. */
static void absolute(pid_t pid, int fd, const char *text, char *into) {
  static const struct { const char *is, *means; } own[] = {
      {"/proc/self", ""}, {"/proc/thread-self", ""}, {"/dev/fd", "/fd"}, {"/dev/stdin", "/fd/0"}, {"/dev/stdout", "/fd/1"}, {"/dev/stderr", "/fd/2"}};
  if (text[0] != '/') {
    char base[PATH_MAX];
    path_of_fd(pid, fd, base);
    if (snprintf(into, PATH_MAX, *text ? "%s/%s" : "%s", base, text) >= PATH_MAX) into[PATH_MAX - 1] = 0;
    return;
  }
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    if (is_below(text, own[i].is)) {
      snprintf(into, PATH_MAX, "/proc/%d%s%s", pid, own[i].means, text + strlen(own[i].is));
      return;
    }
  snprintf(into, PATH_MAX, "%s", text);
}

/* Follows links as far as the path exists, and a link at its end only if the call follows it. */
static void resolve(const char *path, int follows, char *into, int hops) {
  static char cut[PATH_MAX];
  if (follows && realpath(path, into)) return;
  char copy[PATH_MAX], real[PATH_MAX], target[PATH_MAX];
  snprintf(copy, sizeof copy, "%s", path);
  for (size_t n = strlen(copy); n > 1 && copy[n - 1] == '/'; n--) copy[n - 1] = 0;
  char *slash = strrchr(copy, '/');
  if (!slash) { snprintf(into, PATH_MAX, "%s", path); return; }
  char name[PATH_MAX];
  snprintf(name, sizeof name, "%s", slash + 1);
  *slash = 0;
  if (!strcmp(name, ".") || !strcmp(name, "..")) {
    if (!realpath(path, into)) snprintf(into, PATH_MAX, "%s", path);
    return;
  }
  if (!realpath(*copy ? copy : "/", real)) {
    if (!*copy) snprintf(real, sizeof real, "/");
    else resolve(copy, 1, real, hops);
  }
  snprintf(cut, sizeof cut, "%s/%s", strcmp(real, "/") ? real : "", name);
  if (follows && hops < 40 && read_link(cut, target)) {
    char next[PATH_MAX];
    if (target[0] == '/') snprintf(next, sizeof next, "%s", target);
    else if (snprintf(next, sizeof next, "%s/%s", real, target) >= (int)sizeof next) next[0] = 0;
    resolve(next, 1, into, hops + 1);
    return;
  }
  snprintf(into, PATH_MAX, "%s", cut);
}

static void path_argument(pid_t pid, int fd, uint64_t at, int follows, char *into) {
  char text[PATH_MAX], whole[PATH_MAX];
  text[0] = 0;
  if (at) peek_text(pid, at, text, sizeof text);
  absolute(pid, fd, text, whole);
  resolve(whole, follows, into, 0);
}

static void address(pid_t pid, uint64_t at, size_t size, char *into) {
  struct sockaddr_storage all;
  memset(&all, 0, sizeof all);
  into[0] = 0;
  if (!at || size < sizeof(sa_family_t)) return;
  if (peek(pid, at, &all, size < sizeof all ? size : sizeof all) < 2) return;
  char text[INET6_ADDRSTRLEN];
  if (all.ss_family == AF_INET) {
    struct sockaddr_in *v4 = (void *)&all;
    snprintf(into, PATH_MAX, "inet %s %d", inet_ntop(AF_INET, &v4->sin_addr, text, sizeof text), ntohs(v4->sin_port));
  } else if (all.ss_family == AF_INET6) {
    struct sockaddr_in6 *v6 = (void *)&all;
    snprintf(into, PATH_MAX, "inet %s %d", inet_ntop(AF_INET6, &v6->sin6_addr, text, sizeof text), ntohs(v6->sin6_port));
  } else if (all.ss_family == AF_UNIX) {
    struct sockaddr_un *un = (void *)&all;
    char whole[PATH_MAX], name[sizeof un->sun_path + 1];
    memcpy(name, un->sun_path, sizeof un->sun_path);
    name[sizeof un->sun_path] = 0;
    if (!name[0]) { if (size > sizeof(sa_family_t)) snprintf(into, PATH_MAX, "@%s", name + 1); return; }
    absolute(pid, AT_FDCWD, name, whole);
    resolve(whole, 1, into, 0);
  }
}

/* ---------------------------------------------------------------- one system call */

static const char *open_kind(uint64_t flags) {
  if (flags & O_PATH) return NULL;
  return (flags & O_ACCMODE) != O_RDONLY || (flags & (O_TRUNC | O_CREAT)) || (flags & __O_TMPFILE) == __O_TMPFILE ? "write" : "read";
}

static void opens(struct process *p, int fd, uint64_t path, uint64_t flags) {
  const char *kind = open_kind(flags);
  if (!kind) return;
  p->takes_result = 1;
  strcpy(p->what, kind);
  path_argument(p->pid, fd, path, !(flags & O_NOFOLLOW), p->path);
}

static void two_paths(struct process *p, const char *what, int fd1, uint64_t path1, int fd2, uint64_t path2) {
  strcpy(p->what, what);
  path_argument(p->pid, fd1, path1, 0, p->path);
  path_argument(p->pid, fd2, path2, 0, p->other);
}

static void on_path(struct process *p, const char *what, int fd, uint64_t path, int follows) {
  strcpy(p->what, what);
  path_argument(p->pid, fd, path, follows, p->path);
}

static void on_fd(struct process *p, const char *what, int fd) {
  strcpy(p->what, what);
  path_of_fd(p->pid, fd, p->path);
}

static void to_address(struct process *p, const char *what, uint64_t at, uint64_t size) {
  address(p->pid, at, size, p->path);
  if (p->path[0]) strcpy(p->what, what);
}

static void signals(struct process *p, long pid, uint64_t number) {
  if (number == 0 || pid == 0) return;
  pid_t target = (pid_t)(pid < -1 ? -pid : pid);
  char status[64], line[256];
  if (find_process(target)) return;
  /* The target may be a thread of a traced process, or a zombie. */
  snprintf(status, sizeof status, "/proc/%d/status", target);
  FILE *file = pid == -1 ? NULL : fopen(status, "r");
  int group = 0, parent = 0;
  char state = 0;
  while (file && fgets(line, sizeof line, file)) {
    sscanf(line, "State: %c", &state);
    sscanf(line, "Tgid: %d", &group);
    sscanf(line, "PPid: %d", &parent);
  }
  if (file) fclose(file);
  if ((group && find_process(group)) || (state == 'Z' && parent && find_process(parent))) return;
  strcpy(p->what, "signal");
  snprintf(p->path, sizeof p->path, "process %ld", pid);
}

static void begins(struct process *p, uint64_t nr, const uint64_t *a) {
  p->what[0] = p->path[0] = p->other[0] = 0;
  p->takes_result = 0;
  const int here = AT_FDCWD;
  switch (nr) {
#ifdef __NR_open
    case __NR_open: opens(p, here, a[0], a[1]); break;
    case __NR_creat: opens(p, here, a[0], O_CREAT | O_WRONLY); break;
    case __NR_rename: two_paths(p, "rename", here, a[0], here, a[1]); break;
    case __NR_link: two_paths(p, "link", here, a[0], here, a[1]); break;
    case __NR_symlink: on_path(p, "symlink", here, a[1], 0); peek_text(p->pid, a[0], p->other, PATH_MAX); break;
    case __NR_unlink: case __NR_rmdir: on_path(p, "delete", here, a[0], 0); break;
    case __NR_mkdir: on_path(p, "mkdir", here, a[0], 0); break;
    case __NR_mknod: on_path(p, "create", here, a[0], 0); break;
    case __NR_chmod: on_path(p, "mode", here, a[0], 1); break;
    case __NR_chown: on_path(p, "owner", here, a[0], 1); break;
    case __NR_lchown: on_path(p, "owner", here, a[0], 0); break;
    case __NR_utime: case __NR_utimes: on_path(p, "time", here, a[0], 1); break;
    case __NR_futimesat: on_path(p, "time", (int)a[0], a[1], 1); break;
#endif
    case __NR_openat: opens(p, (int)a[0], a[1], a[2]); break;
    case __NR_openat2: {
      uint64_t flags = 0;
      peek(p->pid, a[2], &flags, sizeof flags);
      opens(p, (int)a[0], a[1], flags);
      break;
    }
#ifdef __NR_renameat
    case __NR_renameat:
#endif
    case __NR_renameat2: two_paths(p, "rename", (int)a[0], a[1], (int)a[2], a[3]); break;
    case __NR_linkat: two_paths(p, "link", (int)a[0], a[1], (int)a[2], a[3]); break;
    case __NR_symlinkat: on_path(p, "symlink", (int)a[1], a[2], 0); peek_text(p->pid, a[0], p->other, PATH_MAX); break;
    case __NR_unlinkat: on_path(p, "delete", (int)a[0], a[1], 0); break;
    case __NR_mkdirat: on_path(p, "mkdir", (int)a[0], a[1], 0); break;
    case __NR_mknodat: on_path(p, "create", (int)a[0], a[1], 0); break;
    case __NR_fchmodat: on_path(p, "mode", (int)a[0], a[1], 1); break;
    case 452: on_path(p, "mode", (int)a[0], a[1], !(a[3] & AT_SYMLINK_NOFOLLOW)); break;
    case __NR_fchmod: on_fd(p, "mode", (int)a[0]); break;
    case __NR_fchownat: on_path(p, "owner", (int)a[0], a[1], !(a[4] & AT_SYMLINK_NOFOLLOW)); break;
    case __NR_fchown: on_fd(p, "owner", (int)a[0]); break;
    case __NR_utimensat: on_path(p, "time", (int)a[0], a[1], !(a[3] & AT_SYMLINK_NOFOLLOW)); break;
    case __NR_truncate: on_path(p, "write", here, a[0], 1); break;
    case __NR_setxattr: case __NR_removexattr: on_path(p, "attribute", here, a[0], 1); break;
    case __NR_lsetxattr: case __NR_lremovexattr: on_path(p, "attribute", here, a[0], 0); break;
    case __NR_fsetxattr: case __NR_fremovexattr: on_fd(p, "attribute", (int)a[0]); break;
    case __NR_execve: on_path(p, "execute", here, a[0], 1); break;
    case __NR_execveat: on_path(p, "execute", (int)a[0], a[1], 1); break;
    case __NR_connect: to_address(p, "connect", a[1], a[2]); break;
    case __NR_bind: to_address(p, "bind", a[1], a[2]); break;
    case __NR_sendto: to_address(p, "send", a[4], a[5]); break;
    case __NR_sendmsg: case __NR_sendmmsg: {
      struct msghdr message;
      memset(&message, 0, sizeof message);
      peek(p->pid, a[1], &message, sizeof message);
      to_address(p, "send", (uint64_t)(uintptr_t)message.msg_name, message.msg_namelen);
      break;
    }
    case __NR_kill: signals(p, (int)a[0], a[1]); break;
    case __NR_tkill: signals(p, (int)a[0], a[1]); break;
    case __NR_tgkill: signals(p, (int)a[0], a[2]); break;
    case __NR_rt_sigqueueinfo: signals(p, (int)a[0], a[1]); break;
    case __NR_rt_tgsigqueueinfo: signals(p, (int)a[0], a[2]); break;
    case __NR_pidfd_open: signals(p, (int)a[0], 1); break;
    case __NR_unshare: case __NR_setns: case __NR_ptrace:
    default: snprintf(p->what, sizeof p->what, "system"); snprintf(p->path, PATH_MAX, "call %d", (int)nr);
  }
}

static void ends(struct process *p, int64_t result, int is_error) {
  if (!p->what[0]) return;
  int error = is_error ? (int)-result : 0;
  if (!error && p->takes_result) {
    char real[PATH_MAX];
    path_of_fd(p->pid, (int)result, real);
    if (real[0]) memcpy(p->path, real, sizeof real);
  }
  if (error == EINPROGRESS) error = 0;
  report(p->what, error, p->path, p->other);
  if (!error && !strcmp(p->what, "execute")) {
    char link[64], program[PATH_MAX];
    snprintf(link, sizeof link, "/proc/%d/exe", p->pid);
    if (read_link(link, program) && strcmp(program, p->path)) report("execute", 0, program, "");
  }
}

/* ---------------------------------------------------------------- one call */

static void watch_calls(void) {
  const size_t count = sizeof watched / sizeof *watched;
  struct sock_filter program[count + 16];
  size_t at = 0;
  program[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
  program[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
  program[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  program[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
#ifdef __x86_64__
  program[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1);
  program[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
#endif
  /* The tracer would not see what a program opens by io_uring. */
  program[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_io_uring_setup, 0, 1);
  program[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS);
  for (size_t i = 0; i < count; i++)
    program[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)watched[i], (unsigned char)(count - i), 0);
  program[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  program[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
  struct sock_fprog all = {(unsigned short)at, program};
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all) < 0) _exit(70);
}

static void limit(int what, rlim_t value) {
  struct rlimit both = {value, value};
  if (setrlimit(what, &both) < 0) _exit(70);
}

struct call {
  int is_traced;
  long ms;
  const char *directory, *input, *profile;
  size_t profile_size;
  char **words;
};

static void become_user(void) {
  if (!is_root) return;
  if (setgroups(0, NULL) < 0 || setresgid(USER, USER, USER) < 0 || setresuid(USER, USER, USER) < 0) _exit(70);
}

static void child(const struct call *call, int out, int err, int extra) {
  if (setsid() < 0) _exit(70);
  int in = open(call->input, O_RDONLY);
  if (in < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0) _exit(70);
  int kept = fcntl(extra, F_DUPFD, 50);
  for (int fd = 3; fd < 50; fd++) close(fd);
  if (!call->is_traced && dup2(kept, 5) < 0) _exit(70);
  close(kept);
  limit(RLIMIT_FSIZE, 8 << 20);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, 10);
  become_user();
  if (is_root) limit(RLIMIT_NPROC, 300);
  /* After a change of user the process cannot open its own /proc/self until exec, unless it is dumpable. */
  if (prctl(PR_SET_DUMPABLE, 1) < 0) _exit(70);
  if (chdir(call->directory) < 0) _exit(70);
  umask(022);
  signal(SIGPIPE, SIG_DFL);
  signal(SIGALRM, SIG_DFL);
  if (call->is_traced) {
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || ptrace(PTRACE_TRACEME, 0, 0, 0) < 0) _exit(70);
    raise(SIGSTOP);
  }
  if (call->profile_size > 0 && !confine_self(call->profile, call->profile_size)) _exit(72);
  if (call->is_traced) watch_calls();
  execve(call->words[0], call->words, environment);
  _exit(71);
}

static void over(int signal) {
  (void)signal;
  is_over = 1;
}

static void set_timer(double ms) {
  long micro = (long)(ms * 1000);
  struct itimerval timer = {{0, 20000}, {micro / 1000000, micro % 1000000}};
  if (micro <= 0) memset(&timer, 0, sizeof timer);
  setitimer(ITIMER_REAL, &timer, NULL);
}

static void kill_all(void) {
  for (int i = 0; i < MAX_PROCESSES; i++)
    if (processes[i].pid) kill(processes[i].pid, SIGKILL);
}

/*
 * Returns whether a process of the call is left, and with `is_end` kills all of them. This process is the first of its PID namespace, so
 * every other process in the namespace except the server belongs to the call.
 */
static int is_anything_left(int is_end) {
  DIR *all = opendir("/proc");
  int is_any = 0;
  if (!all) die(70, "/proc");
  for (struct dirent *each; (each = readdir(all));) {
    pid_t pid = (pid_t)atoi(each->d_name);
    if (pid <= 1 || pid == server) continue;
    is_any = 1;
    if (is_end) kill(pid, SIGKILL);
  }
  closedir(all);
  return is_any;
}

/* Ends processes that would run on into the next call: those of an untraced call, or a child that began when the time was over. */
static void end_the_rest(void) {
  while (is_anything_left(1)) {
    /* It waits for all of them, because the leader of a thread group ends only after its threads have been waited for. */
    while (waitpid(-1, NULL, __WALL | WNOHANG) > 0) continue;
    usleep(100);
  }
  for (int i = 0; i < MAX_PROCESSES; i++) processes[i].pid = 0;
  alive = 0;
}

static void trace_event(pid_t pid, int status) {
  struct process *p = add_process(pid);
  int signal = WSTOPSIG(status), event = status >> 16, deliver = 0;
  if (event == PTRACE_EVENT_SECCOMP) {
    struct __ptrace_syscall_info info;
    if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, &info) > 0) {
      uint64_t arguments[6];
      memcpy(arguments, info.seccomp.args, sizeof arguments);
      begins(p, info.seccomp.nr, arguments);
      p->is_waiting = p->what[0] != 0;
    }
  } else if (signal == (SIGTRAP | 0x80)) {
    struct __ptrace_syscall_info info;
    if (p->is_waiting && ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, &info) > 0 && info.op == PTRACE_SYSCALL_INFO_EXIT) {
      ends(p, info.exit.rval, info.exit.is_error);
      p->is_waiting = 0;
    }
  } else if (event == PTRACE_EVENT_EXEC) {
    unsigned long former = 0;
    ptrace(PTRACE_GETEVENTMSG, pid, 0, &former);
    struct process *thread = (pid_t)former == pid ? NULL : find_process((pid_t)former);
    if (thread) {
      memcpy((char *)p + sizeof p->pid, (char *)thread + sizeof p->pid, sizeof *p - sizeof p->pid);
      forget_process((pid_t)former);
    }
  } else if (event == 0 && signal != SIGSTOP) {
    deliver = signal;
  }
  ptrace(p->is_waiting ? PTRACE_SYSCALL : PTRACE_CONT, pid, 0, deliver);
}

static void run_until_end(pid_t first, const struct call *call, char *how) {
  double end = now_ms() + (double)call->ms;
  int has_ended = 0;
  strcpy(how, "timeout");
  is_over = 0;
  set_timer((double)call->ms);
  /* A child that has just begun is in /proc before waitpid reports it. */
  while (alive > 0 || is_anything_left(0)) {
    int status;
    pid_t pid = waitpid(-1, &status, __WALL);
    if (pid < 0 && errno != EINTR) break;
    if (is_over && now_ms() >= end) { kill_all(); is_over = 0; set_timer(50); }
    if (pid < 0) continue;
    if (WIFEXITED(status) || WIFSIGNALED(status)) {
      if (pid == first) {
        if (now_ms() < end || WIFEXITED(status))
          sprintf(how, WIFEXITED(status) ? "exit %d" : "signal %d", WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
        has_ended = 1;
        if (end > now_ms() + LINGER_MS) end = now_ms() + LINGER_MS;
        set_timer(LINGER_MS);
      }
      forget_process(pid);
      if (!call->is_traced && has_ended) break;
    } else if (WIFSTOPPED(status)) {
      trace_event(pid, status);
    }
  }
  set_timer(0);
}

static void write_file(int fd, size_t most) {
  static char buffer[1 << 20];
  off_t at = 0;
  ssize_t got;
  size_t sent = 0;
  while (sent < most && (got = pread(fd, buffer, sizeof buffer, at)) > 0) {
    for (ssize_t i = 0; i < got && sent < most; i++, sent++) putchar(buffer[i] ? buffer[i] : ' ');
    at += got;
  }
  putchar(0);
}

static void mount_writable(void);

static void run_call(const struct call *call) {
  int out = memfd_create("out", MFD_CLOEXEC), err = memfd_create("err", MFD_CLOEXEC), extra = memfd_create("extra", MFD_CLOEXEC);
  memset(seen, 0, sizeof seen);
  fflush(stdout);
  pid_t pid = fork();
  if (pid < 0) die(71, "fork");
  if (pid == 0) child(call, out, err, extra);
  add_process(pid);
  if (call->is_traced) {
    int status;
    waitpid(pid, &status, __WALL);
    long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_TRACESECCOMP | PTRACE_O_EXITKILL;
    if (!WIFSTOPPED(status) || ptrace(PTRACE_SETOPTIONS, pid, 0, options) < 0 || ptrace(PTRACE_CONT, pid, 0, 0) < 0) die(71, "ptrace");
  }
  char how[32];
  run_until_end(pid, call, how);
  end_the_rest();
  if (!call->is_traced) is_stage_dirty = is_temporary_dirty = 1;
  field("X");
  field(how);
  write_file(err, 400);
  write_file(extra, 1 << 24);
  close(out);
  close(err);
  close(extra);
  mount_writable();
}

/* ---------------------------------------------------------------- the sandbox */

/* Makes the system call directly, because the C library may be older than it. */
static int set_read_only(void) {
  struct mount_attr read_only = {.attr_set = MOUNT_ATTR_RDONLY};
  return (int)syscall(__NR_mount_setattr, AT_FDCWD, "/", AT_RECURSIVE, &read_only, sizeof read_only);
}

static void mount_temporary(const char *place, int is_again) {
  if (is_again && umount2(place, MNT_DETACH) < 0) die(70, place);
  if (mount("tmpfs", place, "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777,size=64m") < 0) die(77, place);
}

static void mount_stage(int is_again) {
  char upper[PATH_MAX], work[PATH_MAX], options[3 * PATH_MAX];
  if (is_again && umount2(stage, MNT_DETACH) < 0) die(70, stage);
  mount_temporary(scratch, is_again);
  snprintf(upper, sizeof upper, "%s/upper", scratch);
  snprintf(work, sizeof work, "%s/work", scratch);
  if (mkdir(upper, 0755) < 0 || mkdir(work, 0700) < 0 || chmod(scratch, 0700) < 0) die(70, scratch);
  snprintf(options, sizeof options, "lowerdir=%s,upperdir=%s,workdir=%s%s", stage, upper, work, is_root ? "" : ",userxattr");
  if (mount("overlay", stage, "overlay", MS_NOSUID | MS_NODEV, options) < 0) die(77, "overlay");
  is_stage_dirty = 0;
}

static void mount_writable(void) {
  if (is_stage_dirty) mount_stage(1);
  if (is_temporary_dirty) {
    mount_temporary("/tmp", 1);
    mount_temporary("/dev/shm", 1);
  }
  is_temporary_dirty = 0;
}

static void put(const char *path, const char *text) {
  int fd = open(path, O_WRONLY);
  if (fd < 0 || write(fd, text, strlen(text)) < 0) die(77, path);
  close(fd);
}

static void own_namespaces(void) {
  uid_t uid = geteuid();
  gid_t gid = getegid();
  char map[64];
  is_root = uid == 0;
  int all = CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS;
  if (unshare(all | (is_root ? 0 : CLONE_NEWUSER)) < 0) die(77, "unshare");
  if (is_root) return;
  put("/proc/self/setgroups", "deny");
  snprintf(map, sizeof map, "%u %u 1", uid, uid);
  put("/proc/self/uid_map", map);
  snprintf(map, sizeof map, "%u %u 1", gid, gid);
  put("/proc/self/gid_map", map);
}

static void start_loopback(void) {
  int fd = socket(AF_INET, SOCK_DGRAM, 0);
  struct ifreq request;
  memset(&request, 0, sizeof request);
  strcpy(request.ifr_name, "lo");
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &request) < 0) die(77, "lo");
  close(fd);
}

/* Answers every HTTP request; the answer to /go is a redirect to the other port. */
static void serve(int first, int second) {
  struct pollfd both[] = {{first, POLLIN, 0}, {second, POLLIN, 0}};
  for (;;) {
    if (poll(both, 2, -1) < 0) continue;
    for (int i = 0; i < 2; i++) {
      if (!(both[i].revents & POLLIN)) continue;
      int fd = accept(both[i].fd, NULL, NULL);
      char text[4096];
      struct timeval soon = {0, 200000};
      setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof soon);
      ssize_t got = read(fd, text, sizeof text - 1);
      text[got > 0 ? got : 0] = 0;
      const char *answer = strstr(text, " /go") ? "HTTP/1.0 302 Found\r\nLocation: http://127.0.0.1:8081/other\r\nContent-Length: 0\r\n\r\n"
                                                : "HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\nContent-Disposition: attachment; filename=named-by-server\r\nContent-Length: 6\r\n\r\nhello\n";
      if (write(fd, answer, strlen(answer)) < 0) perror("serve");
      close(fd);
    }
  }
}

static int listen_on(int port) {
  int fd = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (bind(fd, (void *)&address, sizeof address) < 0 || listen(fd, 16) < 0) die(70, "listen");
  return fd;
}

static void start_server(void) {
  int first = listen_on(8080), second = listen_on(8081);
  fflush(stdout);
  pid_t pid = fork();
  if (pid < 0) die(71, "fork");
  if (pid > 0) { close(first); close(second); server = pid; return; }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  become_user();
  int null = open("/dev/null", O_RDWR);
  for (int fd = 0; fd < 3; fd++) dup2(null, fd);
  serve(first, second);
}

static void own_place(void) {
  if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0) die(77, "mount");
  if (set_read_only() < 0) die(77, "mount_setattr");
  if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0) die(77, "/proc");
  mount_temporary("/tmp", 0);
  mount_temporary("/dev/shm", 0);
  mount_stage(0);
}

/* ---------------------------------------------------------------- the calls */

static char *next(size_t *size) {
  char *text = NULL;
  size_t room = 0;
  ssize_t got = getdelim(&text, &room, 0, stdin);
  if (got <= 0) { free(text); return NULL; }
  if (size) *size = (size_t)got - 1;
  return text;
}

static int run_next(void) {
  char *how = next(NULL);
  if (!how) return 0;
  char *ms = next(NULL), *directory = next(NULL), *input = next(NULL), *count = next(NULL);
  if (!count) die(65, "a call without its words");
  size_t words = (size_t)atol(count), profile_size = 0;
  char **all = calloc(words + 1, sizeof *all), *profile = NULL;
  for (size_t i = 0; i < words; i++) all[i] = next(NULL);
  char *plus = strchr(how, '+');
  if (plus) {
    profile_size = (size_t)atol(plus + 1);
    profile = malloc(profile_size + 1);
    if (!profile || fread(profile, 1, profile_size, stdin) != profile_size) die(65, "a profile that is cut off");
  }
  struct call call = {!strncmp(how, "traced", 6), atol(ms), directory, input, profile, profile_size, all};
  run_call(&call);
  for (size_t i = 0; i < words; i++) free(all[i]);
  free(all); free(profile); free(how); free(ms); free(directory); free(input); free(count);
  fflush(stdout);
  return 1;
}

int main(int argc, char **argv) {
  if (argc < 3) return 64;
  stage = argv[1];
  scratch = argv[2];
  environment = argv + 3;
  own_namespaces();
  pid_t pid = fork();
  if (pid < 0) die(71, "fork");
  if (pid > 0) {
    int status;
    fclose(stdin);
    while (waitpid(pid, &status, 0) < 0)
      if (errno != EINTR) die(71, "wait");
    return WIFEXITED(status) ? WEXITSTATUS(status) : 70;
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  own_place();
  start_loopback();
  start_server();
  struct sigaction action = {.sa_handler = over};
  sigaction(SIGALRM, &action, NULL);
  signal(SIGPIPE, SIG_DFL);
  while (run_next()) continue;
  return 0;
}
