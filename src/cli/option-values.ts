/** What the values of options and arguments may be: parsers for commander, which give the typed value or throw a `ValueFault`. */
import type { Argument, Option } from 'commander';
import { type Failure, failure } from '../core/failure.ts';
import { parseDuration } from '../core/text/duration.ts';
import { newArgument, newOption, ValueFault } from './commander.ts';

/** The failure for what the user wrote. */
type Wrong = (text: string) => Failure;

/** @param find null or undefined: there is no such value */
export const foundBy =
  <T>(find: (text: string) => T | null | undefined, wrong: Wrong) =>
  (text: string): T => {
    const value = find(text);
    if (value === null || value === undefined) throw new ValueFault(wrong(text));
    return value;
  };

export const oneOf = <Word extends string>(words: readonly Word[], wrong: Wrong) =>
  foundBy((text) => words.find((word) => word === text), wrong);

/** With the words in the help and in the completions. */
export const choiceOption = (flags: string, description: string, words: readonly string[], wrong: Wrong): Option =>
  newOption(flags, description).choices(words).argParser(oneOf(words, wrong));

export const choiceArgument = (flags: string, description: string, words: readonly string[], wrong: Wrong): Argument =>
  newArgument(flags, description).choices(words).argParser(oneOf(words, wrong));

/** In milliseconds. */
export const durationOf = (flag: string, examples = '90s, 15m or 1h') =>
  foundBy(parseDuration, (text) => failure('usage', `${flag} is ${text}`, `write a duration such as ${examples}`));

/** Decimal digits alone: no sign, no fraction, no exponent. */
export const wholeNumberOf = (least: number, most: number, wrong: Wrong) =>
  foundBy((text) => {
    const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    return number >= least && number <= most ? number : null;
  }, wrong);

/** The same, with the usual words for what is wrong. */
export const countOf = (flag: string, least: number, most: number) =>
  wholeNumberOf(least, most, (text) =>
    failure('usage', `${flag} is ${text}`, `write a whole number from ${least} to ${most}`),
  );

/** 0 lets the system choose. */
export const portOf = (flag: string) => countOf(flag, 0, 65_535);
