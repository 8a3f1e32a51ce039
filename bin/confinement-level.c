/*
 * confinement-level: prints `LEVEL ABI ERRNO`, which say how far this host can confine a command.
 * LEVEL: 0 not at all; 1 files; 2 files and TCP ports; 3 files, TCP ports and a mount namespace.
 * ABI: the version of Landlock; 0 if the kernel has no Landlock.
 * ERRNO: the error that prevents a mount namespace; 0 if LEVEL is not 2.
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
