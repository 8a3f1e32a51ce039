/** The rows that the tables of Gemini CLI and Qwen Code have in common. Qwen Code is a fork of Gemini CLI. */
import { type BashByPath, isOurHook } from './bash-by-path.ts';
import {
  jsonWith,
  type Members,
  onlyOwnHooks,
  textWith,
  tomlWith,
  unlessManaged,
  variables,
} from './project-examiners.ts';
import { type Examiner, examined, harmless, type PlaceRow, reported } from './project-places.ts';
import { agentsFolder, PLAIN_HEAD, skillsIn, textsIn } from './project-rows.ts';

const WITH_SHELL = 'it runs !{…} without the hook; only the PATH shim gates that';

/** If the text of a slash command contains `!{COMMAND}`, both harnesses run COMMAND when a person or `-p` calls the slash command. */
const command: Examiner = textWith(PLAIN_HEAD, [/!\{/, WITH_SHELL]);
const tomlCommand: Examiner = tomlWith({
  description: 'any',
  prompt: (value) => ({
    names: typeof value === 'string' ? [] : ['prompt'],
    phrases: typeof value === 'string' && value.includes('!{') ? [WITH_SHELL] : [],
  }),
});

/**
 * Lists the settings of both harnesses, and the harmless values of each setting. A harmless value names no program and switches no hook
 * off. Older versions had settings without groups. Those settings are left out.
 */
const SETTINGS: Members = {
  $schema: 'any',
  $version: 'any',
  model: 'any',
  general: {
    vimMode: 'any',
    enableAutoUpdate: 'any',
    disableAutoUpdate: 'any',
    enableNotifications: 'any',
    sessionRetention: 'any',
    maxAttempts: 'any',
    retryFetchErrors: 'any',
    defaultApprovalMode: 'any',
    plan: 'any',
    language: 'any',
    outputLanguage: 'any',
  },
  ui: {
    theme: 'any',
    customThemes: 'any',
    hideTips: 'any',
    hideBanner: 'any',
    hideFooter: 'any',
    hideContextSummary: 'any',
    hideWindowTitle: 'any',
    showLineNumbers: 'any',
    showMemoryUsage: 'any',
    showCitations: 'any',
    showStatusInTitle: 'any',
    dynamicWindowTitle: 'any',
    accessibility: 'any',
    footer: 'any',
    enableSpeculation: unlessManaged('off'),
    statusLine: 'off',
  },
  context: {
    fileName: 'any',
    importFormat: 'any',
    discoveryMaxDirs: 'any',
    includeDirectoryTree: 'any',
    includeDirectories: 'any',
    loadMemoryFromIncludeDirectories: 'any',
    loadFromIncludeDirectories: 'any',
    memoryBoundaryMarkers: 'any',
    fileFiltering: 'any',
  },
  output: 'any',
  privacy: 'any',
  skills: 'any',
  ide: 'any',
  permissions: { allow: 'any', ask: 'any', deny: 'any' },
  tools: {
    core: 'any',
    allowed: 'any',
    exclude: 'any',
    autoAccept: 'any',
    approvalMode: 'any',
    useRipgrep: 'any',
    truncateToolOutputThreshold: 'any',
    discoveryCommand: unlessManaged('off'),
    callCommand: unlessManaged('off'),
    enableHooks: 'on',
    sandbox: 'off',
  },
  mcp: { serverCommand: unlessManaged('off'), allowed: 'any', excluded: 'any' },
  mcpServers: 'off',
  hooksConfig: { enabled: unlessManaged('on'), disabled: 'off', notifications: 'any' },
  disableAllHooks: unlessManaged('off'),
  env: 'variables',
};

/** Returns the rows for the harness's folder, `.gemini` or `.qwen`. */
export const rowsOf = (harness: BashByPath): readonly PlaceRow[] => {
  const at = (...names: readonly string[]) => names.map((name) => `${harness.folder}/${name}`);
  const hooks = onlyOwnHooks(harness.gate, (hook, event, places) => isOurHook(harness, places, event, hook));
  return [
    examined(jsonWith({ ...SETTINGS, hooks }), ...at('settings.json')),
    examined(variables, '.env', ...at('.env')),
    examined(tomlCommand, ...at('commands/**/*.toml')),
    ...textsIn(at('commands'), command),
    ...textsIn(at('agents')),
    ...skillsIn(at('skills')),
    harmless(...at('GEMINI.md', 'QWEN.md', 'AGENTS.md', 'README.md', 'PROJECT_SUMMARY.md', 'system.md', '.gitignore')),
    harmless(...at('tmp/**', 'worktrees/**', 'memory/**', 'plans/**')),
    // Both harnesses run a program in this folder only if the settings name that program.
    harmless(...at('hooks/**')),
    reported('an extension can bring hooks and servers that run ungated', ...at('extensions/**')),
    ...agentsFolder(),
  ];
};
