/** The options `--term` and `--for`, and the term that results from them. */
import type { Option } from 'commander';
import { type Failure, failure } from '../../core/failure.ts';
import type { Term } from '../../core/grant/grant.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { parseDuration } from '../../core/text/duration.ts';
import { newOption } from '../commander.ts';
import { choiceOption, valueParser } from '../option-values.ts';

const TERMS: readonly Term['kind'][] = ['once', 'timed', 'always'];
const LIFETIMES = 'write --for 15m, 1h or 8h';

/** @property for in milliseconds */
export interface TermOptions {
  readonly term?: Term['kind'];
  readonly for?: number;
}

export const termOption = (description: string): Option =>
  choiceOption('--term <term>', description, TERMS, (text) =>
    failure('usage', `there is no term ${text}`, 'write once, timed or always'),
  );

/** A lifetime means `--term timed`, unless another term is given. */
export const lifetimeOption = (description: string): Option =>
  newOption('--for <duration>', description)
    .argParser(
      valueParser(parseDuration, (text) =>
        failure('usage', `--for needs a duration, and ${text} is no duration`, LIFETIMES),
      ),
    )
    .implies({ term: 'timed' });

/** Fails if `timed` has no lifetime. Also fails if another term has a lifetime: the lifetime would have no effect. */
export function termOf(term: Term['kind'], lifetimeMs: number | undefined, nowMs: number): Result<Term, Failure> {
  if (term === 'timed')
    return lifetimeMs === undefined
      ? failed(failure('usage', '--term timed needs --for', LIFETIMES))
      : success({ kind: 'timed', untilMs: nowMs + lifetimeMs });
  return lifetimeMs === undefined
    ? success({ kind: term })
    : failed(failure('usage', `--for goes with --term timed, not with ${term}`));
}
