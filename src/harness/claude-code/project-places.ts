/**
 * The files that Claude Code reads in a project. Sources: the file names in the program of version 2.1.330, and code.claude.com/docs/en
 * (settings, hooks, skills, sub-agents, plugins-reference). Once a tool works in a directory below the project, Claude Code also reads the
 * skills, commands and agents there.
 */
import { isWrittenBy } from '../own-hooks.ts';
import { jsonWith, type Members, onlyOwnHooks, textWith, unlessManaged } from '../project-examiners.ts';
import { closedByManaged, type Examiner, examined, harmless, type ProjectPlaces, reported } from '../project-places.ts';
import { agentsFolder, PLAIN_HEAD, serverFiles, skillsIn, textsIn } from '../project-rows.ts';
import { GATE, hookAt } from './entries.ts';

/** The settings that `apes` does not report: these settings name no program except our hook, switch no hook off and enable no plugin. */
const SETTINGS: Members = {
  $schema: 'any',
  model: 'any',
  availableModels: 'any',
  effortLevel: 'any',
  alwaysThinkingEnabled: 'any',
  showThinkingSummaries: 'any',
  language: 'any',
  outputStyle: 'any',
  theme: 'any',
  editorMode: 'any',
  includeCoAuthoredBy: 'any',
  includeGitInstructions: 'any',
  attribution: { commit: 'any', pr: 'any' },
  cleanupPeriodDays: 'any',
  companyAnnouncements: 'any',
  respectGitignore: 'any',
  plansDirectory: 'any',
  claudeMdExcludes: 'any',
  spinnerTipsEnabled: 'any',
  spinnerTipsOverride: 'any',
  spinnerVerbs: 'any',
  prefersReducedMotion: 'any',
  terminalProgressBarEnabled: 'any',
  disabledMcpjsonServers: 'any',
  enableAllProjectMcpServers: 'off',
  enabledMcpjsonServers: 'off',
  enabledPlugins: { '*': 'off' },
  disableAllHooks: unlessManaged('off'),
  permissions: { allow: 'any', ask: 'any', deny: 'any', defaultMode: 'any', disableBypassPermissionsMode: 'any' },
  env: 'variables',
  hooks: unlessManaged(
    onlyOwnHooks(GATE, (hook, event, places) => isWrittenBy((each) => hookAt(event, each), places, hook)),
  ),
};

/** When Claude Code loads a skill or a command, it runs what is between !` and `, and each code block that begins with ```!. */
const RUNS = [/!`|```+[^\S\n]*!/, 'it runs `!` commands ungated while it is loaded'] as const;
const skill: Examiner = textWith(PLAIN_HEAD, RUNS);

export const claudeCodePlaces: ProjectPlaces = {
  folders: ['.claude', '.agents'],
  isNested: true,
  rows: [
    examined(jsonWith(SETTINGS), '.claude/settings.json', '.claude/settings.local.json'),
    serverFiles('.mcp.json'),
    reported('the language servers that this file names start with Claude Code, ungated', '.lsp.json'),
    harmless('.claude/CLAUDE.md', '.claude/CLAUDE.local.md', '.claude/AGENTS.md', '.claude/README.md'),
    harmless('.claude/.gitignore', '.claude/rules/**', '.claude/plans/**', '.claude/agent-memory/**'),
    // Claude Code runs files below these folders only if settings name the files.
    harmless('.claude/hooks/**', '.claude/worktrees/**'),
    ...skillsIn(['.claude/skills'], skill).map(closedByManaged),
    ...textsIn(['.claude/commands'], skill).map(closedByManaged),
    ...textsIn(['.claude/agents', '.claude/output-styles'], textWith([...PLAIN_HEAD, 'keep-coding-instructions'])),
    ...agentsFolder(),
  ],
};
