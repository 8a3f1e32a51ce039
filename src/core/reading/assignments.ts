/** Decides which variables a line may set. An assignment that changes what runs makes the line opaque. */
import { because } from '../reasons/reason.ts';
import { decidesWhatRuns } from '../variables/bound-variables.ts';
import { isSafeLocale } from '../variables/character-set.ts';
import type { Assignment, Opacity, Word } from './reading.ts';

/**
 * Whether a line may set the variable to the value. The line may do so if the assignment cannot change what runs.
 * @param value null: the value is not known, or there is no value. A value that is only known at run time counts as null
 */
export const maySet = (name: string, value: Word | null): boolean =>
  !decidesWhatRuns(name) || (value?.kind === 'literal' && isSafeLocale(name, value.value));

/** Whether this is the name of a variable. A name with an index is refused, because bash evaluates the index. */
export const isVariableName = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);

/** Returns why these assignments make the line opaque; empty if they do not. */
export const assignmentOpacities = (assignments: readonly Assignment[]): readonly Opacity[] =>
  assignments
    .filter(({ name, value }) => !maySet(name, value))
    .map(({ name }) => ({ ...because('sets-deciding-variable'), source: name }));
