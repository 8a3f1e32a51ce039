/** Which variables a line can set without a change of what commands mean or do. */
import { because } from '../reasons/reason.ts';
import { decidesWhatRuns } from '../variables/bound-variables.ts';
import { isSafeLocale } from '../variables/character-set.ts';
import type { Assignment, Opacity, Word } from './reading.ts';

/**
 * Whether a line can set the variable to the value without a change of what runs.
 * @param value null: the value is not known, or the variable gets no value. A word that is only known at run time counts like null
 */
export const maySet = (name: string, value: Word | null): boolean =>
  !decidesWhatRuns(name) || (value?.kind === 'literal' && isSafeLocale(name, value.value));

/** Whether this is the name of a variable without an index. bash would evaluate an index. */
export const isVariableName = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);

/** Why these assignments make the line opaque; empty when they are harmless. */
export const assignmentOpacities = (assignments: readonly Assignment[]): readonly Opacity[] =>
  assignments
    .filter(({ name, value }) => !maySet(name, value))
    .map(({ name }) => ({ ...because('sets-deciding-variable'), source: name }));
