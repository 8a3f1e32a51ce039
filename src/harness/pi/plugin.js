// ape-shell: gates the tools of pi. `apes hooks install pi` writes this file, and replaces the whole file.
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { askGuard, report } from '../guard-client.js';

const BLANKS = /[\u00A0\u2000-\u200A\u202F\u205F\u3000]/g;

/**
 * @typedef {{ cwd?: string, sessionManager?: { getSessionId?: () => string } }} PiContext
 * @typedef {{ toolName: string, toolCallId: string, text: string, input: Record<string, unknown> }} PiEvent no event has all members
 * @typedef {{ on: (event: string, handler: (event: PiEvent, context?: PiContext) => unknown) => void }} Pi
 */

/**
 * Returns the absolute path that pi would make from this text. pi replaces each special blank with a space, drops a leading `@`, reads
 * `file:` URLs, and expands `~`.
 * @param {string} text
 * @param {string} cwd
 */
function placeOf(text, cwd) {
  const plain = text.replace(BLANKS, ' ').replace(/^@/, '');
  if (/^file:\/\//.test(plain)) return fileURLToPath(plain);
  if (plain === '~') return homedir();
  return plain.startsWith('~/') ? resolve(homedir(), plain.slice(2)) : resolve(cwd, plain);
}

/**
 * Replaces the tool's input with the input that the guard has returned.
 * @param {Record<string, unknown>} input
 * @param {Record<string, unknown>} guarded
 */
function replaceAll(input, guarded) {
  for (const name of Object.keys(input)) delete input[name];
  Object.assign(input, guarded);
}

/** @param {Pi} pi */
export default function apeShell(pi) {
  const reportEvent = (/** @type {string} */ name, /** @type {PiContext | undefined} */ context, more = {}) =>
    report({
      hook_event_name: name,
      cwd: context?.cwd,
      session_id: context?.sessionManager?.getSessionId?.(),
      ...more,
    });
  pi.on('tool_call', async (event, context) => {
    const cwd = context?.cwd ?? process.cwd();
    try {
      void reportEvent('pre-tool-use', context, { tool_name: event.toolName, tool_use_id: event.toolCallId });
      const { input } = event;
      if (typeof input.path === 'string') input.path = placeOf(input.path, cwd);
      const guarded = await askGuard({ tool: event.toolName, input: { ...input }, cwd, project: cwd });
      if (guarded !== null) replaceAll(input, guarded);
      return undefined;
    } catch (error) {
      return {
        block: true,
        reason: (error instanceof Error && error.message) || 'ape-shell: DENIED, nothing ran: the gate failed',
      };
    }
  });
  pi.on('session_start', (_, context) => void reportEvent('session-start', context));
  // pi waits for the promise that a handler returns. At a prompt and at the end of the session, pi must wait until the report is made.
  pi.on('input', (event, context) => reportEvent('user-prompt-submit', context, { prompt: event.text }));
  pi.on('tool_result', (event, context) => {
    void reportEvent('post-tool-use', context, { tool_name: event.toolName, tool_use_id: event.toolCallId });
  });
  pi.on('agent_end', (_, context) => void reportEvent('stop', context));
  pi.on('session_shutdown', (_, context) => reportEvent('session-end', context));
}
