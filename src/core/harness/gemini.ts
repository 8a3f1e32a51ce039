/** Gemini CLI. Tried with 0.61.0. The window title of Gemini CLI shows all three states: ready, working, action required. */
import { type Harness, USUAL_DIALOG_DELAY_MS } from './harness.ts';
import { fromField, type HookTable } from './hook-events.ts';
import type { ScreenPatterns } from './screen-patterns.ts';

const HOOKS: HookTable = {
  rules: {
    SessionStart: [{ event: 'session-start', state: 'idle' }],
    BeforeAgent: [{ event: 'user-prompt-submit', state: 'active' }],
    BeforeTool: [{ event: 'pre-tool-use', state: 'active' }],
    AfterTool: [{ event: 'post-tool-use', state: 'active' }],
    // The end of a tool ends the state `blocked` only if the hook names the id of the tool call. These hooks have no such ids. So only a
    // turn boundary or the screen ends `blocked`.
    Notification: [
      {
        event: 'permission-request',
        state: 'blocked',
        when: (fields) => fields['notification_type'] === 'ToolPermission',
      },
    ],
    AfterAgent: [{ event: 'stop', state: 'idle' }],
    SessionEnd: [
      { event: 'session-end', state: null, when: (fields) => fields['reason'] === 'clear' },
      { event: 'session-end', state: 'exited' },
    ],
  },
  toolName: ['tool_name'],
  toolUseId: [],
  promptText: fromField('prompt'),
  agentId: ['session_id'],
};

const SCREEN: ScreenPatterns = {
  dialogTitles: [{ name: 'title-action-required', pattern: /^✋/ }],
  dialogHints: [{ name: 'esc-to-cancel', pattern: /\((esc|Esc)( to (cancel|go back))?\)\s*│?$/ }],
  dialogParts: [
    { name: 'choice', pattern: /^[\s│]*[●❯›]\s*\d+\.\s/ },
    { name: 'question', pattern: /^[\s│]*(Allow execution of|Apply this change|Do you trust|Do you want to)\b/ },
  ],
  busy: [/\besc to cancel\b/],
  busyTitles: [/^✦/],
  composer: {
    above: /^▄{10,}/,
    first: /^ > ?/,
    next: /^ {3}/,
    below: /^▀{10,}/,
    frameRows: 0,
    footerRows: 4,
    placeholder: /^\s*Type your message\b/,
    folded: /\[Pasted Text: (?:(?<lines>\d+) lines|(?<characters>\d+) chars)[^\]]*\]/,
    extraLines: 0,
    isCursorShown: false,
  },
};

/**
 * In a terminal without the Kitty keyboard protocol, an Enter within 40 ms after a paste does not send the draft. Gemini CLI adds a line
 * break instead (`recentUnsafePasteTime` in its source). The 40 ms begin before Gemini CLI shows the pasted text.
 */
const ENTER_DELAY_MS = 100;

export const gemini: Harness = {
  name: 'gemini',
  programs: ['gemini'],
  hooks: HOOKS,
  announcesItself: true,
  confirmsPrompts: true,
  commandLeads: ['/', '!'],
  dialogDelayMs: USUAL_DIALOG_DELAY_MS,
  enterDelayMs: ENTER_DELAY_MS,
  screen: SCREEN,
};
