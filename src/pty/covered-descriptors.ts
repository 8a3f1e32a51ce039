/**
 * node-pty does not set close-on-exec on the master of the pseudo-terminal, and Node cannot. Any other child of this process
 * would inherit the master: it could see the screen and type into the shell, and would keep the shell alive after our death. So
 * `coveredStdio` gives a child /dev/null in place of the master. Our programs that stay after us (`apes gate`, `deadline`) close
 * what they inherit.
 */
import type { StdioOptions } from 'node:child_process';
import { openSync } from 'node:fs';
import type { Socket } from 'node:net';

const covered = new Set<number>();
let devNull = -1;

export function coverDescriptor(descriptor: number): void {
  covered.add(descriptor);
}

export function uncoverDescriptor(descriptor: number): void {
  covered.delete(descriptor);
}

/** Returns `stdio` for child_process.spawn: the first three as given, and each covered descriptor as /dev/null. */
export function coveredStdio<T extends 'pipe' | 'ignore' | 'inherit' | number | Socket>(
  first: readonly [T, T, T],
): StdioOptions {
  if (covered.size === 0) return [...first];
  if (devNull < 0) devNull = openSync('/dev/null', 'r+');
  const all: ('pipe' | 'ignore' | 'inherit' | number | Socket)[] = [...first];
  for (let descriptor = 3; descriptor <= Math.max(...covered); descriptor++)
    all[descriptor] = covered.has(descriptor) ? devNull : 'ignore'; // from 3 on, `ignore` changes nothing
  return all;
}
