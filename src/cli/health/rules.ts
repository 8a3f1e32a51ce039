/** Checks whether the rule files can be read. Without rules, a grant covers only the exact bytes of a command line. */
import { existsSync, readdirSync } from 'node:fs';
import type { Installation } from '../../platform/installation.ts';
import { type CheckResult, fail, ok } from './check.ts';

export async function rules({ dist, paths }: Installation): Promise<CheckResult> {
  const { loadRules, ruleDirectory } = await import('../../platform/rule-files.ts');
  const loaded = await loadRules(dist, paths.configFile);
  if (!loaded.ok) return fail(loaded.failure);
  const directory = ruleDirectory(paths.configFile);
  const own = existsSync(directory) ? readdirSync(directory).filter((name) => name.endsWith('.toml')) : [];
  return ok(
    own.length === 0 ? 'built-in rules' : `built-in rules, and ${own.length} rule files of yours in ${directory}`,
  );
}
