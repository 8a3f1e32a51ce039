/** Devices without stored data, such as /dev/urandom. A confined command may always read these devices, and may write to /dev/null. */
import type { Access } from './permission.ts';

const READABLE: ReadonlySet<string> = new Set(['/dev/null', '/dev/zero', '/dev/full', '/dev/random', '/dev/urandom']);

/** @param name as written in the line; another spelling of the path counts as an ordinary file */
export const isHarmlessDevice = (name: string, access: Access): boolean =>
  access === 'read' ? READABLE.has(name) : access === 'write' && name === '/dev/null';
