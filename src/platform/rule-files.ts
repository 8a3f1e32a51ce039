/** The rules of this installation: `dist/rules.json`, and the user's `rules.d/*.toml` beside `config.toml`. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Failure, failure } from '../core/failure.ts';
import { parseText } from '../core/reading/parse-text.ts';
import { failed, type Result, success } from '../core/result.ts';
import type { RuleBook, ToolRule } from '../core/rules/rule.ts';
import { type CompiledRules, makeRuleBook } from '../core/rules/rule-book.ts';
import { readRuleFile } from '../core/rules/rule-file.ts';
import { loadBashParser } from './bash-parser.ts';
import { ownRuleFiles } from './own-rule-files.ts';
import { errorCode, readPrivateFile } from './private-files.ts';
import { loadTomlParser } from './toml-parser.ts';

/** The directory of the user's own rule files. */
export const ruleDirectory = (configFile: string): string => join(dirname(configFile), 'rules.d');

/**
 * Returns all rules. The user's rules override the built-in rules. If two files of the user describe one tool, the file whose name sorts
 * last wins. Loads parsers only if the user has rule files. The returned rule book parses the built-in rules of a tool when the tool is
 * first used.
 *
 * Fails (78) if a file is not private, cannot be read, or is wrong. For a wrong file of the user, the message begins with
 * `FILE:LINE:COLUMN`. One wrong file makes the whole call fail: the built-in rule that the file replaces must not apply instead.
 */
export async function loadRules(dist: string, configFile: string): Promise<Result<RuleBook, Failure>> {
  const own = await readOwnRules(ruleDirectory(configFile));
  if (!own.ok) return own;
  let compiled: CompiledRules;
  try {
    compiled = JSON.parse(readFileSync(join(dist, 'rules.json'), 'utf8')) as CompiledRules;
  } catch (error) {
    return failed(failure('configuration', `cannot read the rules in ${dist} (${errorCode(error)})`, 'install again'));
  }
  return success(makeRuleBook(compiled, own.value));
}

async function readOwnRules(directory: string): Promise<Result<readonly ToolRule[], Failure>> {
  const files = ownRuleFiles(directory);
  if (!files.ok) return files;
  if (files.value.length === 0) return success([]);
  const [parseToml, parse] = await Promise.all([loadTomlParser(), loadBashParser()]);
  const rules: ToolRule[] = [];
  for (const path of files.value) {
    const text = readPrivateFile(path);
    if (!text.ok) return text;
    if (text.value === null) continue;
    const rule = readRuleFile(text.value, path, parseToml, (line) => {
      const { commands, opaque } = parseText(line, parse);
      return opaque.length > 0 ? null : commands;
    });
    if (!rule.ok) return rule;
    rules.push(rule.value);
  }
  return success(rules);
}
