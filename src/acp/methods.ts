/** Which methods of the Agent Client Protocol (version 1) an agent may call, and how. What stands nowhere here is refused. */

const set = (...names: readonly string[]): ReadonlySet<string> => new Set(names);

/** The version that is carried: another one has other shapes. */
export const PROTOCOL_VERSION = 1;

/** These go through the gate. The first never reaches the editor: the approver answers it. */
export const REQUEST_PERMISSION = 'session/request_permission';
export const CREATE_TERMINAL = 'terminal/create';
export const WRITE_FILE = 'fs/write_text_file';
export const READ_FILE = 'fs/read_text_file';
export const GATED_REQUESTS = set(REQUEST_PERMISSION, CREATE_TERMINAL, WRITE_FILE, READ_FILE);

/** These look at a terminal that was gated, or end it; a question for the person at the editor is answered there. */
export const CARRIED_REQUESTS = set(
  'terminal/output',
  'terminal/release',
  'terminal/wait_for_exit',
  'terminal/kill',
  'elicitation/create',
);

export const SESSION_UPDATE = 'session/update';
export const CANCEL_REQUEST = '$/cancel_request';
export const AGENT_NOTIFICATIONS = set(SESSION_UPDATE, 'elicitation/complete', CANCEL_REQUEST);

/** From the editor: the person stopped the turn. Everything else of the editor is carried as it is. */
export const SESSION_CANCEL = 'session/cancel';
export const INITIALIZE = 'initialize';
