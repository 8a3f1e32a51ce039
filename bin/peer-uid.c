/*
 * peer-uid: checks which user is at the other end of the Unix-domain socket on descriptor 3. Node has no function for this check.
 *
 * Exit: 0 if the peer runs as the same user as this program, else 77; 71 if the kernel does not report the user.
 * The program reads and writes nothing on the socket, because its parent still uses the socket.
 */
#include "base.h"

int main(void) {
  struct peer peer;
  if (!peer_of(3, &peer)) return EX_OSERR;
  return peer.user == geteuid() ? 0 : EX_NOPERM;
}
