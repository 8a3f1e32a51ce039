// ape-shell: gates the tools of opencode and Kilo CLI. `apes hooks install` writes this file, and replaces the whole file.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { askGuard, report } from '../guard-client.js';

/**
 * Where this harness has its settings. `apes hooks install` writes the values. `user` is relative to the user's configuration directory.
 */
const PLACE = { isManaged: false, shell: '', prefix: '', machine: [''], machinePlugin: '', user: [''], project: [''] };

const REPORTED =
  /^(session\.idle|permission\.(asked|replied)|question\.(asked|replied|rejected)|server\.instance\.disposed)$/;

/**
 * Matches a string, a comment, or a comma before a closing bracket. `parsed` keeps the strings. Comments may be between the comma and the
 * bracket. The pattern can match each of these comments only as a whole: if it could split comments, the search in a long line of slashes
 * would take exponential time.
 */
const NO_JSON =
  /"(?:\\.|[^"\\])*"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|,(?=(?:\s|\/\/[^\n]*(?:\n|$)|\/\*(?:[^*]|\*(?!\/))*\*\/)*[}\]])/g;

/**
 * @param {string} text
 * @returns {any} the settings; their form is not checked
 */
const parsed = (text) => JSON.parse(text.replace(NO_JSON, (found) => (found.startsWith('"') ? found : ' ')));

/**
 * Reads settings of the user or the machine. Returns an empty object if the file cannot be read.
 * @param {string} file
 */
function settingsIn(file) {
  try {
    return parsed(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}

/**
 * @param {any} value
 * @returns {any} the same value, with the members of each object sorted by name
 */
const sorted = (value) => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, sorted(value[name])]),
  );
};
const isSame = (/** @type {unknown} */ one, /** @type {unknown} */ other) =>
  JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));

/**
 * @typedef {object} Config the part of opencode's settings that is used here
 * @property {string} [shell]
 * @property {Record<string, object>} [mcp]
 * @property {{ scope: string, spec: string | string[] }[]} [plugin_origins]
 *
 * @typedef {{ tool: string, callID: string }} Call
 * @typedef {{ type: string, properties?: { sessionID?: string, info?: { id?: unknown, parentID?: unknown } } }} BusEvent
 * @typedef {{ synthetic?: boolean, type: string, text?: string }} Part
 */

/**
 * Switches off each MCP server, unless the settings of the user or the machine have a server with the same name and the same settings.
 * @param {Config} config
 */
function closeServers(config) {
  const folder = process.env.XDG_CONFIG_HOME || join(homedir(), '.config');
  const files = [...PLACE.user.map((file) => join(folder, file)), ...PLACE.machine];
  const own = Object.assign({}, ...files.map((file) => settingsIn(file).mcp));
  const servers = config.mcp ?? {};
  for (const [name, server] of Object.entries(servers))
    if (!isSame(server, own[name])) servers[name] = { ...server, enabled: false };
}

/**
 * Returns the folders in which the project and the directories above it may have settings. The home directory is left out: the settings
 * there are the user's.
 * @param {string} directory
 */
function projectFolders(directory) {
  const found = [];
  for (let at = directory; ; at = dirname(at)) {
    if (at !== homedir()) found.push(at, ...PLACE.project.map((folder) => join(at, folder)));
    if (at === dirname(at)) return found;
  }
}

/** Kilo CLI reads the folder of opencode too. */
const TEXTS = [...new Set([...PLACE.project, '.opencode', '.claude/skills', '.agents/skills'])];

/**
 * Returns the folders from which the harness reads Markdown files: its own folders, and the folders where other harnesses have skills.
 * @param {string} directory
 */
const textFolders = (directory) =>
  projectFolders(directory)
    .filter((folder) => !PLACE.project.some((name) => folder.endsWith(`/${name}`)))
    .flatMap((folder) => TEXTS.map((name) => join(folder, name)));

/** @param {string} folder */
const programsIn = (folder) => namesIn(folder).filter((name) => /\.[cm]?[jt]s$/.test(name));

/** The most files and folders that are examined below one folder. */
const MAX_FILES = 10_000;

/**
 * Returns the Markdown files below `folder` that may have a program as front matter. opencode 1.18.33 and Kilo CLI 7.7.9 run the front
 * matter of an agent, a command or a skill if it begins with `---js`. Returns `folder` itself if more than `MAX_FILES` files are below it,
 * for example through a loop of links. Skips `node_modules` directly in `folder`: the harness reads no Markdown files there.
 * @param {string} folder
 */
function headsThatRun(folder) {
  const found = [];
  const waiting = [folder];
  let count = 0;
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for (const name of namesIn(at)) {
      count += 1;
      if (count > MAX_FILES) return [folder];
      const path = join(at, name);
      if (name.endsWith('.md') && hasProgram(path)) found.push(path);
      else if ((name !== 'node_modules' || at !== folder) && isFolder(path)) waiting.push(path);
    }
  }
  return found;
}

/** @param {string} path */
function isFolder(path) {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false; // the harness cannot open it either
  }
}

/** @param {string} folder */
function namesIn(folder) {
  try {
    return readdirSync(folder);
  } catch {
    return []; // the folder does not exist
  }
}

/** @param {string} file */
function hasProgram(file) {
  try {
    const text = readFileSync(file, 'utf8').replace(/^[\s\uFEFF]+/, '');
    return text.startsWith('---') && /^[^-]/.test((text.slice(3).split('\n')[0] ?? '').trim());
  } catch {
    return false; // it is a folder
  }
}

/**
 * Whether the setting `provider` names a package outside the AI SDK. The code of such a package runs inside the harness. The packages of
 * the AI SDK are parts of the harness itself.
 * @param {any} value
 * @returns {boolean}
 */
const namesPackage = (value) =>
  typeof value === 'object' &&
  value !== null &&
  Object.entries(value).some(([name, each]) =>
    name === 'npm' ? !/^@ai-sdk\/[\w-]+$/.test(String(each)) : namesPackage(each),
  );

/**
 * Whether a settings file names plugins, packages or folders with skills. Returns false for an empty file. Returns true for any other file
 * that we cannot parse, because opencode may be able to parse that file.
 * @param {string} file
 */
function namesCode(file) {
  let text;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return false; // the file does not exist
  }
  try {
    const { plugin, plugins, skills, provider } = parsed(text);
    const named = [plugin, plugins, skills].some((each) => Object.keys(each ?? {}).length > 0);
    return named || namesPackage(provider);
  } catch {
    return text.trim() !== '';
  }
}

/**
 * Returns the reason why no tool may run here; null if tools may run. If the harness loads code of the project, no gate sees what this code
 * does. We search for such code ourselves: opencode 1.18.33 loads plugins in two ways, and tells us only the plugins of one way.
 * @param {Config} config
 * @param {string} directory
 */
function codeOfProject(config, directory) {
  const named = (config.plugin_origins ?? []).filter(({ scope }) => scope !== 'global');
  const folders = projectFolders(directory);
  const code = [
    ...named.map(({ spec }) => String(Array.isArray(spec) ? spec[0] : spec)),
    ...folders
      .flatMap((folder) => ['plugin', 'plugins', 'tool', 'tools'].map((kind) => join(folder, kind)))
      .filter((folder) => PLACE.project.some((name) => dirname(folder).endsWith(`/${name}`)))
      .flatMap((folder) => programsIn(folder).map((name) => join(folder, name))),
    ...folders.flatMap((folder) => PLACE.user.map((file) => join(folder, basename(file)))).filter(namesCode),
    ...textFolders(directory).flatMap(headsThatRun),
  ];
  if (code.length === 0) return null;
  return `ape-shell: DENIED, nothing ran: this project has code loaded that no gate sees: ${code[0]}. A human has to check this code, and then remove it or start the program elsewhere`;
}

/**
 * Whether the machine's settings load this plugin too. If so, only the machine's plugin asks the guard. Otherwise a `once` grant would be
 * used twice. Returns false if PREFIX_TEST_MANAGED_CONFIG_DIR is set: the harness then reads the machine's settings from another directory.
 */
const isLoadedByMachine = () =>
  !PLACE.isManaged &&
  !process.env[`${PLACE.prefix}_TEST_MANAGED_CONFIG_DIR`] &&
  PLACE.machine.some((file) => [settingsIn(file).plugin].flat().includes(PLACE.machinePlugin));

/** @param {unknown} value */
function freezeAll(value) {
  if (typeof value !== 'object' || value === null) return;
  Object.freeze(value);
  for (const inner of Object.values(value)) freezeAll(inner);
}

/**
 * Puts the checked arguments into the object that the harness will use, and freezes this object. (The harness ignores a new object in
 * `output.args`.) If another plugin tries to change the frozen object, that plugin fails, and the call fails too.
 * @param {Record<PropertyKey, unknown>} target
 * @param {object} checked
 */
function put(target, checked) {
  for (const name of Reflect.ownKeys(target)) delete target[name];
  Object.assign(target, checked);
  freezeAll(target);
}

/** @param {{ directory?: string, worktree?: string }} place */
export const ApeShell = async ({ directory, worktree }) => {
  if (isLoadedByMachine()) return {};
  /** @type {string[]} */
  let servers = [];
  /** @type {Set<string>} the ids of conversations that the agent began */
  const subagents = new Set();
  const project = directory || worktree || process.cwd();
  let closed = PLACE.isManaged
    ? 'ape-shell: DENIED, nothing ran: the settings of this project were not looked at'
    : null;
  return {
    config: async (/** @type {Config} */ config) => {
      config.shell = PLACE.shell; // a project may have set another shell
      if (PLACE.isManaged) {
        closeServers(config);
        closed = codeOfProject(config, project);
      }
      servers = Object.keys(config?.mcp ?? {});
    },
    event: async (/** @type {{ event: BusEvent }} */ { event }) => {
      const { info, sessionID } = event.properties ?? {};
      if (typeof info?.parentID === 'string' && typeof info.id === 'string') subagents.add(info.id);
      // The end of a subagent's turn is not the end of the agent's turn.
      if (event.type === 'session.idle' && subagents.has(sessionID ?? '')) return;
      if (REPORTED.test(event.type)) void report({ hook_event_name: 'event', cwd: project, event });
    },
    // Parts that opencode itself adds to a prompt are left out.
    'chat.message': async (/** @type {{ sessionID?: string }} */ input, /** @type {{ parts?: Part[] }} */ output) => {
      // The agent itself has written the prompt of a subagent.
      if (subagents.has(input?.sessionID ?? '')) return;
      const parts = (output.parts ?? [])
        .filter(({ synthetic }) => synthetic !== true)
        .map(({ type, text }) => ({ type, text }));
      await report({ hook_event_name: 'chat.message', cwd: project, parts });
    },
    'tool.execute.before': async (
      /** @type {Call} */ call,
      /** @type {{ args?: Record<string, unknown> }} */ output,
    ) => {
      if (closed !== null) throw new Error(closed);
      const asked = structuredClone(output.args ?? {});
      await report({
        hook_event_name: 'tool.execute.before',
        cwd: project,
        tool_name: call.tool,
        tool_use_id: call.callID,
      });
      const input = await askGuard({ tool: call.tool, input: asked, cwd: project, project, servers });
      put(output.args ?? {}, input ?? asked);
    },
    'tool.execute.after': async (/** @type {Call} */ call) => {
      void report({
        hook_event_name: 'tool.execute.after',
        cwd: project,
        tool_name: call.tool,
        tool_use_id: call.callID,
      });
    },
  };
};
