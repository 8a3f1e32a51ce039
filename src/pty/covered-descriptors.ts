/**
 * Keeps the master of a pseudo-terminal away from other children of this process. node-pty does not set close-on-exec on the master, and
 * Node cannot set it. A child with the master could see the screen, type into the shell, and keep the shell alive after the death of
 * this process. So `coveredStdio` gives each child /dev/null in place of the master. Our programs that can outlive this process
 * (`apes gate`, `deadline`) close all inherited descriptors.
 */
import type { StdioOptions } from 'node:child_process';
import { openSync } from 'node:fs';
import type { Socket } from 'node:net';

/**
 * The build puts this file into several bundles of one process. All of them use this one set: otherwise the children of one bundle would get
 * the masters that another bundle has opened.
 */
const COVERED = Symbol.for('ape-shell.covered-descriptors');
const shared = globalThis as { [COVERED]?: Set<number> };
shared[COVERED] ??= new Set();
const covered = shared[COVERED];
let devNull = -1;

/** Until `uncoverDescriptor` is called, `coveredStdio` gives each child /dev/null under this number. */
export function coverDescriptor(descriptor: number): void {
  covered.add(descriptor);
}

export function uncoverDescriptor(descriptor: number): void {
  covered.delete(descriptor);
}

/** Returns `stdio` for child_process.spawn: descriptors 0 to 2 as in `first`, and /dev/null for each covered descriptor. */
export function coveredStdio<T extends 'pipe' | 'ignore' | 'inherit' | number | Socket>(
  first: readonly [T, T, T],
): StdioOptions {
  if (covered.size === 0) return [...first];
  if (devNull < 0) devNull = openSync('/dev/null', 'r+');
  const all: ('pipe' | 'ignore' | 'inherit' | number | Socket)[] = [...first];
  for (let descriptor = 3; descriptor <= Math.max(...covered); descriptor++)
    all[descriptor] = covered.has(descriptor) ? devNull : 'ignore'; // from 3 on, `ignore` leaves the descriptor as it is
  return all;
}
