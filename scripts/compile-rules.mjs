/**
 * Reads every rule file in src/rules, checks its examples, and makes one JSON text of all rule files.
 *
 *   node scripts/compile-rules.mjs        only checks: status 1 and one line for each broken file
 *
 * The text is { "names": { NAME: TOOL }, "tools": { TOOL: the rule file without its examples, as JSON text } }. The rule files are texts
 * inside the JSON, so that a reader parses only those that it needs.
 */
import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { parse as parseToml } from 'smol-toml';
import { parse } from 'unbash';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Loads functions of src/core, which are bundled first, because Node cannot load TypeScript. */
async function core() {
  const contents = `export { readMcpRule } from './src/core/tools/mcp-rule.ts';
    export { readRuleFile } from './src/core/rules/rule-file.ts';
    export { parseText } from './src/core/reading/parse-text.ts';`;
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    format: 'esm',
    write: false,
    logLevel: 'warning',
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0]?.contents ?? '').toString('base64')}`);
}

/** @returns {Promise<string>} the rule files of MCP servers in src/mcp-rules, as JSON text; throws for a broken one */
export async function compileMcpRules() {
  const { readMcpRule } = await core();
  const rules = [];
  for (const file of readdirSync(`${root}/src/mcp-rules`).sort()) {
    const rule = readMcpRule(parseToml(readFileSync(`${root}/src/mcp-rules/${file}`, 'utf8')));
    if (!rule.ok) throw new Error(`src/mcp-rules/${file}: ${rule.failure.message}`);
    rules.push(rule.value);
  }
  return JSON.stringify(rules);
}

/**
 * @param {(file: string) => boolean} only returns whether to include a file
 * @returns {Promise<{ text: string, failures: readonly string[], count: number }>} the JSON text; a line for each broken file
 */
export async function compileRules(only = (_file) => true) {
  const { readRuleFile, parseText } = await core();
  /** @param {string} line */
  const commandsOf = (line) => {
    const { commands, opaque } = parseText(line, parse);
    return opaque.length > 0 ? null : commands;
  };
  const failures = [];
  /** @type {Record<'names' | 'tools', Record<string, string>>} */
  const rules = { names: {}, tools: {} };
  for (const file of readdirSync(`${root}/src/rules`).sort()) {
    if (!file.endsWith('.toml') || !only(file)) continue;
    const text = readFileSync(`${root}/src/rules/${file}`, 'utf8');
    const rule = readRuleFile(text, file, parseToml, commandsOf);
    if (!rule.ok) {
      failures.push(rule.failure.message);
      continue;
    }
    const { tool, others } = rule.value;
    for (const name of [rule.value, ...others].flatMap(({ names }) => names)) {
      if (rules.names[name] !== undefined) failures.push(`${file}: ${name} is a name of ${rules.names[name]} already`);
      rules.names[name] = tool;
    }
    const { match, not_match, ...table } = parseToml(text);
    rules.tools[tool] = JSON.stringify(table);
  }
  return { text: JSON.stringify(rules), failures, count: Object.keys(rules.tools).length };
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const wanted = process.argv.slice(2);
  const { failures, count, text } = await compileRules((file) => wanted.length === 0 || wanted.includes(file));
  for (const each of failures) console.error(each);
  console.log(`${count} tools, ${text.length} bytes`);
  process.exit(failures.length === 0 ? 0 : 1);
}
