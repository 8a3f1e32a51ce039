/** Reads the messages from one end of a relay, one after another, until this end closes. */
import type { Readable, Writable } from 'node:stream';
import { linesOf, writeLine } from './lines.ts';
import { errorFor, errorWithoutId, INVALID_REQUEST, type RpcMessage, readMessage, writeMessage } from './messages.ts';

/**
 * Passes each well-formed message to `take`. Answers a malformed or too long message with an error. The error has the message's id if the
 * id can be read. Rejects if `take` rejects, or if a stream fails.
 * @param from     `input`: the stream of the messages; `output`: the stream for the error answers
 * @param complain takes one line for standard error
 */
export async function takeMessages(
  from: { readonly input: Readable; readonly output: Writable },
  take: (message: RpcMessage) => Promise<void>,
  complain: (text: string) => void,
): Promise<void> {
  for await (const line of linesOf(from.input)) {
    if (line === 'too-long') {
      complain('refused a message that is too long');
      await writeLine(from.output, errorWithoutId(INVALID_REQUEST, 'refused: the message is too long'));
      continue;
    }
    const read = readMessage(line);
    if (read.ok) {
      await take(read.value);
      continue;
    }
    const { id, code, message } = read.failure;
    complain(`refused a message: ${message}`);
    const answer = id === null ? null : writeMessage(errorFor(id, code, `refused: ${message}`));
    await writeLine(from.output, answer ?? errorWithoutId(code, `refused: ${message}`));
  }
}
