/** Which variables a line may set without changing what commands mean or do. */
import { because } from '../reasons/reason.ts';
import { decidesWhatRuns } from '../variables/bound-variables.ts';
import { isSafeLocale } from '../variables/character-set.ts';
import type { Assignment, Opacity, Word } from './reading.ts';

/** @param value what it is set to; null when that is not known, or nothing */
export const maySet = (name: string, value: Word | null): boolean =>
  !decidesWhatRuns(name) || (value?.kind === 'literal' && isSafeLocale(name, value.value));

/** A name bash takes for a variable and nothing else: no index, which it would evaluate. */
export const isVariableName = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);

/** Why a human has to look at these assignments; empty when they are harmless. */
export const assignmentOpacities = (assignments: readonly Assignment[]): readonly Opacity[] =>
  assignments
    .filter(({ name, value }) => !maySet(name, value))
    .map(({ name }) => ({ ...because('sets-deciding-variable'), source: name }));
