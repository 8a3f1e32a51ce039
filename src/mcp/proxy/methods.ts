/**
 * The methods of the Model Context Protocol (up to revision 2025-11-25) that the proxy relays. The proxy refuses other requests, and
 * drops other notifications.
 */
import { methodSet } from '../../rpc/messages.ts';

/** Only `tools/call` goes through the gate. The other methods read what the server offers, or control the conversation. */
export const CLIENT_REQUESTS = methodSet(
  'initialize',
  'ping',
  'tools/list',
  'tools/call',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'logging/setLevel',
  'tasks/get',
  'tasks/list',
  'tasks/result',
  'tasks/cancel',
);

export const CLIENT_NOTIFICATIONS = methodSet(
  'notifications/initialized',
  'notifications/cancelled',
  'notifications/progress',
  'notifications/roots/list_changed',
  'notifications/tasks/status',
);

/** Requests of a server that the proxy relays to the client. It relays `sampling/createMessage` only if the user allows sampling. */
export const SERVER_REQUESTS = methodSet('ping', 'roots/list', 'elicitation/create', 'sampling/createMessage');
export const SAMPLING = 'sampling/createMessage';

export const SERVER_NOTIFICATIONS = methodSet(
  'notifications/cancelled',
  'notifications/progress',
  'notifications/message',
  'notifications/resources/updated',
  'notifications/resources/list_changed',
  'notifications/tools/list_changed',
  'notifications/prompts/list_changed',
  'notifications/elicitation/complete',
  'notifications/tasks/status',
);
