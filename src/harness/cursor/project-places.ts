/**
 * Lists the project files that Cursor CLI reads. Source: cursor.com/docs (cli/reference/configuration, hooks, mcp,
 * reference/third-party-hooks, reference/plugins). Cursor reads these files in the directories above the project too. Cursor uses hooks,
 * skills and agents of other harnesses too.
 */
import { isDeepStrictEqual } from 'node:util';
import { jsonWith, type Members, onlyOwnListedHooks } from '../project-examiners.ts';
import { examined, harmless, type ProjectPlaces, reported } from '../project-places.ts';
import { agentsFolder, serverFiles, skillsIn, textsIn } from '../project-rows.ts';
import { cursorHook, EVENTS } from './entries.ts';

const HOOKS: Members = {
  version: 'any',
  hooks: onlyOwnListedHooks(
    (hook, event, places) =>
      EVENTS.includes(event) &&
      (['user', 'managed'] as const).some((scope) => isDeepStrictEqual(hook, cursorHook({ ...places, scope }))),
  ),
};

export const cursorPlaces: ProjectPlaces = {
  folders: ['.cursor', '.agents'],
  rows: [
    examined(jsonWith(HOOKS), '.cursor/hooks.json'),
    serverFiles('.cursor/mcp.json', '.mcp.json'),
    examined(jsonWith({ version: 'any', permissions: { allow: 'any', deny: 'any' } }), '.cursor/cli.json'),
    // Cursor runs these programs only if hooks.json names them.
    harmless('.cursor/hooks/**'),
    harmless('.cursor/rules/**', '.cursor/plans/**', '.cursor/README.md', '.cursor/.gitignore'),
    reported('it can bring hooks and servers that run ungated', '.cursor-plugin/**', '.cursor/plugins/**'),
    reported('it names commands that run when Cursor makes a worktree', '.cursor/worktrees.json'),
    examined(
      jsonWith({ '*': 'any', hooks: 'off', enabledPlugins: 'off' }),
      '.claude/settings.json',
      '.claude/settings.local.json',
    ),
    ...textsIn(['.cursor/agents', '.cursor/commands', '.claude/agents', '.claude/commands', '.codex/agents']),
    ...skillsIn(['.cursor/skills', '.claude/skills', '.codex/skills']),
    ...agentsFolder(),
  ],
};
