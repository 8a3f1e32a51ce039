/** The meaning of one word or one redirection: what it adds to the permission of its command. */
import type { Reason } from '../reasons/reason.ts';
import type { Access, Resource, ResourceKind, Risk } from './permission.ts';

/** A permission before its resources are known. */
export interface Draft {
  readonly tool: string;
  readonly operation: string;
  readonly options: readonly string[];
  readonly risk: Risk;
  readonly sentences: readonly string[];
}

/**
 * @property risk     the command has at least this risk; absent: the word does not raise the risk
 * @property does     a sentence for the approver; absent: no sentence
 * @property opaque   why the word is not understood; if present, the other properties do not count
 * @property isListed true: a directory in `resources` means only the names in it, and not everything below it
 */
export interface Meaning {
  readonly resources: readonly Resource[];
  readonly risk?: Risk;
  readonly does?: string;
  readonly opaque?: Reason;
  readonly isListed?: true;
}

/** The meaning of a word without an effect. */
export const NOTHING: Meaning = { resources: [] };
export const opaqueMeaning = (opaque: Reason): Meaning => ({ resources: [], opaque });
export const resourcesOf = (meanings: readonly Meaning[]): readonly Resource[] =>
  meanings.flatMap(({ resources }) => resources);
/** Returns the meaning of a word that names one resource. */
export const resourceMeaning = (kind: ResourceKind, access: Access, value: string, isExact = true): Meaning => ({
  resources: [{ kind, access, value, isExact }],
});
