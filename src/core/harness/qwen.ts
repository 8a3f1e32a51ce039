/**
 * Qwen Code. Tried with 0.24.4. The permission hook comes first. The pre-tool hook comes only after the human has allowed the tool.
 */
import { CLAUDE_HOOKS } from './claude-code.ts';
import { type Harness, USUAL_DIALOG_DELAY_MS } from './harness.ts';
import type { HookFields, HookTable } from './hook-events.ts';
import type { ScreenPatterns } from './screen-patterns.ts';

/** Whether the prompt has no text. Qwen Code submits such a prompt after an approval, to go on with its turn. */
const isOwnTurn = (fields: HookFields): boolean => fields['prompt'] === '' || fields['prompt'] === undefined;

const HOOKS: HookTable = {
  ...CLAUDE_HOOKS,
  rules: {
    ...CLAUDE_HOOKS.rules,
    UserPromptSubmit: [
      { event: 'turn-continued', state: 'active', when: isOwnTurn },
      { event: 'user-prompt-submit', state: 'active' },
    ],
    PermissionRequest: [{ event: 'permission-request-first', state: 'blocked' }],
  },
};

const SCREEN: ScreenPatterns = {
  dialogTitles: [{ name: 'title-asks', pattern: /^✳/ }],
  dialogHints: [
    { name: 'waiting', pattern: /Waiting for user confirmation/ },
    { name: 'esc-to-cancel', pattern: /\bEsc to (cancel|close|go back)\b/ },
    { name: 'enter-to-select', pattern: /\bEnter to (select|confirm)\b/i },
  ],
  dialogParts: [
    { name: 'choice', pattern: /^[\s│]*[›●❯]\s*\d+\.\s/ },
    { name: 'question', pattern: /^[\s│]*(Allow execution of|Apply this change|Do you trust|Do you want to)\b/ },
  ],
  busy: [/\besc to cancel\b/, /^\s*Enter to steer\b/],
  busyTitles: [/^[◐◓◑◒]/],
  composer: {
    above: /^─{10,}/,
    first: /^> ?/,
    next: /^ {2}/,
    below: /^─{10,}/,
    frameRows: 0,
    footerRows: 4,
    placeholder: /^\s*Type your message\b/,
    suggestsUnderCursor: true,
    folded: /\[Pasted Content (?<characters>\d+) chars\]/,
    extraLines: 0,
    isCursorShown: true,
  },
};

export const qwen: Harness = {
  name: 'qwen',
  programs: ['qwen'],
  hooks: HOOKS,
  announcesItself: true,
  confirmsPrompts: true,
  commandLeads: ['/', '!', '?'],
  dialogDelayMs: USUAL_DIALOG_DELAY_MS,
  enterDelayMs: 0,
  screen: SCREEN,
};
