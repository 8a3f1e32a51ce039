/** Codex CLI, tried with version 0.169.0. While a dialog is open, the window title says `Action Required`. */
import { type Harness, USUAL_DIALOG_DELAY_MS } from './harness.ts';
import { fromField, type HookTable } from './hook-events.ts';
import type { ScreenPatterns } from './screen-patterns.ts';

const HOOKS: HookTable = {
  rules: {
    SessionStart: [{ event: 'session-start', state: null }], // Codex sends SessionStart with the first prompt, not at the launch
    UserPromptSubmit: [{ event: 'user-prompt-submit', state: 'active' }],
    PreToolUse: [{ event: 'pre-tool-use', state: 'active' }],
    PostToolUse: [{ event: 'post-tool-use', state: 'active' }],
    PermissionRequest: [{ event: 'permission-request', state: 'blocked' }],
    Stop: [{ event: 'stop', state: 'idle' }],
    StopFailure: [{ event: 'stop', state: 'idle' }],
    Interrupt: [{ event: 'interrupt', state: 'idle' }],
    SessionEnd: [{ event: 'session-end', state: 'exited' }],
  },
  toolName: ['tool_name'],
  toolUseId: ['tool_use_id'],
  promptText: fromField('prompt'),
  agentId: ['session_id'],
};

const SCREEN: ScreenPatterns = {
  dialogTitles: [{ name: 'title-action-required', pattern: /^\[ [!.] \] Action Required/ }],
  dialogHints: [
    { name: 'press-enter', pattern: /^\s*Press enter to (confirm|continue|submit)/i },
    { name: 'esc-to-cancel', pattern: /\besc to (cancel|go back|dismiss)\b/i },
    { name: 'enter-to-submit', pattern: /\benter to submit\b/i },
  ],
  dialogParts: [{ name: 'choice', pattern: /^\s*[›>]\s*\d+\.\s/ }],
  busy: [/\besc to interrupt\b/],
  busyTitles: [/^[⠁-⣿]/],
  composer: {
    above: /^\s*$/,
    first: /^› ?/,
    next: /^ {2}/,
    below: /^ {2}\S.* · \S/,
    frameRows: 1,
    footerRows: 3,
    placeholder: /^Ask Codex to do anything$/,
    folded: /\[Pasted Content (?<characters>\d+) chars\]/,
    extraLines: 0,
    isCursorShown: true,
  },
};

export const codex: Harness = {
  name: 'codex',
  programs: ['codex'],
  hooks: HOOKS,
  announcesItself: false,
  confirmsPrompts: true,
  commandLeads: ['/', '!'],
  dialogDelayMs: USUAL_DIALOG_DELAY_MS,
  enterDelayMs: 0,
  screen: SCREEN,
};
