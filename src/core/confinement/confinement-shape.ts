/** Checks that an unknown value is a confinement. A malformed confinement would confine nothing. So every member is checked. */
import { hasOnly, isList, isRecord, isText } from '../shape.ts';
import { isAtOrBelow, isPlainPath } from '../text/path.ts';
import type { Confinement, ConfinementLevel, Unconfined } from './confinement.ts';

const MAX_CONFINED_PATHS = 4_096;
const MAX_PORTS = 256;
const MAX_TOOLS = 256;
const MEMBERS = ['level', 'read', 'write', 'execute', 'connect', 'readOnly', 'absent', 'tools'];

export const isConfinementLevel = (value: unknown): value is ConfinementLevel =>
  value === 0 || value === 1 || value === 2 || value === 3;

export const isUnconfined = (value: unknown): value is Unconfined =>
  isRecord(value) && hasOnly(value, ['level']) && value['level'] === 0;

/** False for level 0: see `isUnconfined`. */
export function isConfinement(value: unknown): value is Confinement {
  if (!isRecord(value) || !hasOnly(value, MEMBERS)) return false;
  const { level, read, write, execute, connect, readOnly, absent, tools } = value;
  return (
    (level === 1 || level === 2 || level === 3) &&
    [read, write, execute, readOnly].every(isPaths) &&
    (connect === 'any' || (isList(connect, MAX_PORTS) && connect.every(isPort))) &&
    (absent === undefined || (isList(absent, MAX_CONFINED_PATHS) && absent.every(isAbsentPlace))) &&
    isList(tools, MAX_TOOLS) &&
    tools.every(isText)
  );
}

const isPaths = (list: unknown): boolean => isList(list, MAX_CONFINED_PATHS) && list.every(isPath);

const isPath = (path: unknown): path is string => isText(path) && isPlainPath(path);

const isAbsentPlace = (value: unknown): boolean =>
  isRecord(value) &&
  hasOnly(value, ['path', 'below']) &&
  isPath(value['path']) &&
  (value['below'] === null || (isPath(value['below']) && isAtOrBelow(value['path'], value['below'])));

const isPort = (port: unknown): boolean =>
  typeof port === 'number' && Number.isInteger(port) && port >= 1 && port <= 65_535;
