/*
 * peer-uid: which user is at the other end of the Unix-domain socket on descriptor 3? Node cannot ask the kernel that itself.
 *
 * Exit: 0 when the peer runs as the same user as this program, else 77; 71 when the kernel does not say.
 * It reads and writes nothing on the socket, which the process that started it goes on using.
 */
#include "base.h"

int main(void) {
  struct peer peer;
  if (!peer_of(3, &peer)) return EX_OSERR;
  return peer.user == geteuid() ? 0 : EX_NOPERM;
}
