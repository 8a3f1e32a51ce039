/** Devices that hold no data: /dev/null, zeros and random bytes. A confined command may always use them. */
import type { Access } from './permission.ts';

const READABLE: ReadonlySet<string> = new Set(['/dev/null', '/dev/zero', '/dev/full', '/dev/random', '/dev/urandom']);

/** @param name as it is written in the line: any other spelling is an ordinary file */
export const isHarmlessDevice = (name: string, access: Access): boolean =>
  access === 'read' ? READABLE.has(name) : access === 'write' && name === '/dev/null';
