/*
 * Confinement: the kernel limits this process and its descendants to what a profile allows. The limits cannot be removed.
 * Four programs use this file: the launcher (launcher.c), the leash (leash.c), bash's loadable builtin (confine-builtin.c) and
 * the probe (confinement-level.c). On systems other than Linux, the level is 0 and every profile is refused.
 *
 * A profile is a list of NUL-terminated strings, each a letter and its argument (src/core/confinement/profile.ts writes
 * profiles):
 *   v 1            version, first
 *   l LEVEL        the lowest level that this kernel must reach, 1 to 3; level 3 is tested only if there is
 *                  an entry `o` or `p`
 *   r PATH         open for reading, and list; R: the same for a path of the base profile. The base profile
 *                  needs no approval (src/core/confinement/base-profile.ts)
 *   w PATH         a directory: read, create, write, truncate, rename, remove; a file: read, write, truncate
 *   x PATH         execute and read; X: for a path of the base profile
 *   D PATH         a device of the base profile: read, write, ioctl(2)
 *   c PORT         may connect to this TCP port; `c *`: may connect to all TCP ports, and may listen. Both forms
 *                  allow UDP to any port, because name lookups need UDP
 *   s              if the kernel cannot scope signals (before ABI 6), the process cannot send any signal
 *   o PATH         stays read-only inside a writable directory (needs a mount namespace)
 *   p PATH         a directory above a path of `o`: cannot be renamed, and stays writable (needs a mount namespace)
 *   t TEXT         what a session prints after a line whose status is not 0
 *   .              the end; a profile without this entry is truncated, and is refused
 * There is no space between letter and argument. All paths are absolute. The paths of lower-case entries come from the permit. Such a
 * path must not contain a symbolic link: with a link, the kernel would allow a file that the approver was not shown. The paths of
 * upper-case entries belong to the base profile, and may contain symbolic links. After a failure nothing runs. These are no failures:
 *  - A path of `r`, `x` or the base profile is skipped if it does not exist or cannot be reached (EACCES).
 *  - A path of `o` or `p` is skipped if it does not exist.
 *
 * What enforces the profile, and why Landlock alone is not enough:
 *  - Landlock: opening, creating, renaming, removing, executing files; TCP ports (ABI 4); abstract Unix sockets, and signals to
 *    processes outside the confinement (ABI 6); ptrace(2) and what the kernel checks like ptrace (/proc/PID/root, /proc/PID/fd, …).
 *  - seccomp, for what Landlock does not check: sockets of families other than IP and netlink (a pathname Unix socket leads to an
 *    SSH agent, to docker, to systemd, and to our own gate), UDP without an entry `c`, TCP Fast Open, listen(2) without bind(2),
 *    limits and priorities of other processes, io_uring (it bypasses seccomp), the kernel's keyrings, System V IPC,
 *    typing into the terminal (TIOCSTI), mounts, namespaces, most ioctl(2) requests to file systems, and making a program
 *    with a set-user-ID bit. If nothing is writable, seccomp also denies changes of the mode, owner, times and
 *    attributes of files.
 *  - no_new_privs: a set-user-ID program gets no rights; sudo, su and ping fail.
 *  - capabilities: root loses, for example, the capabilities for modules, mounts, network administration, raw devices and
 *    ptrace(2). Users other than root lose all capabilities.
 *  - a mount namespace, for `p` and `o` only: Landlock cannot exclude a part of a writable tree.
 */
#ifndef APE_CONFINEMENT_H
#define APE_CONFINEMENT_H
#include "base.h"
#include <sys/stat.h>

/*
 * The kernel cannot enforce the profile, so nothing ran. In sysexits.h, 72 has another meaning (EX_OSFILE). EXIT_STATUS.confinement is
 * the same number.
 */
#define EX_CONFINEMENT 72

/* The longest profile, as in src/core/confinement/profile.ts. */
#define MAX_PROFILE_BYTES (1u << 20)

/* `what` failed; NULL: nothing failed. `subject` is the path or entry that failed, or NULL. `number` is the errno, or 0. */
struct confinement_fault {
  const char *what, *subject;
  int number;
};

static inline void print_confinement_fault(const char *program, const struct confinement_fault *fault) {
  dprintf(2, "%s: cannot confine it: %s%s%s%s%s; nothing ran; ask for the exact line, which runs unconfined\n", program, fault->what,
          fault->subject ? ": " : "", fault->subject ? visible(fault->subject) : "", fault->number ? ": " : "",
          fault->number ? strerror(fault->number) : "");
}

#if defined(__linux__)
#include <sched.h>
#include <sys/prctl.h>
#include "confinement-filter.h"
#include "confinement-namespace.h"

/* Defined here, because the headers of a distribution may be older than its kernel. */
#define FS_EXECUTE (1ULL << 0)
#define FS_WRITE_FILE (1ULL << 1)
#define FS_READ_FILE (1ULL << 2)
#define FS_READ_DIR (1ULL << 3)
#define FS_REMOVE_DIR (1ULL << 4)
#define FS_REMOVE_FILE (1ULL << 5)
#define FS_MAKE_DIR (1ULL << 7)
#define FS_MAKE_REG (1ULL << 8)
#define FS_MAKE_FIFO (1ULL << 10)
#define FS_MAKE_SYM (1ULL << 12)
#define FS_REFER (1ULL << 13)
#define FS_TRUNCATE (1ULL << 14)
#define FS_IOCTL_DEV (1ULL << 15)
#define FS_ALL_OF_ABI_3 ((1ULL << 15) - 1)
#define FS_OF_A_FILE (FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE | FS_IOCTL_DEV)
#define NET_BIND_TCP 1ULL
#define NET_CONNECT_TCP 2ULL
#define SCOPE_ABSTRACT_UNIX_AND_SIGNALS 3ULL
#define RULE_PATH_BENEATH 1
#define RULE_NET_PORT 2

#define RIGHTS_READ (FS_READ_FILE | FS_READ_DIR)
#define RIGHTS_EXECUTE (FS_EXECUTE | RIGHTS_READ)
/* These rights do not include making device nodes and sockets. With a device node, root would bypass the confinement. */
#define RIGHTS_WRITE                                                                                                        \
  (RIGHTS_READ | FS_WRITE_FILE | FS_TRUNCATE | FS_REMOVE_DIR | FS_REMOVE_FILE | FS_MAKE_DIR | FS_MAKE_REG | FS_MAKE_FIFO |   \
   FS_MAKE_SYM | FS_REFER)
#define RIGHTS_DEVICE (FS_READ_FILE | FS_WRITE_FILE | FS_TRUNCATE | FS_IOCTL_DEV)

#if !defined(SYS_landlock_create_ruleset)
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

struct ruleset_attributes {
  uint64_t fs, net, scoped;
};
struct path_rule {
  uint64_t rights;
  int32_t fd;
} __attribute__((packed));
struct port_rule {
  uint64_t rights, port;
};

/*
 * An opened profile. The ruleset has the allowed paths and ports. `kept` are the `o` and `p` entries; enter_confinement opens their
 * paths. These entries point into the bytes of the profile. So do not free the bytes while this struct is in use.
 */
struct confinement {
  int ruleset, abi;
  uint64_t fs;
  struct filter filter;
  const char **kept;
  size_t kept_count;
};

/* The ABI version of Landlock, 0 if the kernel has no Landlock. */
static inline int landlock_abi(void) {
  long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, 1);
  return abi < 0 ? 0 : (int)abi;
}

/*
 * Returns the level, at most 2: this function does not test level 3, which needs a mount namespace. The probe tests level 3. For an
 * entry `o` or `p`, enter_confinement makes the namespace, or fails.
 */
static inline int level_without_namespaces(int abi) {
  if (!FILTER_ARCHITECTURE || prctl(PR_GET_SECCOMP, 0, 0, 0, 0) < 0) return 0;
  return abi < 3 ? 0 : abi < 4 ? 1 : 2;
}

static inline int refuse(struct confinement_fault *fault, const char *what, const char *subject, int number) {
  *fault = (struct confinement_fault){what, subject, number};
  return 0;
}

static inline void close_confinement(struct confinement *self) {
  if (self->ruleset >= 0) close(self->ruleset);
  free(self->kept);
  self->ruleset = -1;
  self->kept = NULL;
  self->kept_count = 0;
}

static inline int allow_descriptor(const struct confinement *self, int fd, uint64_t rights) {
  struct stat status;
  if (fstat(fd, &status)) return 0;
  struct path_rule rule = {rights & self->fs & (S_ISDIR(status.st_mode) ? ~0ULL : FS_OF_A_FILE), fd};
  return !rule.rights || syscall(SYS_landlock_add_rule, self->ruleset, RULE_PATH_BENEATH, &rule, 0) == 0;
}

static inline int allow_path(struct confinement *self, const char *path, uint64_t rights, int is_base,
                             struct confinement_fault *fault) {
  int fd = open_place(path, is_base ? 0 : NO_LINKS); /* a path of the permit contains no link */
  if (fd < 0) {
    int is_nothing = errno == ENOENT || errno == ENOTDIR || errno == EACCES;
    if (is_nothing && (is_base || !(rights & FS_WRITE_FILE))) return 1;
    if (errno == ELOOP && !is_base) return refuse(fault, "this path now contains a symbolic link", path, 0);
    return refuse(fault, "an allowed path cannot be opened", path, errno);
  }
  int is_allowed = allow_descriptor(self, fd, rights), number = errno;
  close(fd);
  return is_allowed || refuse(fault, "Landlock refuses the rule for a path", path, number);
}

/*
 * Allows the files and the terminal that are open as descriptors 0 to 2, so that a command can reopen them as /dev/stdout or
 * /dev/stderr. Ignores failures. Call this function between open_confinement and enter_confinement.
 */
static inline void allow_standard_descriptors(const struct confinement *self) {
  for (int fd = 0; fd < 3; fd++) {
    struct stat status;
    int mode = fcntl(fd, F_GETFL);
    if (mode < 0 || fstat(fd, &status) || !(S_ISREG(status.st_mode) || isatty(fd))) continue;
    mode &= O_ACCMODE;
    allow_descriptor(self, fd,
                     (mode == O_WRONLY ? 0 : FS_READ_FILE) | (mode == O_RDONLY ? 0 : FS_WRITE_FILE | FS_TRUNCATE) |
                         (S_ISREG(status.st_mode) ? 0 : FS_IOCTL_DEV));
  }
}

static inline int allow_port(struct confinement *self, const char *text, struct confinement_fault *fault) {
  char *end;
  unsigned long port = strtoul(text, &end, 10);
  if (*end || end == text || port < 1 || port > 65535) return refuse(fault, "the profile names no TCP port", text, 0);
  struct port_rule rule = {NET_CONNECT_TCP, port};
  if (self->abi < 4) return 1; /* level 1 confines only files */
  return syscall(SYS_landlock_add_rule, self->ruleset, RULE_NET_PORT, &rule, 0) == 0 ||
         refuse(fault, "a TCP port cannot be allowed", text, errno);
}

/* What open_confinement must know before it adds the first rule. */
struct profile_outline {
  int level, has_write, has_port, has_any_port, is_silent, is_whole;
  size_t kept;
};

static inline int read_outline(const char *bytes, size_t length, struct profile_outline *out, struct confinement_fault *fault) {
  memset(out, 0, sizeof *out);
  if (length < 3 || bytes[length - 1] || strcmp(bytes, "v1") != 0) return refuse(fault, "the profile is malformed", NULL, 0);
  for (const char *at = bytes + 3; at < bytes + length; at += strlen(at) + 1) {
    if (out->is_whole) return refuse(fault, "the profile goes on after its end", NULL, 0);
    switch (*at) {
    case 'l': out->level = at[1] >= '1' && at[1] <= '3' && !at[2] ? at[1] - '0' : 0; break;
    case 'w': out->has_write = 1; break;
    case 'c':
      if (strcmp(at, "c*") == 0) out->has_any_port = 1;
      out->has_port = 1;
      break;
    case 's': out->is_silent = 1; break;
    case 'o': case 'p': out->kept++; break;
    case '.': out->is_whole = !at[1]; break;
    case 'r': case 'R': case 'x': case 'X': case 'D': case 't': break;
    default: return refuse(fault, "the profile has an entry that this build does not know", at, 0);
    }
  }
  if (!out->is_whole || !out->level) return refuse(fault, "the profile is malformed", NULL, 0);
  return 1;
}

static inline int allow_entry(struct confinement *self, const char *entry, struct confinement_fault *fault) {
  switch (*entry) {
  case 'r': return allow_path(self, entry + 1, RIGHTS_READ, 0, fault);
  case 'R': return allow_path(self, entry + 1, RIGHTS_READ, 1, fault);
  case 'x': return allow_path(self, entry + 1, RIGHTS_EXECUTE, 0, fault);
  case 'X': return allow_path(self, entry + 1, RIGHTS_EXECUTE, 1, fault);
  case 'w': return allow_path(self, entry + 1, RIGHTS_WRITE, 0, fault);
  case 'D': return allow_path(self, entry + 1, RIGHTS_DEVICE, 1, fault);
  case 'c': return entry[1] == '*' || allow_port(self, entry + 1, fault);
  case 'o': case 'p': self->kept[self->kept_count++] = entry; return 1;
  default: return 1;
  }
}

/*
 * Reads a profile and opens its paths. On failure returns 0: `fault` says why, and the caller must run nothing. A process that does not
 * end with exit or exec must call close_confinement, after a success and after a failure.
 */
static inline int open_confinement(struct confinement *self, const char *bytes, size_t length, struct confinement_fault *fault) {
  struct profile_outline outline;
  *self = (struct confinement){.ruleset = -1, .abi = landlock_abi()};
  *fault = (struct confinement_fault){NULL, NULL, 0};
  if (!read_outline(bytes, length, &outline, fault)) return 0;
  int reached = level_without_namespaces(self->abi);
  if (reached < (outline.level > 2 ? 2 : outline.level))
    return refuse(fault, reached == 0 ? "this kernel reaches level 0 (no confinement)" : "this kernel reaches only level 1 (files)", NULL, 0);
  self->fs = FS_ALL_OF_ABI_3 | (self->abi >= 5 ? FS_IOCTL_DEV : 0);
  struct ruleset_attributes handled = {
      .fs = self->fs,
      .net = self->abi < 4 || outline.has_any_port ? 0 : NET_BIND_TCP | NET_CONNECT_TCP,
      .scoped = self->abi < 6 ? 0 : SCOPE_ABSTRACT_UNIX_AND_SIGNALS,
  };
  size_t size = self->abi < 4 ? 8 : self->abi < 6 ? 16 : 24;
  self->ruleset = (int)syscall(SYS_landlock_create_ruleset, &handled, size, 0); /* close-on-exec */
  if (self->ruleset < 0) return refuse(fault, "Landlock cannot make a ruleset", NULL, errno);
  self->kept = calloc(outline.kept + 1, sizeof *self->kept);
  if (!self->kept) return refuse(fault, "out of memory", NULL, 0);
  for (const char *at = bytes; at < bytes + length; at += strlen(at) + 1)
    if (!allow_entry(self, at, fault)) return 0;
  build_filter(&self->filter, !outline.has_port ? NO_NETWORK : outline.has_any_port ? ANY_PORT : SOME_PORTS, outline.has_write,
               !(outline.is_silent && self->abi < 6));
  return 1;
}

/*
 * The capabilities that root keeps. These are for owners and modes of files, for signals, and for user and group ids. The other
 * capabilities allow actions that Landlock does not check. Users other than root may have capabilities too, so drop_capabilities is
 * called for every user.
 */
#define KEPT_CAPABILITY_COUNT 8 /* CAP_CHOWN (0) to CAP_SETUID (7) */
#define KEPT_CAPABILITIES ((1u << KEPT_CAPABILITY_COUNT) - 1)

static inline int drop_capabilities(void) {
  struct {
    uint32_t version;
    int pid;
  } header = {0x20080522, 0};
  struct {
    uint32_t effective, permitted, inheritable;
  } sets[2];
  if (syscall(SYS_capget, &header, sets)) return 0;
  if (!(sets[0].permitted | sets[1].permitted)) return 1;
  for (int capability = KEPT_CAPABILITY_COUNT; capability < 64; capability++)
    if (prctl(PR_CAPBSET_READ, capability, 0, 0, 0) == 1 && prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) &&
        errno != EPERM)
      return 0;
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  for (int i = 0; i < 2; i++) {
    /* A user other than root keeps no capability, not even in a new user namespace. */
    uint32_t kept = i || geteuid() ? 0 : KEPT_CAPABILITIES;
    sets[i].permitted &= kept;
    sets[i].effective &= kept;
    sets[i].inheritable = 0;
  }
  return syscall(SYS_capset, &header, sets) == 0;
}

/*
 * Confines this process. On failure returns 0: `fault` says why, and the caller must run nothing. Allocates no memory: this process may
 * be a forked child of bash, and in such a child the allocator may be locked.
 */
static inline int enter_confinement(const struct confinement *self, struct confinement_fault *fault) {
  *fault = (struct confinement_fault){NULL, NULL, 0};
  if (self->kept_count && !keep_places(self->kept, self->kept_count, &fault->what, &fault->subject, &fault->number)) return 0;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return refuse(fault, "no_new_privs", NULL, errno);
  if (!drop_capabilities()) return refuse(fault, "capabilities cannot be dropped", NULL, errno);
  if (syscall(SYS_landlock_restrict_self, self->ruleset, 0)) return refuse(fault, "Landlock refuses the ruleset", NULL, errno);
  if (!install_filter(&self->filter)) return refuse(fault, "seccomp refuses the filter", NULL, errno);
  return 1;
}

#else

struct confinement {
  int ruleset;
};

static inline int open_confinement(struct confinement *self, const char *bytes, size_t length, struct confinement_fault *fault) {
  (void)bytes, (void)length;
  self->ruleset = -1;
  *fault = (struct confinement_fault){"this system reaches level 0 (no confinement)", NULL, 0};
  return 0;
}
static inline void allow_standard_descriptors(const struct confinement *self) { (void)self; }
static inline int enter_confinement(const struct confinement *self, struct confinement_fault *fault) {
  return open_confinement((struct confinement *)self, NULL, 0, fault);
}
#endif
#endif
