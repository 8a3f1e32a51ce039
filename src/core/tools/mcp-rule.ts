/**
 * A rule file says what the tools of an MCP server do. The file decides how the approver sees a call, and whether a scope may cover the
 * call.
 */

import type { Risk } from '../effects/permission.ts';
import { type Fault, fault } from '../fault.ts';
import { FILE_VERBS, type FileVerb, isReading } from '../files/file-operation.ts';
import { otherReading } from '../files/path-text.ts';
import type { ExecutionRequest } from '../grant/request.ts';
import { failed, type Result, success } from '../result.ts';
import { isRecord } from '../shape.ts';
import { baseName } from '../text/path.ts';
import { type McpCall, parsedObject } from './mcp-call.ts';

/**
 * @property sentence what the tool does, in the present tense, for the approver
 * @property paths    the arguments that are paths, and what the tool does at these paths
 * @property free     harmless arguments. If an argument of a call is neither in `free` nor in `paths`, the effect of the call is unknown
 * @property isPure   whether the tool only reads and has no paths
 */
interface McpToolRule {
  readonly sentence: string;
  readonly paths: Readonly<Record<string, FileVerb>>;
  readonly free: readonly string[];
  readonly isPure: boolean;
}

/**
 * @property server the server's name, for people
 * @property match  names of programs or packages that are this server. A program may be in any directory
 */
export interface McpServerRule {
  readonly server: string;
  readonly match: readonly string[];
  readonly tools: Readonly<Record<string, McpToolRule>>;
}

/** @property asked the path as the tool gets it; absolute */
export interface McpPath {
  readonly verb: FileVerb;
  readonly asked: string;
}

/**
 * - `known`:   the rule file says what the call does. `paths` are the paths of this call, in the order of the arguments. `isReading`: the
 *              called tool only reads. `tools` names every tool of the server that has paths and only reads. The called tool need not
 *              be among `tools`
 * - `unknown`: it is not known what the call does. `why` is the reason; the words continue a sentence that begins with "it"
 */
export type McpEffect =
  | {
      readonly kind: 'known';
      readonly sentence: string;
      readonly risk: Risk;
      readonly isReading: boolean;
      readonly paths: readonly McpPath[];
      readonly tools: readonly string[];
    }
  | { readonly kind: 'unknown'; readonly why: string };

const unknown = (why: string): McpEffect => ({ kind: 'unknown', why });

/**
 * Returns what a call does, according to the rule file of the called server.
 * @param argv the command that started the server
 */
export function mcpEffectOf(
  rules: readonly McpServerRule[],
  argv: readonly string[],
  { tool, protocol, arguments: given }: Pick<McpCall, 'tool' | 'protocol' | 'arguments'>,
): McpEffect {
  if (protocol !== undefined) return unknown('is a tool of an agent, and only the agent knows what it does');
  const rule = mcpRuleFor(rules, argv);
  if (rule === null) return unknown('is a tool of a server without a rule file');
  const found = Object.hasOwn(rule.tools, tool) ? rule.tools[tool] : undefined;
  if (found === undefined) return unknown(`is a tool that the rule file of ${rule.server} does not know`);
  const paths: McpPath[] = [];
  for (const [name, value] of Object.entries(parsedObject(given) ?? {})) {
    const verb = Object.hasOwn(found.paths, name) ? found.paths[name] : undefined;
    if (verb === undefined && !found.free.includes(name))
      return unknown(`has an argument that the rule file does not list: ${name}`);
    if (verb === undefined) continue;
    const asked = Array.isArray(value) ? value : [value];
    if (!asked.every((each): each is string => typeof each === 'string' && each.startsWith('/')))
      return unknown(`has an argument that is not an absolute path: ${name}`);
    const reading = asked.map((each) => otherReading(each)).find((each) => each !== null);
    if (reading !== undefined)
      return unknown(`has a path that not all servers read in the same way (some servers ${reading}): ${name}`);
    paths.push(...asked.map((each) => ({ verb, asked: each })));
  }
  if (paths.length === 0 && Object.keys(found.paths).length > 0) return unknown('names no path');
  const isOnlyReading = isReadingTool(found);
  return {
    kind: 'known',
    sentence: found.sentence,
    risk: isOnlyReading ? 'low' : paths.some(({ verb }) => verb === 'delete') ? 'high' : 'medium',
    isReading: isOnlyReading,
    paths,
    tools: readingTools(rule),
  };
}

const isReadingTool = ({ paths, isPure }: McpToolRule): boolean =>
  isPure || (Object.keys(paths).length > 0 && Object.values(paths).every(isReading));

/** Returns the tools that have paths and only read. A tool without paths gets a scope of its own. */
const readingTools = ({ tools }: McpServerRule): readonly string[] =>
  Object.entries(tools)
    .filter(([, tool]) => !tool.isPure && isReadingTool(tool))
    .map(([name]) => name)
    .sort();

/** Programs that fetch a package by name and run the package. For each program: the options that may come before the package's name. */
const FETCHERS: Readonly<Record<string, readonly string[]>> = { npx: ['-y', '--yes'], bunx: [], uvx: [] };
/** Programs that run a file. */
const INTERPRETERS: ReadonlySet<string> = new Set(['node', 'bun', 'deno', 'python', 'python3']);

/**
 * Returns the rule file that fits the command of a server; null: no rule file fits. Only one word counts: the word that names the program
 * or package.
 */
export function mcpRuleFor(rules: readonly McpServerRule[], argv: readonly string[]): McpServerRule | null {
  const [first = '', ...rest] = argv;
  const runner = baseName(first);
  const quiet = Object.hasOwn(FETCHERS, runner) ? FETCHERS[runner] : undefined;
  if (quiet !== undefined) {
    const word = rest.find((each) => !quiet.includes(each)) ?? '';
    return rules.find(({ match }) => packagesIn(match).some((name) => isPackage(runner, word, name))) ?? null;
  }
  const word = INTERPRETERS.has(runner) ? (rest[0] ?? '') : first;
  const isByName = (name: string) => word === name && !INTERPRETERS.has(runner);
  return rules.find(({ match }) => match.some((name) => isByName(name) || isFileOf(word, name))) ?? null;
}

/**
 * Returns the names that count as packages. If one name has an npm scope (`@…`), the names without a scope are only names of programs.
 * Another person can publish a package under the name of a program.
 */
function packagesIn(match: readonly string[]): readonly string[] {
  const scoped = match.filter((name) => name.startsWith('@'));
  return scoped.length > 0 ? scoped : match;
}

/**
 * Whether the word is `NAME`, or `NAME@` with a version. For npx and bunx, a range or a tag may follow. A fetcher also accepts other
 * words: `NAME@https://…`, `NAME@npm:OTHER`, `NAME@.`, `NAME@x.tgz`, `OWNER/NAME`. These other words do not mean the package NAME. For
 * uvx, `NAME@x` is the directory `x`.
 */
const isPackage = (runner: string, word: string, name: string): boolean =>
  word === name || (word.startsWith(`${name}@`) && isVersion(runner, word.slice(name.length + 1)));

const isVersion = (runner: string, text: string): boolean =>
  text === 'latest' || (runner === 'uvx' ? PYTHON_VERSION : NPM_VERSION).test(text);

const PYTHON_VERSION = /^\d+(?:\.\d+)*(?:(?:a|b|rc)\d+)?(?:\.post\d+)?(?:\.dev\d+)?$/;
/** A version or a range without blanks, or a tag. The name of an archive (`x.tgz`) does not match: after a dot, only digits or `x` fit. */
const NPM_VERSION = /^(?:[\^~]?\d+(?:\.(?:\d+|x)){0,2}(?:-[a-z][a-z-]*\d*(?:\.\d+)*)?|[a-z][a-z0-9-]*)$/i;

/**
 * Whether the word is `/…/NAME`, or a file in the package: `/…/node_modules/NAME/dist/index.js`. A package can contain other packages, so
 * only the last `node_modules` counts. False for a relative path: it depends on the working directory. False for a path with `.` or `..`:
 * it can lead out of the package.
 */
function isFileOf(word: string, name: string): boolean {
  if (!word.startsWith('/') || /\/(?:\.{0,2})(?:\/|$)/.test(word)) return false;
  const inPackages = word.slice(word.lastIndexOf('/node_modules/') + 1);
  return baseName(word) === name || inPackages.startsWith(`node_modules/${name}/`);
}

const TOOL_KEYS: readonly string[] = [...FILE_VERBS, 'does', 'free', 'only_reads'];

/** Reads the parsed TOML of a rule file. The fault does not name the file. */
export function readMcpRule(table: Readonly<Record<string, unknown>>): Result<McpServerRule, Fault> {
  const { server, match, tools } = table;
  const unknownKey = Object.keys(table).find((key) => !['server', 'match', 'tools'].includes(key));
  if (unknownKey !== undefined) return failed(fault(`unknown key ${unknownKey}; known: server, match, tools`));
  if (typeof server !== 'string' || server === '')
    return failed(fault('server is missing: write the name of the server'));
  if (!isTexts(match) || match.length === 0)
    return failed(fault('match is missing: list programs or packages of this server'));
  if (!isRecord(tools)) return failed(fault('tools are missing: write [tools.NAME]'));
  const read: Record<string, McpToolRule> = {};
  for (const [name, tool] of Object.entries(tools)) {
    const rule = isRecord(tool) ? readToolRule(tool) : failed(fault('write a table'));
    if (!rule.ok) return failed(fault(`tools.${name}: ${rule.failure.message}`));
    read[name] = rule.value;
  }
  return success({ server, match, tools: read });
}

function readToolRule(table: Readonly<Record<string, unknown>>): Result<McpToolRule, Fault> {
  const unknownKey = Object.keys(table).find((key) => !TOOL_KEYS.includes(key));
  if (unknownKey !== undefined) return failed(fault(`unknown key ${unknownKey}; known: ${TOOL_KEYS.join(', ')}`));
  const { does, free = [], only_reads: isPure = false } = table;
  if (typeof does !== 'string' || does === '')
    return failed(fault('does is missing: say in a sentence what the tool does'));
  if (!isTexts(free)) return failed(fault('free is a list of names of arguments'));
  if (typeof isPure !== 'boolean') return failed(fault('only_reads is true or false'));
  const paths: Record<string, FileVerb> = {};
  for (const verb of FILE_VERBS) {
    const names = table[verb] ?? [];
    if (!isTexts(names)) return failed(fault(`${verb} is a list of names of arguments`));
    for (const name of names) {
      if (Object.hasOwn(paths, name) || free.includes(name))
        return failed(fault(`the argument ${name} is listed twice`));
      paths[name] = verb;
    }
  }
  if (isPure && Object.keys(paths).length > 0) return failed(fault('only_reads is for tools without a path'));
  return success({ sentence: does, paths, free, isPure });
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string' && each !== '');

/**
 * Whether the host sent exactly the paths of the call: the same paths and verbs, in the same order. If the effect is unknown, the host must
 * send no path.
 */
export function agreesWithPaths(effect: McpEffect, { files = [] }: ExecutionRequest): boolean {
  if (effect.kind === 'unknown') return files.length === 0;
  return (
    files.length === effect.paths.length &&
    effect.paths.every(({ verb, asked }, at) => files[at]?.verb === verb && files[at]?.askedPath === asked)
  );
}
