/** Cline CLI, tried with version 3.0.65. Cline has its own event names, and a hook file for each event. Its screen cannot be read. */
import { type Harness, USUAL_DIALOG_DELAY_MS } from './harness.ts';
import { fromField, type HookFields, type HookTable } from './hook-events.ts';

/** Ignores the events of a subagent. These events do not show the state of the agent itself. */
const SUBAGENT = {
  event: null,
  state: null,
  when: (fields: HookFields): boolean => typeof fields['parent_agent_id'] === 'string',
} as const;

const HOOKS: HookTable = {
  rules: {
    agent_start: [SUBAGENT, { event: 'turn-continued', state: 'active' }],
    agent_resume: [SUBAGENT, { event: 'turn-continued', state: 'active' }],
    prompt_submit: [SUBAGENT, { event: 'user-prompt-submit', state: 'active' }],
    tool_result: [SUBAGENT, { event: 'post-tool-use', state: 'active' }],
    agent_end: [SUBAGENT, { event: 'stop', state: 'idle' }],
    agent_error: [SUBAGENT, { event: 'stop', state: 'idle' }],
    agent_abort: [SUBAGENT, { event: 'interrupt', state: 'idle' }],
    session_shutdown: [SUBAGENT, { event: 'session-end', state: 'exited' }],
  },
  toolName: ['postToolUse.toolName'],
  toolUseId: ['tool_result.id'],
  promptText: fromField('userPromptSubmit.prompt'),
  agentId: ['taskId'],
};

export const cline: Harness = {
  name: 'cline',
  programs: ['cline'],
  hooks: HOOKS,
  announcesItself: false,
  confirmsPrompts: false,
  commandLeads: ['/', '!'],
  dialogDelayMs: USUAL_DIALOG_DELAY_MS,
  enterDelayMs: 0,
  screen: null,
};
