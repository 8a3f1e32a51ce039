/** Parsers of option and argument values for commander: each returns the typed value, or throws a `ValueFault`. */
import type { Argument, Option } from 'commander';
import { type Failure, failure } from '../core/failure.ts';
import { parseDuration } from '../core/text/duration.ts';
import { newArgument, newOption, ValueFault } from './commander.ts';

/** Makes the failure for the text that the user wrote. */
type Wrong = (text: string) => Failure;

/** @param find returns null or undefined if there is no such value */
export const foundBy =
  <T>(find: (text: string) => T | null | undefined, wrong: Wrong) =>
  (text: string): T => {
    const value = find(text);
    if (value === null || value === undefined) throw new ValueFault(wrong(text));
    return value;
  };

export const oneOf = <Word extends string>(words: readonly Word[], wrong: Wrong) =>
  foundBy((text) => words.find((word) => word === text), wrong);

/** An option with one of these words, which the help and the completions list. */
export const choiceOption = (flags: string, description: string, words: readonly string[], wrong: Wrong): Option =>
  newOption(flags, description).choices(words).argParser(oneOf(words, wrong));

export const choiceArgument = (flags: string, description: string, words: readonly string[], wrong: Wrong): Argument =>
  newArgument(flags, description).choices(words).argParser(oneOf(words, wrong));

/** A duration, in milliseconds. */
export const durationOf = (flag: string, examples = '90s, 15m or 1h') =>
  foundBy(parseDuration, (text) => failure('usage', `${flag} is ${text}`, `write a duration such as ${examples}`));

/** A whole number in decimal digits: no sign, no fraction, no exponent. */
export const wholeNumberOf = (least: number, most: number, wrong: Wrong) =>
  foundBy((text) => {
    const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    return number >= least && number <= most ? number : null;
  }, wrong);

/** Reads a whole number, with the usual failure. */
export const countOf = (flag: string, least: number, most: number) =>
  wholeNumberOf(least, most, (text) =>
    failure('usage', `${flag} is ${text}`, `write a whole number from ${least} to ${most}`),
  );

/** A port; 0 lets the system choose. */
export const portOf = (flag: string) => countOf(flag, 0, 65_535);
