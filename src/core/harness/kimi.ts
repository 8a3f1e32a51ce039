/**
 * Kimi Code. Tried with version 2.1.0. Kimi Code has the hooks of Claude Code, but a prompt is a list of parts. ape-shell sends no messages
 * to Kimi Code, because the screen of Kimi Code is not known.
 */
import { CLAUDE_HOOKS } from './claude-code.ts';
import { type Harness, USUAL_DIALOG_DELAY_MS } from './harness.ts';
import { type HookFields, type HookTable, textAt } from './hook-events.ts';

/** The prompt is `[{type: "text", text}, …]`. An image in the list has no text. */
function promptOf(fields: HookFields): string | null {
  const { prompt } = fields;
  if (!Array.isArray(prompt)) return textAt(fields, 'prompt');
  const texts = prompt.map((part: unknown) =>
    typeof part === 'object' && part !== null ? textAt(part as HookFields, 'text') : null,
  );
  return texts.filter((text) => text !== null).join('\n');
}

const HOOKS: HookTable = {
  ...CLAUDE_HOOKS,
  rules: {
    ...CLAUDE_HOOKS.rules,
    PermissionResult: [{ event: 'permission-answered', state: 'active' }],
    Interrupt: [{ event: 'interrupt', state: 'idle' }],
  },
  toolUseId: ['tool_call_id'],
  promptText: promptOf,
};

export const kimi: Harness = {
  name: 'kimi',
  programs: ['kimi'],
  hooks: HOOKS,
  announcesItself: true,
  confirmsPrompts: true,
  commandLeads: ['/', '!'],
  dialogDelayMs: USUAL_DIALOG_DELAY_MS,
  enterDelayMs: 0,
  screen: null,
};
