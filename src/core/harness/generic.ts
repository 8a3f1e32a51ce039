/**
 * The harness `generic`: a harness without an entry of its own in `harnesses.ts`. Such a harness calls `apes hooks report generic EVENT`.
 * Standard input of this call has the JSON members `tool_name`, `tool_use_id`, `prompt` and `session_id`.
 *
 * On the screen of the harness, the input box must begin with `> `. Below the box there must be a row of at least ten `─`, and below that
 * row only empty rows. Without such a box, no message is sent.
 */
import { type Harness, USUAL_DIALOG_DELAY_MS } from './harness.ts';
import { fromField, type HookTable } from './hook-events.ts';
import type { ScreenPatterns } from './screen-patterns.ts';

export const GENERIC_HOOKS: HookTable = {
  rules: {
    'session-start': [{ event: 'session-start', state: 'idle' }],
    'user-prompt-submit': [{ event: 'user-prompt-submit', state: 'active' }],
    'pre-tool-use': [{ event: 'pre-tool-use', state: 'active' }],
    'post-tool-use': [{ event: 'post-tool-use', state: 'active' }],
    'post-tool-use-failure': [{ event: 'post-tool-use-failure', state: 'active' }],
    'permission-request': [{ event: 'permission-request', state: 'blocked' }],
    'permission-answered': [{ event: 'permission-answered', state: 'active' }],
    'needs-input': [{ event: 'notification', state: 'waiting_input' }],
    stop: [{ event: 'stop', state: 'idle' }],
    interrupt: [{ event: 'interrupt', state: 'idle' }],
    'session-end': [{ event: 'session-end', state: 'exited' }],
  },
  toolName: ['tool_name'],
  toolUseId: ['tool_use_id'],
  promptText: fromField('prompt'),
  agentId: ['session_id'],
};

const SCREEN: ScreenPatterns = {
  dialogTitles: [{ name: 'title-action-required', pattern: /action required/i }],
  dialogHints: [
    { name: 'choice', pattern: /^\s*[❯›●>]\s*\d+[.)]\s/ },
    { name: 'confirm', pattern: /\b(enter|return) to (confirm|select|continue)\b|\besc to cancel\b/i },
    { name: 'yes-or-no', pattern: /[[(](y\/n|yes\/no)[\])]/i },
    { name: 'secret', pattern: /\b(password|passphrase|passcode)\b[^:]*:\s*$/i },
  ],
  dialogParts: [],
  busy: [/\besc to interrupt\b/i],
  busyTitles: [/^[⠁-⣿]/],
  composer: {
    above: null,
    first: /^> ?/,
    next: /^ {2}/,
    below: /^─{10,}$/,
    frameRows: 0,
    footerRows: 0,
    placeholder: null,
    folded: /\[Pasted (?:text #\d+ )?\+?~?(?<lines>\d+) lines?\]/,
    extraLines: 0,
    isCursorShown: true,
  },
};

export const generic: Harness = {
  name: 'generic',
  programs: [],
  hooks: GENERIC_HOOKS,
  announcesItself: true,
  confirmsPrompts: true,
  commandLeads: [],
  dialogDelayMs: USUAL_DIALOG_DELAY_MS,
  enterDelayMs: 0,
  screen: SCREEN,
};
