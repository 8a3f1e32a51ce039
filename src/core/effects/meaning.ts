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
 * @property risk     the least risk of a command with this word; absent: the word does not raise the risk
 * @property does     a sentence for the approver; absent: no sentence
 * @property opaque   why the word is not understood; the other properties then do not count
 * @property isListed whether a directory among the resources means only the list of its names, and not all that is below it
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
/** Returns the meaning of a word that stands for one resource. */
export const resourceMeaning = (kind: ResourceKind, access: Access, value: string, isExact = true): Meaning => ({
  resources: [{ kind, access, value, isExact }],
});
