/*
 * Makes the mount namespace for confinement.h. The namespace protects paths inside a writable tree (keep_places). A process with
 * CAP_SYS_ADMIN gets only a mount namespace. Any other process also gets a user namespace. In the user namespace, the process keeps the ids
 * of its user and group. All other ids appear as the overflow ids.
 */
#ifndef APE_CONFINEMENT_NAMESPACE_H
#define APE_CONFINEMENT_NAMESPACE_H
#include "base.h"
#include <sched.h>
#include <sys/mount.h>

struct mount_attributes {
  uint64_t set, clear, propagation, user_namespace;
};

/* Writes the text with one write(2): the kernel accepts a map of user ids only as a whole. On failure returns 0 and sets errno. */
static inline int write_text(const char *path, const char *text) {
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  ssize_t length = (ssize_t)strlen(text), n = write(fd, text, (size_t)length);
  int number = n < 0 ? errno : EIO;
  close(fd);
  errno = number;
  return n == length;
}

/*
 * After this call, only this process and its children see the mounts that this process makes. On failure returns 0 and sets errno. Even
 * after a failure, the process may be in a new namespace.
 */
static inline int enter_mount_namespace(void) {
  unsigned uid = (unsigned)geteuid(), gid = (unsigned)getegid();
  if (unshare(CLONE_NEWNS) == 0) return mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) == 0;
  char map[64];
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS)) return 0;
  snprintf(map, sizeof map, "%u %u 1", uid, uid);
  if (!write_text("/proc/self/uid_map", map) || !write_text("/proc/self/setgroups", "deny")) return 0;
  snprintf(map, sizeof map, "%u %u 1", gid, gid);
  return write_text("/proc/self/gid_map", map);
}

/* These values are defined here: the headers of a distribution may be older than its kernel. */
#define CALL_OPEN_TREE 428
#define CALL_MOVE_MOUNT 429
#define CALL_OPENAT2 437
#define CALL_MOUNT_SETATTR 442
#define NO_LINKS (4 | 2)               /* RESOLVE_NO_SYMLINKS, RESOLVE_NO_MAGICLINKS */
#define MOUNT_READ_ONLY 1              /* MOUNT_ATTR_RDONLY */
#define CLONE_TREE (1 | O_CLOEXEC)     /* OPEN_TREE_CLONE */
#define OF_DESCRIPTOR 0x1000           /* AT_EMPTY_PATH */
#define WITH_SUBMOUNTS 0x8000          /* AT_RECURSIVE */
#define BETWEEN_DESCRIPTORS (0x4 | 0x40) /* MOVE_MOUNT_F_EMPTY_PATH, MOVE_MOUNT_T_EMPTY_PATH */

/* Opens an absolute path with O_PATH. `resolve` is 0 or NO_LINKS. On failure returns -1 and sets errno: EINVAL for a relative path. */
static inline int open_place(const char *path, uint64_t resolve) {
  struct {
    uint64_t flags, mode, resolve;
  } how = {O_PATH | O_CLOEXEC, 0, resolve};
  if (path[0] != '/') {
    errno = EINVAL;
    return -1;
  }
  return (int)syscall(CALL_OPENAT2, AT_FDCWD, path, &how, sizeof how);
}

/*
 * Mounts a copy of the tree at `path` over `path`. This makes `path` a mount point, which cannot be renamed. If `is_read_only`, the copy is
 * also read-only. The copy keeps the mount flags of the tree. Follows no symbolic link. On failure returns 0 and sets errno.
 */
static inline int mount_over_itself(const char *path, int is_read_only) {
  struct mount_attributes read_only = {.set = MOUNT_READ_ONLY};
  int place = open_place(path, NO_LINKS);
  if (place < 0) return 0;
  int tree = (int)syscall(CALL_OPEN_TREE, place, "", CLONE_TREE | OF_DESCRIPTOR | WITH_SUBMOUNTS);
  int is_done = tree >= 0 &&
                (!is_read_only ||
                 syscall(CALL_MOUNT_SETATTR, tree, "", OF_DESCRIPTOR | WITH_SUBMOUNTS, &read_only, sizeof read_only) == 0) &&
                syscall(CALL_MOVE_MOUNT, tree, "", place, "", BETWEEN_DESCRIPTORS) == 0;
  int number = errno;
  if (tree >= 0) close(tree);
  close(place);
  errno = number;
  return is_done;
}

/*
 * Enters a mount namespace. In this namespace, protects the path of each entry. An entry is a letter and an absolute path. The letter `p`:
 * the path cannot be renamed. The letter `o`: the path is also read-only. On failure returns 0: `*what` says why, `*number` is the errno or
 * 0, and `*subject` is set if a path is the cause. After a failure, the process may already be in the namespace.
 */
static inline int keep_places(const char **entries, size_t count, const char **what, const char **subject, int *number) {
  char directory[PATH_MAX];
  int has_directory = getcwd(directory, sizeof directory) != NULL, directory_number = errno;
  if (!enter_mount_namespace()) {
    *what = "this host reaches only level 2: no mount namespace can be made";
    *number = errno;
    return 0;
  }
  /* A path that does not exist is skipped: nothing can be mounted on a missing path. */
  for (size_t i = 0; i < count; i++)
    if (!mount_over_itself(entries[i] + 1, *entries[i] == 'o') && errno != ENOENT && errno != ENOTDIR) {
      *what = errno == ELOOP ? "this path now contains a symbolic link" : "this path cannot be kept in its place";
      *subject = entries[i] + 1;
      *number = errno == ELOOP ? 0 : errno;
      return 0;
    }
  /* A new mount can cover the working directory. Without chdir, this process could still write to the covered directory. */
  if (!has_directory || chdir(directory)) {
    *what = "the directory cannot be entered again";
    *number = has_directory ? errno : directory_number;
    return 0;
  }
  return 1;
}

/*
 * Whether a child process can make a mount namespace with a read-only path. If not, `*number` is the errno. 255: the errno is unknown;
 * EINTR: a signal killed the child process.
 */
static inline int has_mount_namespaces(int *number) {
  pid_t pid = fork();
  if (pid < 0) {
    *number = errno;
    return 0;
  }
  if (pid == 0) _exit(enter_mount_namespace() && mount_over_itself("/usr", 1) ? 0 : errno > 0 && errno < 255 ? errno : 255);
  int status = 255 << 8;
  await_child(pid, &status);
  *number = WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
  return *number == 0;
}
#endif
