/** Refuses a call that is not valid HTTP or takes too long to arrive: answers with a problem, and closes the connection. */
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { PROBLEM_TYPE, problemBody } from './problem.ts';
import { securityHeaders } from './security-headers.ts';

const KNOWN: Readonly<Record<string, readonly [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'the address and the headers are longer than 16 KiB together; shorten them'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'the call did not arrive in time; send it again'],
};
const UNREADABLE = [400, 'this is not valid HTTP'] as const;

export function answerBrokenCall(error: { readonly code?: string }, socket: Socket, nowMs: number): void {
  // If the client is gone, nothing can be sent. If another answer is being sent, the client would read this text as a part of the other
  // answer.
  if (error.code === 'ECONNRESET' || !socket.writable || isAmidAnswer(socket)) return void socket.destroy();
  const [status, message] = KNOWN[error.code ?? ''] ?? UNREADABLE;
  const body = JSON.stringify(problemBody({ code: 'request.malformed', message }, null, status));
  const headers = {
    ...securityHeaders(nowMs),
    'content-type': PROBLEM_TYPE,
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n${body}`);
  socket.destroySoon();
}

/**
 * Whether an answer is being written to the socket. Node keeps this answer in `_httpMessage`. Node's own code for broken calls makes the
 * same check.
 */
const isAmidAnswer = (socket: Socket): boolean =>
  (socket as { readonly _httpMessage?: { readonly headersSent: boolean } | null })._httpMessage?.headersSent === true;
