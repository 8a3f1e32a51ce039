/** Checks a resource pattern: whether it is well formed, and whether it is too wide for a scope. */

import { ACCESSES, type Access, RESOURCE_KINDS, type ResourceKind } from '../effects/permission.ts';
import { type Fault, fault } from '../fault.ts';
import { dangerOfPrefix, dangerOfResource } from '../sensitive/dangerous-resource.ts';
import { hasOnly, isRecord, isText } from '../shape.ts';
import { isPlainPath } from '../text/path.ts';
import type { ResourcePattern, ValuePattern } from './command-scope.ts';
import { readGlob } from './glob.ts';
import { forbidden, type ScopeFault, unfit } from './unfit.ts';
import { matcherOf } from './value-pattern.ts';

const KNOWN_KINDS: ReadonlySet<unknown> = new Set(RESOURCE_KINDS);
const KNOWN_ACCESSES: ReadonlySet<unknown> = new Set(ACCESSES);

/** Returns what is wrong with the pattern of a scope; null: nothing is wrong. */
export function resourcePatternFault(pattern: unknown): ScopeFault | null {
  const malformed = malformation(pattern);
  return malformed === null ? tooWide(pattern as ResourcePattern) : unfit(malformed.message);
}

/**
 * Returns what is wrong with the form of a resource pattern; null: nothing is wrong. Does not check whether the pattern is too wide.
 * @param purpose `covers`: the last two labels of a host name must not have a star. `forbids`: a host name may have stars in all labels
 */
export function malformation(pattern: unknown, purpose: 'covers' | 'forbids' = 'covers'): Fault | null {
  if (!isRecord(pattern) || !hasOnly(pattern, ['kind', 'access', 'values']))
    return fault('a resource has a kind, accesses and values');
  const { kind, access, values } = pattern as unknown as ResourcePattern;
  if (!KNOWN_KINDS.has(kind)) return fault(`${JSON.stringify(kind)} is no kind of resource`);
  if (!Array.isArray(access) || access.length === 0 || new Set(access).size !== access.length)
    return fault('name at least one access, each once');
  if (!access.every((one) => KNOWN_ACCESSES.has(one)))
    return fault('an access is read, write, delete, execute or contact');
  return valuesMalformation(kind, values, purpose);
}

function valuesMalformation(kind: ResourceKind, values: ValuePattern, purpose: 'covers' | 'forbids'): Fault | null {
  if (!isRecord(values) || !hasOnly(values, values['match'] === 'any' ? ['match'] : ['match', 'value']))
    return fault('values are exact, below, glob or any');
  const { match } = values;
  if (match === 'any') return null;
  if (match !== 'exact' && match !== 'below' && match !== 'glob') return fault('values are exact, below, glob or any');
  const { value } = values;
  if (match === 'exact' && value === '') return null;
  if (!isText(value)) return fault('a value is a text of at most 4096 characters');
  if (match === 'below' && kind !== 'path') return fault('only paths lie below a directory');
  if (match === 'glob' && kind === 'path') return fault('paths are matched below a directory, not by a glob');
  if (match === 'below' && !isPlainPath(value))
    return fault('a directory is absolute, without ., .. or a slash at the end');
  if (match === 'glob' && readGlob(value, '') === null) return fault(`the glob ${JSON.stringify(value)} is malformed`);
  return purpose === 'covers' && matcherOf(kind, values) === null
    ? fault(
        `the glob ${JSON.stringify(value)} needs a host whose last two labels have no star, and all names below that host must have one owner (not *.github.io)`,
      )
    : null;
}

function tooWide({ kind, access, values }: ResourcePattern): ScopeFault | null {
  for (const one of access) {
    const reason = whyTooWide(kind, one, values);
    if (reason !== null) return forbidden(reason);
  }
  return null;
}

function whyTooWide(kind: ResourceKind, access: Access, values: ValuePattern): string | null {
  if (values.match === 'any') {
    if (kind === 'path' && access !== 'read')
      return `no scope may let a command ${access} every file; name a directory`;
    if ((kind === 'host' || kind === 'url') && access === 'contact')
      return 'no scope may let a command contact every host; name the host';
    return kind === 'variable' ? 'no scope may cover every variable; name the variable' : null;
  }
  if (kind !== 'path') return null;
  const { value } = values;
  const danger =
    values.match === 'below'
      ? dangerOfPrefix(value, access)
      : dangerOfResource({ kind, access, value, isExact: true }, []);
  return danger === null ? null : `no scope may ${access} ${JSON.stringify(value)}: it ${danger}; approve exactly`;
}
