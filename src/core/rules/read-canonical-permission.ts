/** Parses the canonical text of a permission. */
import {
  ACCESSES,
  type Access,
  type Permission,
  RESOURCE_KINDS,
  type Resource,
  type ResourceKind,
  RISKS,
  type Risk,
} from '../effects/permission.ts';

const KINDS: readonly unknown[] = RESOURCE_KINDS;
const ALL_ACCESSES: readonly unknown[] = ACCESSES;

/**
 * Returns the permission without `sentence`, which the text does not contain. Returns null if the text does not have the form of a
 * canonical permission. Does not check the order of options and resources, or the white space in the JSON.
 */
export function readCanonicalPermission(text: string): Omit<Permission, 'sentence'> | null {
  const parts = parsed(text);
  if (!Array.isArray(parts) || parts.length !== 6) return null;
  const [version, tool, operation, options, resources, risk] = parts as readonly unknown[];
  if (version !== 'ape-permission/1' || !isString(tool) || !isString(operation)) return null;
  if (!Array.isArray(options) || !options.every(isString) || !isRisk(risk) || !Array.isArray(resources)) return null;
  const read = resources.map(resourceIn);
  if (!read.every((resource) => resource !== null)) return null;
  return { tool, operation, options, resources: read, risk };
}

const isString = (value: unknown): value is string => typeof value === 'string';
const isRisk = (value: unknown): value is Risk => RISKS.includes(value as Risk);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // the text is no JSON
  }
}

function resourceIn(parts: unknown): Resource | null {
  if (!Array.isArray(parts) || parts.length !== 4) return null;
  const [kind, access, value, isExact] = parts as readonly unknown[];
  if (!KINDS.includes(kind) || !ALL_ACCESSES.includes(access) || !isString(value) || typeof isExact !== 'boolean')
    return null;
  return { kind: kind as ResourceKind, access: access as Access, value, isExact };
}
