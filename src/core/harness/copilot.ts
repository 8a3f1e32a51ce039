/** GitHub Copilot CLI. Tried with 1.0.102. Copilot's hooks have the names and fields of Claude Code's hooks, but no id of the tool call. */
import { CLAUDE_HOOKS } from './claude-code.ts';
import { type Harness, USUAL_DIALOG_DELAY_MS } from './harness.ts';

export const copilot: Harness = {
  name: 'copilot',
  programs: ['copilot'],
  hooks: CLAUDE_HOOKS,
  announcesItself: true,
  confirmsPrompts: true,
  commandLeads: ['/', '!', '?', '#', '&'],
  dialogDelayMs: USUAL_DIALOG_DELAY_MS,
  enterDelayMs: 0,
  screen: null,
};
