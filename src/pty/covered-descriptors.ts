/**
 * node-pty leaves the master of the pseudo-terminal open across exec, and Node cannot change that: any other child of this
 * process would hold it, see the screen, type into the shell and keep it alive after our death. So every child that is
 * started while a shell runs gets /dev/null in the master's place.
 */
import type { StdioOptions } from 'node:child_process';
import { openSync } from 'node:fs';
import type { Socket } from 'node:net';

const covered = new Set<number>();
let nothing = -1;

export function coverDescriptor(descriptor: number): void {
  covered.add(descriptor);
}

export function uncoverDescriptor(descriptor: number): void {
  covered.delete(descriptor);
}

/** `stdio` for child_process.spawn: the first three as given, every private descriptor covered. */
export function coveredStdio<T extends 'pipe' | 'ignore' | 'inherit' | number | Socket>(
  first: readonly [T, T, T],
): StdioOptions {
  if (covered.size === 0) return [...first];
  if (nothing < 0) nothing = openSync('/dev/null', 'r+');
  const all: ('pipe' | 'ignore' | 'inherit' | number | Socket)[] = [...first];
  for (let descriptor = 3; descriptor <= Math.max(...covered); descriptor++)
    all[descriptor] = covered.has(descriptor) ? nothing : 'ignore';
  return all;
}
