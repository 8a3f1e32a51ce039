/** Claude Code. We tried Claude Code 2.1.330. The window title does not show whether a dialog is open. */
import { type Harness, USUAL_DIALOG_DELAY_MS } from './harness.ts';
import { fromField, type HookFields, type HookTable } from './hook-events.ts';
import type { ScreenPatterns } from './screen-patterns.ts';

/** Whether a subagent caused the event. Such an event does not show the state of the agent itself. */
const isSubagent = (fields: HookFields): boolean => typeof fields['agent_id'] === 'string';
const isKind =
  (...kinds: readonly string[]) =>
  (fields: HookFields): boolean =>
    kinds.includes(String(fields['notification_type']));

const SUBAGENT = { event: null, state: null, when: isSubagent } as const;

export const CLAUDE_HOOKS: HookTable = {
  rules: {
    SessionStart: [{ event: 'session-start', state: 'idle' }],
    UserPromptSubmit: [{ event: 'user-prompt-submit', state: 'active' }],
    PreToolUse: [SUBAGENT, { event: 'pre-tool-use', state: 'active' }],
    PostToolUse: [SUBAGENT, { event: 'post-tool-use', state: 'active' }],
    PostToolUseFailure: [SUBAGENT, { event: 'post-tool-use-failure', state: 'active' }],
    // This rule is for subagents too: a subagent asks on the same screen. The event does not say which call needs permission.
    PermissionRequest: [{ event: 'permission-request', state: 'blocked' }],
    Notification: [
      { event: 'notification', state: 'blocked', when: isKind('permission_prompt') },
      { event: 'notification', state: 'waiting_input', when: isKind('agent_needs_input', 'elicitation_dialog') },
      { event: 'notification', state: 'idle', when: isKind('idle_prompt', 'agent_completed') },
    ],
    Elicitation: [{ event: 'permission-request', state: 'blocked' }],
    Stop: [{ event: 'stop', state: 'idle' }],
    StopFailure: [{ event: 'stop', state: 'idle' }],
    SessionEnd: [
      {
        event: 'session-end',
        state: null,
        when: (fields) => ['clear', 'resume', 'compact'].includes(String(fields['reason'])),
      },
      { event: 'session-end', state: 'exited' },
    ],
  },
  toolName: ['tool_name'],
  toolUseId: ['tool_use_id'],
  promptText: fromField('prompt'),
  agentId: ['session_id'],
};

const SCREEN: ScreenPatterns = {
  dialogTitles: [],
  dialogHints: [
    { name: 'esc-to-cancel', pattern: /\bEsc to (cancel|exit|go back)\b/ },
    { name: 'enter-to-confirm', pattern: /\bEnter to (confirm|select|stay|continue|submit)\b/ },
    { name: 'tab-to-amend', pattern: /\bTab to amend\b/ },
    { name: 'arrows-to-choose', pattern: /↑\/↓ to (select|navigate)|←\/→ to/ },
  ],
  dialogParts: [
    { name: 'choice', pattern: /^\s*[│|]?\s*❯\s*\d+\.\s/ },
    { name: 'question', pattern: /^\s*[│|]?\s*(Do you want to|Would you like to|Is this a project)\b/ },
  ],
  busy: [/\besc to interrupt\b/, /^[✢✳✶✻✽·]\s\S+…/],
  busyTitles: [/^[◐◓◑◒]/],
  composer: {
    above: /^─{10,}/,
    first: /^❯[ \u00a0]?/,
    next: /^ {2}/,
    below: /^─{10,}$/,
    frameRows: 0,
    footerRows: 5,
    placeholder: /^Try "/,
    folded: /\[Pasted text #\d+(?: \+(?<lines>\d+) lines?)?\]/,
    extraLines: 1,
    isCursorShown: false,
  },
};

export const claudeCode: Harness = {
  name: 'claude-code',
  programs: ['claude'],
  hooks: CLAUDE_HOOKS,
  announcesItself: true,
  confirmsPrompts: true,
  commandLeads: ['/', '!', '#'],
  dialogDelayMs: USUAL_DIALOG_DELAY_MS,
  enterDelayMs: 0,
  screen: SCREEN,
};
