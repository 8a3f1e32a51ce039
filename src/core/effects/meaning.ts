/** What one word, or one redirection, adds to a permission. */
import type { Reason } from '../reasons/reason.ts';
import type { Access, Resource, ResourceKind, Risk } from './permission.ts';

/** What is known before the resources are. */
export interface Draft {
  readonly tool: string;
  readonly operation: string;
  readonly options: readonly string[];
  readonly risk: Risk;
  readonly sentences: readonly string[];
}

/**
 * @property opaque   why nothing can be said; the rest does not count then
 * @property isListed a directory among the resources stands for names in it that were looked at, not for all that lies below
 */
export interface Meaning {
  readonly resources: readonly Resource[];
  readonly risk?: Risk;
  readonly does?: string;
  readonly opaque?: Reason;
  readonly isListed?: true;
}

export const NOTHING: Meaning = { resources: [] };
export const opaqueMeaning = (opaque: Reason): Meaning => ({ resources: [], opaque });
export const one = (kind: ResourceKind, access: Access, value: string, isExact = true): Meaning => ({
  resources: [{ kind, access, value, isExact }],
});
