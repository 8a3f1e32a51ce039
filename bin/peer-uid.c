/*
 * peer-uid: who is at the other end of the Unix-domain socket on descriptor 0? Node cannot ask the kernel that itself.
 *
 * Ends with 0 when the peer runs as the same user as this program, else with 77; 71 when the kernel does not tell.
 * It reads and writes nothing: the socket goes on being its starter's.
 */
#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include <sys/types.h>
#include <sys/socket.h>
#include <unistd.h>

#define EX_OSERR 71
#define EX_NOPERM 77

static int peer_of(int fd, uid_t *user) {
#if defined(__linux__)
  struct ucred peer;
  socklen_t size = sizeof peer;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || size != sizeof peer) return -1;
  *user = peer.uid;
  return 0;
#else
  gid_t group;
  return getpeereid(fd, user, &group);
#endif
}

int main(void) {
  uid_t user;
  if (peer_of(0, &user) != 0) return EX_OSERR;
  return user == geteuid() ? 0 : EX_NOPERM;
}
