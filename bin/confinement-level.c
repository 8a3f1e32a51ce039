/*
 * confinement-level: prints how this host can confine a command, as `LEVEL ABI ERRNO`. LEVEL: 0 not at all, 1 files, 2 files
 * and TCP, 3 with a mount namespace. ABI: the version of Landlock, 0 if there is none. ERRNO: why there is no mount
 * namespace, 0 if there is one or it does not matter.
 */
#include "confinement.h"

int main(void) {
#if defined(__linux__)
  int abi = landlock_abi(), level = level_without_namespaces(abi), number = 0;
  if (level == 2 && has_mount_namespaces(&number)) level = 3;
  printf("%d %d %d\n", level, abi, number);
#else
  printf("0 0 0\n");
#endif
  return 0;
}
