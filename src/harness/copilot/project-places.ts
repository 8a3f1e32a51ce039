/**
 * The files of a project that GitHub Copilot CLI reads (docs.github.com/en/copilot/reference: copilot-cli-reference, hooks-reference,
 * custom-agents-configuration; seen in version 1.0.102). Copilot also reads settings, skills, agents and commands of Claude Code.
 */
import { isWrittenBy } from '../own-hooks.ts';
import { jsonWith, type Members, onlyOwnListedHooks, textWith, unlessManaged } from '../project-examiners.ts';
import { examined, harmless, type ProjectPlaces, reported } from '../project-places.ts';
import { agentsFolder, PLAIN_HEAD, serverFiles, skillsIn, textsIn } from '../project-rows.ts';
import { copilotHookAt } from './entries.ts';

const HOOKS: Members = {
  version: 'any',
  description: 'any',
  disableAllHooks: unlessManaged('off'),
  hooks: unlessManaged(
    onlyOwnListedHooks((hook, event, places) => isWrittenBy((each) => copilotHookAt(event, each), places, hook)),
  ),
};

const SETTINGS: Members = {
  ...HOOKS,
  $schema: 'any',
  model: 'any',
  effortLevel: 'any',
  companyAnnouncements: 'any',
  includeCoAuthoredBy: 'any',
  enabledPlugins: { '*': 'off' },
};

/** Copilot ignores the other settings of Claude Code. */
const CLAUDE_SETTINGS: Members = {
  '*': 'any',
  ...HOOKS,
  enabledPlugins: { '*': 'off' },
  extraKnownMarketplaces: 'off',
};

const agent = textWith([...PLAIN_HEAD, 'target', 'infer', 'handoffs', 'agents', 'applyTo', 'excludeAgent']);

export const copilotPlaces: ProjectPlaces = {
  folders: ['.github/hooks', '.github/copilot', '.github/agents', '.agents'],
  rows: [
    examined(jsonWith(HOOKS), '.github/hooks/*.json'),
    // Copilot runs these programs only if a file with hooks names them.
    harmless(
      '.github/hooks/*.sh',
      '.github/hooks/*.py',
      '.github/hooks/*.js',
      '.github/hooks/*.ps1',
      '.github/hooks/*.md',
    ),
    examined(jsonWith(SETTINGS), '.github/copilot/settings.json', '.github/copilot/settings.local.json'),
    examined(jsonWith(CLAUDE_SETTINGS), '.claude/settings.json', '.claude/settings.local.json'),
    reported('an extension runs inside of Copilot, past every hook', '.github/extensions/**'),
    serverFiles('.mcp.json', '.github/mcp.json', '.vscode/mcp.json', '.copilot/mcp-config.json'),
    reported('Copilot starts the language servers that this file names, ungated', '.github/lsp.json', '.lsp.json'),
    ...textsIn(['.github/agents', '.claude/agents', '.claude/commands'], agent),
    ...skillsIn(['.github/skills', '.claude/skills']),
    ...agentsFolder(),
  ],
};
