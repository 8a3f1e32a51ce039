/** Decides which variables a line may set. An assignment that changes what runs makes the line opaque. */
import { because } from '../reasons/reason.ts';
import { decidesWhatRuns } from '../variables/bound-variables.ts';
import { isSafeLocale } from '../variables/character-set.ts';
import type { Assignment, Opacity, Word } from './reading.ts';

/**
 * Whether a line may set the variable to the value, because the assignment does not change what runs.
 * @param value null: not known, or no value. A value that is only known at run time counts like null
 */
export const maySet = (name: string, value: Word | null): boolean =>
  !decidesWhatRuns(name) || (value?.kind === 'literal' && isSafeLocale(name, value.value));

/** Whether this is the name of a variable, without an index. An index is refused, because bash evaluates it. */
export const isVariableName = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);

/** Returns why these assignments make the line opaque; empty if they do not. */
export const assignmentOpacities = (assignments: readonly Assignment[]): readonly Opacity[] =>
  assignments
    .filter(({ name, value }) => !maySet(name, value))
    .map(({ name }) => ({ ...because('sets-deciding-variable'), source: name }));
