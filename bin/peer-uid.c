/*
 * peer-uid: who is at the other end of the Unix-domain socket on descriptor 3? Node cannot ask the kernel that itself.
 *
 * Ends with 0 when the peer runs as the same user as this program, else with 77; 71 when the kernel does not tell.
 * It reads and writes nothing: the socket goes on being its starter's.
 */
#include "base.h"

int main(void) {
  struct peer peer;
  if (!peer_of(3, &peer)) return EX_OSERR;
  return peer.user == geteuid() ? 0 : EX_NOPERM;
}
