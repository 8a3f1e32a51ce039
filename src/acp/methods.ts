/**
 * The methods of the Agent Client Protocol (version 1) that an agent is allowed to call, grouped by how they are relayed. Other requests of
 * an agent are refused, and its other notifications are dropped.
 */

const set = (...names: readonly string[]): ReadonlySet<string> => new Set(names);

/** The only version of the protocol that is relayed. Messages of other versions have other shapes. */
export const PROTOCOL_VERSION = 1;

/** These requests go through the gate. REQUEST_PERMISSION never reaches the editor: the gate answers it. */
export const REQUEST_PERMISSION = 'session/request_permission';
export const CREATE_TERMINAL = 'terminal/create';
export const WRITE_FILE = 'fs/write_text_file';
export const READ_FILE = 'fs/read_text_file';
export const GATED_REQUESTS = set(REQUEST_PERMISSION, CREATE_TERMINAL, WRITE_FILE, READ_FILE);

/** These requests skip the gate: they read or end a terminal that the gate has allowed, or ask the person at the editor a question. */
export const UNGATED_REQUESTS = set(
  'terminal/output',
  'terminal/release',
  'terminal/wait_for_exit',
  'terminal/kill',
  'elicitation/create',
);

export const SESSION_UPDATE = 'session/update';
export const CANCEL_REQUEST = '$/cancel_request';
export const AGENT_NOTIFICATIONS = set(SESSION_UPDATE, 'elicitation/complete', CANCEL_REQUEST);

/**
 * The editor sends this notification when the person stops the turn. The relay first cancels the session's requests that wait at the gate.
 * Then it passes the notification on.
 */
export const SESSION_CANCEL = 'session/cancel';
export const INITIALIZE = 'initialize';
