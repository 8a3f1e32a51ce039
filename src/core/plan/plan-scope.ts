/** Counts the uses of the approved parts of a plan, and decides which parts can be used now. */
import type { PlanScope } from '../scope/command-scope.ts';

export type PlanScopePart = PlanScope['parts'][number];

/**
 * Returns how often a part was used.
 * @param partUses the number of uses of each part, in the order of the filed plan; a part beyond the end of the list was not used
 * @param part     the number of the part in the filed plan, from 1
 */
export const usesOfPart = (partUses: readonly number[], part: number): number => partUses[part - 1] ?? 0;

/**
 * - `next`:  the part can be used now
 * - `later`: the plan has an order, and the part before this part was not used yet
 * - `done`:  the part is used up
 */
export function partState(
  { order, parts }: PlanScope,
  partUses: readonly number[],
  { part, uses }: PlanScopePart,
): 'next' | 'later' | 'done' {
  if (usesOfPart(partUses, part) >= uses) return 'done';
  const before = order ? parts[parts.findIndex((candidate) => candidate.part === part) - 1] : undefined;
  return before !== undefined && usesOfPart(partUses, before.part) === 0 ? 'later' : 'next';
}

/** Returns the parts that can be used now, in the order of the plan. */
export const openParts = (scope: PlanScope, partUses: readonly number[]): readonly PlanScopePart[] =>
  scope.parts.filter((part) => partState(scope, partUses, part) === 'next');

/**
 * Returns the new `partUses` after one more use of each part in `used`. Returns null in three cases: one of these parts cannot be used now,
 * a part is named twice, or `used` is empty. A line that needs several parts uses each of these parts.
 */
export function usedParts(
  scope: PlanScope,
  partUses: readonly number[],
  used: readonly number[],
): readonly number[] | null {
  const open = new Set(openParts(scope, partUses).map(({ part }) => part));
  if (used.length === 0 || new Set(used).size < used.length || !used.every((part) => open.has(part))) return null;
  const length = Math.max(partUses.length, ...used);
  return Array.from({ length: length }, (_, at) => (partUses[at] ?? 0) + (used.includes(at + 1) ? 1 : 0));
}

export const isUsedUp = (scope: PlanScope, partUses: readonly number[]): boolean =>
  scope.parts.every((part) => partState(scope, partUses, part) === 'done');

/** Returns the number of the part that has to be used before `part`; null: `part` does not wait for another part. */
export function partBefore({ order, parts }: PlanScope, part: number): number | null {
  const at = parts.findIndex((candidate) => candidate.part === part);
  return order && at > 0 ? (parts[at - 1]?.part ?? null) : null;
}

export const planScopeTitle = ({ parts, order }: PlanScope): string =>
  `${parts.length} ${parts.length === 1 ? 'part' : 'parts'} of a plan${order ? ', in order' : ''}`;

/** Returns the key of one part of a plan. The key of a policy, or of a grant without parts, is its id. An id contains no `#`. */
export const partKey = (grantId: string, part: number): string => `${grantId}#${part}`;

/** Splits the key of a part. For the id of a grant, `part` is null. */
export function grantOfKey(key: string): { readonly grantId: string; readonly part: number | null } {
  const at = key.indexOf('#');
  return at < 0 ? { grantId: key, part: null } : { grantId: key.slice(0, at), part: Number(key.slice(at + 1)) };
}
