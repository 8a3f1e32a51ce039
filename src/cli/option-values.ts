/** Parsers of option and argument values for commander: each parser returns the typed value, or throws a `ValueFault`. */
import type { Argument, Option } from 'commander';
import { type Failure, failure } from '../core/failure.ts';
import { MAX_TIMER_MS, parseDuration } from '../core/text/duration.ts';
import { MAX_PORT } from '../core/text/host-and-port.ts';
import { newArgument, newOption, ValueFault } from './commander.ts';

/** Makes the failure for the text that the user wrote. */
type Wrong = (text: string) => Failure;

/**
 * Makes a parser.
 * @param find returns the value for a text; null or undefined: the text is not accepted
 */
export const valueParser =
  <T>(find: (text: string) => T | null | undefined, wrong: Wrong) =>
  (text: string): T => {
    const value = find(text);
    if (value === null || value === undefined) throw new ValueFault(wrong(text));
    return value;
  };

export const oneOf = <Word extends string>(words: readonly Word[], wrong: Wrong) =>
  valueParser((text) => words.find((word) => word === text), wrong);

/** An option whose value is one of `words`. The help and the completions list these words. */
export const choiceOption = (flags: string, description: string, words: readonly string[], wrong: Wrong): Option =>
  newOption(flags, description).choices(words).argParser(oneOf(words, wrong));

export const choiceArgument = (flags: string, description: string, words: readonly string[], wrong: Wrong): Argument =>
  newArgument(flags, description).choices(words).argParser(oneOf(words, wrong));

/** Parses a duration such as 90s into milliseconds. */
export const durationOf = (flag: string, examples = '90s, 15m or 1h') =>
  valueParser(parseDuration, (text) => failure('usage', `${flag} is ${text}`, `write a duration such as ${examples}`));

/** Parses a duration into milliseconds, and accepts at most `MAX_TIMER_MS`. */
export const timeoutOf = (flag: string, examples = '90s, 15m or 1h') =>
  valueParser(
    (text) => {
      const ms = parseDuration(text);
      return ms !== null && ms <= MAX_TIMER_MS ? ms : null;
    },
    (text) => failure('usage', `${flag} is ${text}`, `write a duration such as ${examples}, at most 24d`),
  );

/** Parses a whole number from `least` to `most` in decimal digits, without sign, fraction or exponent. */
export const wholeNumberOf = (least: number, most: number, wrong: Wrong) =>
  valueParser((text) => {
    const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    return number >= least && number <= most ? number : null;
  }, wrong);

/** Parses a whole number from `least` to `most`; the failure names the option and this range. */
export const countOf = (flag: string, least: number, most: number) =>
  wholeNumberOf(least, most, (text) =>
    failure('usage', `${flag} is ${text}`, `write a whole number from ${least} to ${most}`),
  );

/** Parses a port number. The number 0 means that the system chooses a port. */
export const portOf = (flag: string) => countOf(flag, 0, MAX_PORT);
