/*
 * The seccomp part of confinement.h: this file filters the system calls that Landlock does not check. Newer calls are written as numbers:
 * the headers of a distribution may be older than its kernel. A call that was added since Linux 5.1 has the same number on both
 * architectures of this filter.
 */
#ifndef APE_CONFINEMENT_FILTER_H
#define APE_CONFINEMENT_FILTER_H
#include "base.h"
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>

#if defined(__x86_64__) && !defined(__ILP32__)
#define FILTER_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__) && defined(__AARCH64EL__)
#define FILTER_ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#define FILTER_ARCHITECTURE 0 /* this file does not know the system calls of this architecture: no confinement */
#endif

/* SOME_PORTS: Landlock checks the ports of TCP, and UDP may use any port. */
enum network { NO_NETWORK, SOME_PORTS, ANY_PORT };

#define FILTER_LENGTH 512
struct filter {
  struct sock_filter code[FILTER_LENGTH];
  unsigned short length;
};

/* Adds an instruction; `yes` and `no` say how many instructions a jump skips. If the filter is full, install_filter will fail. */
static inline void put(struct filter *self, uint16_t code, uint32_t k, uint8_t yes, uint8_t no) {
  if (self->length < FILTER_LENGTH) self->code[self->length++] = (struct sock_filter){code, yes, no, k};
}
static inline void load(struct filter *self, uint32_t offset) { put(self, BPF_LD | BPF_W | BPF_ABS, offset, 0, 0); }
static inline void load_argument(struct filter *self, int n) {
  load(self, (uint32_t)(offsetof(struct seccomp_data, args) + 8 * (size_t)n)); /* the low half: both architectures are little endian */
}
static inline void answer(struct filter *self, uint32_t action) { put(self, BPF_RET | BPF_K, action, 0, 0); }
/* Skips `count` instructions unless the loaded value is `value`. */
static inline void skip_unless(struct filter *self, uint32_t value, uint8_t count) {
  put(self, BPF_JMP | BPF_JEQ | BPF_K, value, 0, count);
}
static inline void allow(struct filter *self) { answer(self, SECCOMP_RET_ALLOW); }
static inline void deny(struct filter *self, int number) { answer(self, SECCOMP_RET_ERRNO | (uint32_t)number); }

static inline void deny_call(struct filter *self, long call, int number) {
  skip_unless(self, (uint32_t)call, 1);
  deny(self, number);
}

/* Calls that could get around Landlock: they reach keys, memory, messages, files by handle, namespaces or mounts. */
static const int CALLS_OF_OTHER_WAYS[] = {
    SYS_add_key, SYS_request_key, SYS_keyctl,                            /* keys that the kernel keeps for the user */
    SYS_shmget, SYS_msgget, SYS_semget, SYS_mq_open,                     /* memory and messages of processes outside */
    SYS_shmat, SYS_shmctl, SYS_msgsnd, SYS_msgrcv, SYS_msgctl,           /* the same memory and messages, by an identifier */
    SYS_semop, SYS_semtimedop, SYS_semctl, SYS_mq_unlink,
    SYS_open_by_handle_at, SYS_setns, SYS_mount, SYS_umount2, SYS_pivot_root,
    428, 429, 430, 431, 432, 433, 442, 467,                              /* open_tree … fspick, mount_setattr, open_tree_attr */
};
/* Calls that change the mode, owner, times or extended attributes of a file. Landlock does not check these calls either. */
static const int CALLS_OF_METADATA[] = {
#if defined(SYS_chmod)
    SYS_chmod, SYS_chown, SYS_lchown, SYS_utime, SYS_utimes, SYS_futimesat,
#endif
    SYS_fchmod, SYS_fchmodat, 452 /* fchmodat2 */, SYS_fchown, SYS_fchownat, SYS_utimensat,
    SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr, SYS_removexattr, SYS_lremovexattr, SYS_fremovexattr,
    463, 466, 469,                                                       /* setxattrat, removexattrat, file_setattr */
};
static const int CALLS_OF_SIGNALS[] = {
    SYS_kill, SYS_tkill, SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, 424 /* pidfd_send_signal */,
};
/* ioctl(2) requests that type into a terminal. */
static const uint32_t REQUESTS_THAT_TYPE[] = {0x5412 /* TIOCSTI */, 0x541C /* TIOCLINUX */};

/*
 * The second byte of an ioctl(2) request is its kind. These kinds are allowed: requests to terminals, to sockets, to /dev/random, to
 * descriptors that belong to no file system, and two kinds that only read facts about a file system. Requests of other kinds are denied,
 * except REQUESTS_OF_FILES. Landlock does not check requests to file systems. Many such requests work on a file or directory that is open
 * only for reading: they make subvolumes and snapshots (btrfs), change attributes, or remove the user's key of encrypted directories.
 */
static const uint32_t KINDS_OF_REQUESTS[] = {
    0x54 /* terminals, and FIONREAD and the like */, 0x89, 0x8B /* sockets */, 0x52 /* /dev/random */,
    0x00 /* FIGETBSZ */, 0x15 /* FS_IOC_GETFSUUID */, 0x21 /* seccomp */, 0x24 /* perf */, 0x8A /* epoll */, 0xAA /* userfaultfd */,
    0xB7 /* namespaces */, 0xFF /* pidfd */,
};
/* Allowed requests to file systems. They do not change the content of a file that is open only for reading. */
static const uint32_t REQUESTS_OF_FILES[] = {
    0x80086601 /* FS_IOC_GETFLAGS */, 0x80046601 /* FS_IOC32_GETFLAGS */, 0x801c581f /* FS_IOC_FSGETXATTR */,
    0x80087601 /* FS_IOC_GETVERSION */, 0x81009431 /* FS_IOC_GETFSLABEL */, 0xc020660b /* FS_IOC_FIEMAP */,
    0x40049409 /* FICLONE */, 0x4020940d /* FICLONERANGE */, 0xc0189436 /* FIDEDUPERANGE */,
};
/* ioctl(2) requests with the effect of fcntl(F_SETOWN): they choose which process gets a signal. */
static const uint32_t REQUESTS_OF_SIGNALS[] = {0x8901 /* FIOSETOWN */, 0x8902 /* SIOCSPGRP */};

#define COUNT(list) (sizeof(list) / sizeof *(list))
#define NEW_USER_NAMESPACE 0x10000000u
#define FAST_OPEN 0x20000000u

/* socket(2): the filter checks the family first, then the type and the protocol. */
static inline void put_socket(struct filter *self, enum network network) {
  struct filter body = {.length = 0};
  load_argument(&body, 0);
  put(&body, BPF_JMP | BPF_JEQ | BPF_K, 16, 0, 4); /* AF_NETLINK: describes the network; name lookups need it */
  load_argument(&body, 2);
  put(&body, BPF_JMP | BPF_JEQ | BPF_K, 0 /* ROUTE */, 1, 0);
  put(&body, BPF_JMP | BPF_JEQ | BPF_K, 4 /* SOCK_DIAG */, 0, 1);
  allow(&body);
  if (network != NO_NETWORK) {
    load_argument(&body, 0);
    put(&body, BPF_JMP | BPF_JEQ | BPF_K, 2 /* AF_INET */, 1, 0);
    put(&body, BPF_JMP | BPF_JEQ | BPF_K, 10 /* AF_INET6 */, 0, 11);
    load_argument(&body, 1);
    put(&body, BPF_ALU | BPF_AND | BPF_K, 15, 0, 0);
    put(&body, BPF_JMP | BPF_JEQ | BPF_K, 1 /* SOCK_STREAM */, 0, 4);
    load_argument(&body, 2); /* Landlock checks ports of TCP, not of MPTCP or SCTP */
    put(&body, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0);
    put(&body, BPF_JMP | BPF_JEQ | BPF_K, 6 /* IPPROTO_TCP */, 0, 5);
    allow(&body);
    put(&body, BPF_JMP | BPF_JEQ | BPF_K, 2 /* SOCK_DGRAM: name lookups need it */, 0, 3);
    load_argument(&body, 2);
    put(&body, BPF_JMP | BPF_JEQ | BPF_K, 0, 2, 0);
    put(&body, BPF_JMP | BPF_JEQ | BPF_K, 17 /* IPPROTO_UDP */, 1, 0);
    deny(&body, EACCES);
    allow(&body);
  }
  deny(&body, EACCES);
  skip_unless(self, SYS_socket, (uint8_t)body.length);
  for (unsigned short i = 0; i < body.length; i++) put(self, body.code[i].code, body.code[i].k, body.code[i].jt, body.code[i].jf);
}

/*
 * socketpair(2): only stream and seqpacket pairs are allowed. A socket of a datagram pair can later be connected to another socket.
 * SOCK_RAW is a datagram socket in unix(7).
 */
static inline void put_socketpair(struct filter *self) {
  skip_unless(self, SYS_socketpair, 6);
  load_argument(self, 1);
  put(self, BPF_ALU | BPF_AND | BPF_K, 15, 0, 0);
  put(self, BPF_JMP | BPF_JEQ | BPF_K, 1 /* SOCK_STREAM */, 2, 0);
  put(self, BPF_JMP | BPF_JEQ | BPF_K, 5 /* SOCK_SEQPACKET */, 1, 0);
  deny(self, EACCES);
  allow(self);
}

/*
 * setsockopt(2): denies TCP_ULP. Its protocol `smc` turns a TCP socket into an SMC socket. The kernel itself then connects, and
 * Landlock does not check the port.
 */
static inline void put_setsockopt(struct filter *self) {
  skip_unless(self, SYS_setsockopt, 6);
  load_argument(self, 1);
  put(self, BPF_JMP | BPF_JEQ | BPF_K, 6 /* IPPROTO_TCP */, 0, 3);
  load_argument(self, 2);
  put(self, BPF_JMP | BPF_JEQ | BPF_K, 31 /* TCP_ULP */, 0, 1);
  deny(self, EACCES);
  allow(self);
}

/* Allows a call only if its first argument, a process id, is 0: the caller itself. */
static inline void put_itself(struct filter *self, long call) {
  skip_unless(self, (uint32_t)call, 4);
  load_argument(self, 0);
  put(self, BPF_JMP | BPF_JEQ | BPF_K, 0 /* itself */, 1, 0);
  deny(self, EPERM);
  allow(self);
}

/*
 * Allows a call only if its first argument is `process` and its second argument is 0: the caller itself. The value `process` says that the
 * second argument is a process id.
 */
static inline void put_itself_as(struct filter *self, long call, uint32_t process) {
  skip_unless(self, (uint32_t)call, 6);
  load_argument(self, 0);
  put(self, BPF_JMP | BPF_JEQ | BPF_K, process, 0, 2);
  load_argument(self, 1);
  put(self, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0);
  deny(self, EPERM);
  allow(self);
}

/*
 * Denies changes of the limits and priorities of other processes. Landlock does not check such changes. A low RLIMIT_CPU could kill
 * another process. A low priority could leave another process without CPU time.
 */
static inline void put_calls_about_processes(struct filter *self) {
  put_itself(self, SYS_prlimit64);
  put_itself(self, SYS_sched_setaffinity);
  put_itself(self, SYS_sched_setscheduler);
  put_itself(self, SYS_sched_setparam);
  put_itself(self, SYS_sched_setattr);
  put_itself_as(self, SYS_setpriority, 0 /* PRIO_PROCESS */);
  put_itself_as(self, SYS_ioprio_set, 1 /* IOPRIO_WHO_PROCESS */);
}

/* Denies a call if the argument has at least one of the bits in `flag`, else allows the call. */
static inline void put_flag(struct filter *self, long call, int argument, uint32_t flag) {
  skip_unless(self, (uint32_t)call, 4);
  load_argument(self, argument);
  put(self, BPF_JMP | BPF_JSET | BPF_K, flag, 0, 1);
  deny(self, EPERM);
  allow(self);
}

/* open(2), openat(2): denies a mode with at least one of `bits`. Without O_CREAT and O_TMPFILE, allows all: the kernel ignores the mode. */
static inline void put_open(struct filter *self, long call, int flags, uint32_t bits) {
  skip_unless(self, (uint32_t)call, 6);
  load_argument(self, flags);
  put(self, BPF_JMP | BPF_JSET | BPF_K, 0100 | 020000000, 0, 3);
  load_argument(self, flags + 1);
  put(self, BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1);
  deny(self, EPERM);
  allow(self);
}

/*
 * Denies the set-user-ID bit: a program with this bit runs as its owner, whichever user starts it. Denies the set-group-ID bit to root
 * only: other users need that bit for shared directories. openat2(2) fails with ENOSYS. Its mode is in memory, and the filter cannot read
 * memory. Libraries fall back to openat(2).
 */
static inline void put_set_id(struct filter *self) {
  uint32_t bits = geteuid() == 0 ? 06000 : 04000;
#if defined(SYS_chmod)
  put_flag(self, SYS_chmod, 1, bits);
  put_flag(self, SYS_mknod, 1, bits);
  put_flag(self, SYS_creat, 1, bits);
  put_open(self, SYS_open, 1, bits);
#endif
  put_flag(self, SYS_fchmod, 1, bits);
  put_flag(self, SYS_fchmodat, 2, bits);
  put_flag(self, 452 /* fchmodat2 */, 2, bits);
  put_flag(self, SYS_mknodat, 2, bits);
  put_open(self, SYS_openat, 2, bits);
  deny_call(self, 437 /* openat2 */, ENOSYS);
}

/* fcntl(2): denies the commands that choose which process gets a signal, and which signal, when a file becomes ready. */
static inline void put_signals_of_files(struct filter *self) {
  skip_unless(self, SYS_fcntl, 8);
  load_argument(self, 1);
  deny_call(self, 8 /* F_SETOWN */, EPERM);
  deny_call(self, 10 /* F_SETSIG */, EPERM);
  deny_call(self, 15 /* F_SETOWN_EX */, EPERM);
  allow(self);
}

static inline void allow_value(struct filter *self, uint32_t value) {
  skip_unless(self, value, 1);
  allow(self);
}

static inline void put_ioctl(struct filter *self, int has_signals) {
  size_t denied = COUNT(REQUESTS_THAT_TYPE) + (has_signals ? 0 : COUNT(REQUESTS_OF_SIGNALS));
  skip_unless(self, SYS_ioctl, (uint8_t)(3 + 2 * (denied + COUNT(REQUESTS_OF_FILES) + COUNT(KINDS_OF_REQUESTS))));
  load_argument(self, 1);
  for (size_t i = 0; i < COUNT(REQUESTS_THAT_TYPE); i++) deny_call(self, REQUESTS_THAT_TYPE[i], EPERM);
  for (size_t i = 0; !has_signals && i < COUNT(REQUESTS_OF_SIGNALS); i++) deny_call(self, REQUESTS_OF_SIGNALS[i], EPERM);
  for (size_t i = 0; i < COUNT(REQUESTS_OF_FILES); i++) allow_value(self, REQUESTS_OF_FILES[i]);
  put(self, BPF_ALU | BPF_AND | BPF_K, 0xFF00, 0, 0);
  for (size_t i = 0; i < COUNT(KINDS_OF_REQUESTS); i++) allow_value(self, KINDS_OF_REQUESTS[i] << 8);
  deny(self, EPERM);
}

/*
 * `has_write`: the profile allows writing somewhere. `has_signals`: the program may send signals. The kernel kills a program for another
 * architecture: the calls of such a program have other numbers.
 */
static inline void build_filter(struct filter *self, enum network network, int has_write, int has_signals) {
  self->length = 0;
  load(self, offsetof(struct seccomp_data, arch));
  put(self, BPF_JMP | BPF_JEQ | BPF_K, FILTER_ARCHITECTURE, 1, 0);
  answer(self, SECCOMP_RET_KILL_PROCESS);
  load(self, offsetof(struct seccomp_data, nr));
#if defined(__x86_64__)
  put(self, BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1); /* x32 */
  deny(self, EPERM);
#endif
  put_socket(self, network);
  put_socketpair(self);
  put_calls_about_processes(self);
  put_ioctl(self, has_signals);
  put_flag(self, SYS_unshare, 0, NEW_USER_NAMESPACE);
  put_flag(self, SYS_clone, 0, NEW_USER_NAMESPACE);
  deny_call(self, 435 /* clone3: its flags are in memory, which the filter cannot read; libraries fall back to clone */, ENOSYS);
  deny_call(self, 425 /* io_uring_setup */, ENOSYS);
  if (network == SOME_PORTS) {
    deny_call(self, SYS_listen, EACCES); /* without bind(2) the kernel chooses the port, and Landlock does not check that port */
    put_flag(self, SYS_sendto, 3, FAST_OPEN);
    put_flag(self, SYS_sendmsg, 2, FAST_OPEN);
    put_flag(self, SYS_sendmmsg, 3, FAST_OPEN);
    put_setsockopt(self);
  }
  for (size_t i = 0; i < COUNT(CALLS_OF_OTHER_WAYS); i++) deny_call(self, CALLS_OF_OTHER_WAYS[i], EPERM);
  if (!has_write)
    for (size_t i = 0; i < COUNT(CALLS_OF_METADATA); i++) deny_call(self, CALLS_OF_METADATA[i], EACCES);
  else
    put_set_id(self);
  if (!has_signals) put_signals_of_files(self);
  if (!has_signals)
    for (size_t i = 0; i < COUNT(CALLS_OF_SIGNALS); i++) deny_call(self, CALLS_OF_SIGNALS[i], EPERM);
  allow(self);
}

/* Set no_new_privs before this call. On failure, sets errno and returns 0. */
static inline int install_filter(const struct filter *self) {
  struct sock_fprog program = {self->length, (struct sock_filter *)self->code};
  if (!FILTER_ARCHITECTURE || self->length == 0 || self->length >= FILTER_LENGTH) {
    errno = EINVAL;
    return 0;
  }
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}
#endif
