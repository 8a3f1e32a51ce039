/** Reads the rule files of MCP servers: the user's `mcp.d/*.toml` beside `config.toml`, and `dist/mcp-rules.json`. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Failure, failure } from '../core/failure.ts';
import { failed, type Result, success } from '../core/result.ts';
import { type McpServerRule, readMcpRule } from '../core/tools/mcp-rule.ts';
import { ownRuleFiles } from './own-rule-files.ts';
import { errorCode, readPrivateFile } from './private-files.ts';
import { loadTomlReader } from './toml.ts';

/** The directory of the user's own rule files. */
const mcpRuleDirectory = (configFile: string): string => join(dirname(configFile), 'mcp.d');

/**
 * Returns the user's rules, in the order of the file names, followed by the rules in `dist`. Fails (78), and loads no rule:
 * - if a file is wrong or cannot be read
 * - if the user's directory, or one of the user's files, is not private
 */
export async function loadMcpRules(
  dist: string,
  configFile: string,
): Promise<Result<readonly McpServerRule[], Failure>> {
  const own = await readOwn(mcpRuleDirectory(configFile));
  if (!own.ok) return own;
  try {
    const built = JSON.parse(readFileSync(join(dist, 'mcp-rules.json'), 'utf8')) as readonly McpServerRule[];
    return success([...own.value, ...built]);
  } catch (error) {
    return failed(
      failure('configuration', `cannot read the MCP rules in ${dist} (${errorCode(error)})`, 'install again'),
    );
  }
}

async function readOwn(directory: string): Promise<Result<readonly McpServerRule[], Failure>> {
  const files = ownRuleFiles(directory);
  if (!files.ok) return files;
  const rules: McpServerRule[] = [];
  const readToml = files.value.length === 0 ? null : await loadTomlReader();
  for (const path of files.value) {
    const text = readPrivateFile(path);
    if (!text.ok) return text;
    if (text.value === null || readToml === null) continue;
    const table = readToml(text.value);
    if (!table.ok) return failed(broken(`${path}:${table.failure.line}`, table.failure.message));
    const rule = readMcpRule(table.value);
    if (!rule.ok) return failed(broken(path, rule.failure.message));
    rules.push(rule.value);
  }
  return success(rules);
}

const broken = (place: string, message: string): Failure =>
  failure('configuration', `${place}: ${message}`, 'correct it, or move the file away', 'rules.broken');
