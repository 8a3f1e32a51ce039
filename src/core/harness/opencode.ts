/**
 * opencode. Tried with 1.18.33. Our plugin reports the bus events and hooks of opencode. The window title does not show whether a dialog is
 * open.
 */
import type { ScreenView } from '../message/session-view.ts';
import { type Harness, USUAL_DIALOG_DELAY_MS } from './harness.ts';
import { type HookFields, type HookTable, textAt } from './hook-events.ts';
import type { ScreenPatterns } from './screen-patterns.ts';

const HOOKS: HookTable = {
  rules: {
    'chat.message': [{ event: 'user-prompt-submit', state: 'active' }],
    'tool.execute.before': [{ event: 'pre-tool-use', state: 'active' }],
    'tool.execute.after': [{ event: 'post-tool-use', state: 'active' }],
    'permission.asked': [{ event: 'permission-request', state: 'blocked' }],
    'permission.replied': [{ event: 'permission-answered', state: 'active' }],
    'question.asked': [{ event: 'permission-request', state: 'blocked' }],
    'question.replied': [{ event: 'permission-answered', state: 'active' }],
    'question.rejected': [{ event: 'permission-answered', state: 'active' }],
    'session.idle': [{ event: 'stop', state: 'idle' }],
    'server.instance.disposed': [{ event: 'session-end', state: 'exited' }],
  },
  toolName: ['tool_name', 'tool', 'properties.permission'],
  // The id of a question is `id` when the question is asked, and `requestID` when it is answered. The id of a tool call is `callID`.
  toolUseId: ['tool_use_id', 'callID', 'properties.requestID', 'properties.id'],
  promptText: promptOf,
  agentId: [], // no id: one window shows several conversations in turn, and we count the reports of all conversations
};

function promptOf(fields: HookFields): string | null {
  const parts = fields['parts'];
  if (!Array.isArray(parts)) return null;
  const texts = parts.map((part: unknown) =>
    typeof part === 'object' && part !== null ? textAt(part as HookFields, 'text') : null,
  );
  return texts.filter((text) => text !== null).join('\n');
}

const EDITOR_END = /╹▀{20,}/;

const SCREEN: ScreenPatterns = {
  dialogTitles: [],
  dialogHints: [
    { name: 'enter-confirm', pattern: /\benter (confirm|select|submit|toggle)\b/ },
    { name: 'esc-dismiss', pattern: /\besc (dismiss|cancel)\b/ },
  ],
  dialogParts: [
    { name: 'permission', pattern: /△ Permission required/ },
    { name: 'choices', pattern: /Allow once\s+Allow always\s+Reject/ },
    { name: 'reject-reason', pattern: /△ Reject permission/ },
  ],
  busy: [/\besc (again to )?interrupt\b/],
  busyTitles: [],
  composer: {
    above: /^(?!┃)/,
    first: /^┃ *$/,
    next: /^┃ {0,2}/,
    below: EDITOR_END,
    frameRows: 1,
    footerRows: 24, // on the start screen, the editor is in the middle
    placeholder: /^Ask anything… "/,
    folded: /\[Pasted ~(?<lines>\d+) lines?\]/,
    extraLines: 0,
    isCursorShown: true,
  },
};

/**
 * Returns the last row of the editor, which shows the mode and the model: `Plan · MODEL PROVIDER`. Returns null if the editor's lower
 * border is not on the screen or is too short for `EDITOR_END`.
 */
function statusOf({ lines }: ScreenView): string | null {
  for (let row = lines.length - 1; row > 0; row -= 1) {
    const end = EDITOR_END.exec(lines[row] ?? '');
    if (end !== null)
      return (lines[row - 1] ?? '')
        .slice(end.index, end.index + end[0].length)
        .replace(/^┃/, '')
        .trim();
  }
  return null;
}

export const opencode: Harness = {
  name: 'opencode',
  programs: ['opencode'],
  hooks: HOOKS,
  announcesItself: false,
  confirmsPrompts: true,
  commandLeads: ['/', '!'],
  dialogDelayMs: USUAL_DIALOG_DELAY_MS,
  enterDelayMs: 0,
  screen: SCREEN,
  statusOf,
};
