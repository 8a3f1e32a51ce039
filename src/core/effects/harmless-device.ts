/** Devices that hold no data of anybody: nothing, zeros and chance. What is confined may use them anyway. */
import type { Access } from './permission.ts';

const READABLE: ReadonlySet<string> = new Set(['/dev/null', '/dev/zero', '/dev/full', '/dev/random', '/dev/urandom']);

/** @param name as it is written in the line: by any other spelling it is a file as others are */
export const isHarmlessDevice = (name: string, access: Access): boolean =>
  access === 'read' ? READABLE.has(name) : access === 'write' && name === '/dev/null';
