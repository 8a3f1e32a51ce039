/**
 * The files of a project that opencode and Kilo CLI read (names found in opencode 1.18.33 and Kilo CLI 7.7.9; opencode.ai/docs: config,
 * plugins, agents, commands, skills, tui). Both harnesses read these files in every directory from the project up to the root of the
 * repository.
 */
import { jsonWith, type Members, unlessManaged } from '../project-examiners.ts';
import { examined, harmless, type ProjectPlaces, reported } from '../project-places.ts';
import { agentsFolder, skillsIn, textsIn } from '../project-rows.ts';
import type { OpencodeFamily } from './family.ts';

/**
 * `npm` names a package. The code of the package runs in the process of the harness. The packages of the AI SDK are not reported: the
 * harness itself contains these packages.
 */
const PROVIDER: Members = {
  npm: (value, name) => ({ names: /^@ai-sdk\/[\w-]+$/.test(String(value)) ? [] : [name], phrases: [] }),
  name: 'any',
  env: 'any',
  whitelist: 'any',
  blacklist: 'any',
  options: { apiKey: 'any', baseURL: 'any', timeout: 'any', setCacheKey: 'any' },
  models: {
    '*': {
      id: 'any',
      name: 'any',
      limit: 'any',
      cost: 'any',
      attachment: 'any',
      reasoning: 'any',
      temperature: 'any',
      tool_call: 'any',
      modalities: 'any',
      variants: 'any',
    },
  },
};

const SETTINGS: Members = {
  $schema: 'any',
  theme: 'any',
  model: 'any',
  small_model: 'any',
  default_agent: 'any',
  autoupdate: 'any',
  share: 'any',
  snapshot: 'any',
  username: 'any',
  keybinds: 'any',
  layout: 'any',
  instructions: 'any',
  permission: 'any',
  tools: 'any',
  agent: 'any',
  mode: 'any',
  // A command can contain shell text after `!`. The program in the setting `shell` runs this text. `apes hooks install` sets `shell` to
  // ape-shell. If a project sets another shell, our plugin sets `shell` to ape-shell again.
  command: 'any',
  shell: 'any',
  compaction: 'any',
  watcher: 'any',
  disabled_providers: 'any',
  enabled_providers: 'any',
  provider: { '*': PROVIDER },
  formatter: unlessManaged('off'),
  lsp: unlessManaged('off'),
  mcp: unlessManaged('off'),
  plugin: 'off',
  plugins: 'off',
};

const WINDOW: Members = {
  $schema: 'any',
  theme: 'any',
  keybinds: 'any',
  scroll_speed: 'any',
  scroll_acceleration: 'any',
  diff_style: 'any',
  mouse: 'any',
  plugin: 'off',
};

/** The harness itself writes `package.json`. At each start, the harness installs the packages that this file names. */
const PACKAGE: Members = {
  private: 'any',
  dependencies: (value, name) => ({
    names: Object.entries(Object(value))
      .filter(([each, version]) => !isOwnPackage(each, version))
      .map(([each]) => `${name}.${each}`),
    phrases: [],
  }),
};
const isOwnPackage = (name: string, version: unknown): boolean =>
  /^@(?:opencode-ai|kilocode)\/plugin$/.test(name) && typeof version === 'string' && /^[\w.^~-]+$/.test(version);

/**
 * Bun in opencode and Kilo CLI obeys `tsconfig.json` and `jsconfig.json` of the start directory and of each directory above. `paths` can
 * replace a module of the harness by a file (seen in opencode 1.18.33 and Kilo CLI 7.7.9). An entry for a name that begins with `@/`, `~/`,
 * `#/` or `$/` is harmless: no package has a name of this form. `extends` names another file that can have `paths`.
 */
const COMPILER: Members = {
  '*': 'any',
  extends: 'off',
  compilerOptions: {
    '*': 'any',
    baseUrl: 'off',
    paths: (value, name) => ({
      names: Object.keys(Object(value))
        .filter((each) => !/^[@~#$]\//.test(each))
        .map((each) => `${name}.${each}`),
      phrases: [],
    }),
  },
};

/**
 * Packages that the bundle of the harness requires but does not contain. opencode and Kilo CLI look for these packages in `node_modules` of
 * the start directory and of each directory above. `esprima` was seen to run at each start.
 */
const OUTSIDE = ['esprima', 'node-gyp', '@aws-sdk/signature-v4-crt', '@aws-sdk/signature-v4a'].flatMap((name) => [
  `node_modules/${name}`,
  `node_modules/${name}.*`,
]);

export const familyPlaces = (family: OpencodeFamily): ProjectPlaces => {
  const folders = family.name === 'kilo' ? [...family.projectFolders, '.opencode'] : family.projectFolders;
  const below = (...names: readonly string[]) => folders.flatMap((folder) => names.map((name) => `${folder}/${name}`));
  const json = (...names: readonly string[]) =>
    names.flatMap((name) => [`${name}.json`, `${name}.jsonc`]).flatMap((name) => [name, ...below(name)]);
  return {
    folders: [...folders, '.agents'],
    rows: [
      examined(jsonWith(SETTINGS), ...json(...family.settings)),
      examined(jsonWith(WINDOW), ...json('tui')),
      examined(jsonWith(COMPILER), 'tsconfig.json', 'jsconfig.json'),
      reported(`it is a package that ${family.title} loads, past every gate`, ...OUTSIDE),
      harmless(...below('plugin/*.md', 'plugins/*.md', 'tool/*.md', 'tools/*.md')),
      reported(
        `it is code that runs inside of ${family.title}, past every gate`,
        ...below('plugin/**', 'plugins/**', 'tool/**', 'tools/**'),
      ),
      examined(jsonWith(PACKAGE), ...below('package.json')),
      harmless(...below('bun.lock', 'bun.lockb', 'package-lock.json', '.gitignore', 'node_modules/**')),
      harmless(...below('AGENTS.md', 'README.md', 'themes/**', 'plans/**', 'worktrees/**', 'rules/**')),
      ...textsIn(below('agent', 'agents', 'command', 'commands', 'mode', 'modes', 'workflows')),
      ...skillsIn([...below('skill', 'skills'), '.claude/skills']),
      ...agentsFolder(),
      ...(family.name === 'kilo' ? [reported('it can define modes and servers of Kilo Code', '.kilocodemodes')] : []),
    ],
  };
};
