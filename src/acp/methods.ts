/**
 * Lists the methods of the Agent Client Protocol (version 1) that an agent may call. The relay refuses the agent's other requests, and
 * drops the agent's other notifications.
 */
import { methodSet } from '../rpc/messages.ts';

/** The only version that is relayed: messages of other versions have other shapes. */
export const PROTOCOL_VERSION = 1;

/** These requests go through the gate. REQUEST_PERMISSION never reaches the editor: the gate answers this request. */
export const REQUEST_PERMISSION = 'session/request_permission';
export const CREATE_TERMINAL = 'terminal/create';
export const WRITE_FILE = 'fs/write_text_file';
export const READ_FILE = 'fs/read_text_file';
export const GATED_REQUESTS = methodSet(REQUEST_PERMISSION, CREATE_TERMINAL, WRITE_FILE, READ_FILE);

/**
 * These requests skip the gate. An ungated request reads or ends a terminal that the gate has allowed, or asks the person at the editor a
 * question.
 */
export const UNGATED_REQUESTS = methodSet(
  'terminal/output',
  'terminal/release',
  'terminal/wait_for_exit',
  'terminal/kill',
  'elicitation/create',
);

export const SESSION_UPDATE = 'session/update';
export const CANCEL_REQUEST = '$/cancel_request';
export const AGENT_NOTIFICATIONS = methodSet(SESSION_UPDATE, 'elicitation/complete', CANCEL_REQUEST);

/**
 * The editor sends this notification when the person stops the turn. The relay cancels the session's requests that wait at the gate, and
 * then forwards the notification.
 */
export const SESSION_CANCEL = 'session/cancel';
export const INITIALIZE = 'initialize';
