/** How the bound variables of a request differ from the bound variables of an earlier, approved request. */
import type { ExecutionRequest } from '../grant/request.ts';

type Variable = ExecutionRequest['environment'][number];

/**
 * One variable that is new, gone or changed. `list`: entries of a list (`PATH`) were added or removed, and the other entries are in the same
 * order as before.
 * @property gained  new entries of the list
 * @property lost    removed entries
 * @property isFirst whether a new entry is searched before all other entries
 */
export type VariableDifference =
  | { readonly kind: 'new'; readonly now: Variable }
  | { readonly kind: 'gone'; readonly name: string }
  | { readonly kind: 'changed'; readonly now: Variable }
  | {
      readonly kind: 'list';
      readonly name: string;
      readonly gained: readonly string[];
      readonly lost: readonly string[];
      readonly isFirst: boolean;
    };

/** Returns the new and the changed variables in the order of `now`, then the removed variables. Equal variables are left out. */
export function environmentDifference(
  now: readonly Variable[],
  before: readonly Variable[],
): readonly VariableDifference[] {
  const old = new Map(before.map((variable) => [variable.name, variable]));
  const present = new Set(now.map(({ name }) => name));
  const differences = now.flatMap((variable) => {
    const earlier = old.get(variable.name);
    return earlier === undefined ? [{ kind: 'new', now: variable } as const] : differenceOf(variable, earlier);
  });
  const gone = before.filter(({ name }) => !present.has(name)).map(({ name }) => ({ kind: 'gone', name }) as const);
  return [...differences, ...gone];
}

function differenceOf(now: Variable, earlier: Variable): readonly VariableDifference[] {
  const isDigest = now.digest === true || earlier.digest === true;
  if (now.value === earlier.value && (now.digest === true) === (earlier.digest === true)) return [];
  if (isDigest || !/(^|_)PATH$|_DIRS$/.test(now.name)) return [{ kind: 'changed', now }];
  const parts = now.value.split(':');
  const oldParts = earlier.value.split(':');
  const gained = parts.filter((part) => !oldParts.includes(part));
  const lost = oldParts.filter((part) => !parts.includes(part));
  // If the entries that are in both lists differ in order or number, the whole value is shown: the order decides which program is found.
  const isInOrder =
    parts.filter((part) => oldParts.includes(part)).join(':') ===
    oldParts.filter((part) => parts.includes(part)).join(':');
  return isInOrder && gained.length + lost.length > 0
    ? [{ kind: 'list', name: now.name, gained, lost, isFirst: gained.includes(parts[0] ?? '') }]
    : [{ kind: 'changed', now }];
}
