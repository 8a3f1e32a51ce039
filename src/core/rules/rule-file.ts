/** Reads the text of a rule file, and checks its examples. A failure is one line with the position of the error. */

import { type Failure, failure } from '../failure.ts';
import { failed, type Result, success } from '../result.ts';
import { locateToml } from './locate-toml.ts';
import { type RuleProblem, readRule } from './read-rule.ts';
import type { ToolRule } from './rule.ts';
import { checkExamples, type ReadCommands } from './rule-examples.ts';

/** Returns the parsed text. Throws an error with `line` and `column` if the text is not TOML. */
export type ParseToml = (text: string) => Readonly<Record<string, unknown>>;

/**
 * Fails with `FILE:LINE:COLUMN: what is wrong` (exit status 78).
 * @param name the name of the file, as the failure shows it
 */
export function readRuleFile(
  text: string,
  name: string,
  parseToml: ParseToml,
  read: ReadCommands,
): Result<ToolRule, Failure> {
  let table: Readonly<Record<string, unknown>>;
  try {
    table = parseToml(text);
  } catch (error) {
    return failed(broken(name, placeOfError(error), firstLine(error)));
  }
  const rule = readRule(table);
  if (!rule.ok) return failed(located(text, name, rule.failure));
  const examples = checkExamples(table, rule.value, read);
  return examples.ok ? success(rule.value) : failed(located(text, name, examples.failure));
}

function located(text: string, name: string, { path, message }: RuleProblem): Failure {
  return broken(name, locateToml(text, path), message);
}

const broken = (name: string, { line, column }: { line: number; column: number }, message: string): Failure =>
  failure(
    'configuration',
    `${name}:${line}:${column}: ${message}`,
    'correct it, or move the file away',
    'rules.broken',
  );

function placeOfError(error: unknown): { line: number; column: number } {
  const { line, column } = error as { line?: unknown; column?: unknown };
  return { line: typeof line === 'number' ? line : 1, column: typeof column === 'number' ? column : 1 };
}

const firstLine = (error: unknown): string =>
  error instanceof Error ? (error.message.split('\n')[0] ?? '').replace(/^Invalid TOML document: /, '') : 'is not TOML';
