/** Reads and writes lines on streams: in the Model Context Protocol and in similar protocols, each message is a line. */
import type { Writable } from 'node:stream';

/** The longest accepted line, in bytes. A message with a picture as base64 fits. */
const MAX_LINE = 32 * 1024 * 1024;

const LINE_FEED = 0x0a;

/**
 * Yields each line that is not empty, without its line feed. Yields `too-long` in place of a line of more than `limit` bytes. Ignores bytes
 * after the last line feed.
 */
export async function* linesOf(
  stream: AsyncIterable<Buffer | string>,
  limit = MAX_LINE,
): AsyncGenerator<Buffer | 'too-long'> {
  let parts: Buffer[] = [];
  let size = 0;
  let isRestSkipped = false; // `too-long` was yielded for the line that is being read
  for await (const chunk of stream) {
    let rest = Buffer.from(chunk as Buffer);
    for (let end = rest.indexOf(LINE_FEED); end >= 0; end = rest.indexOf(LINE_FEED)) {
      const line = Buffer.concat([...parts, rest.subarray(0, end)]);
      const isReported = isRestSkipped;
      rest = rest.subarray(end + 1);
      parts = [];
      size = 0;
      isRestSkipped = false;
      if (isReported) continue;
      if (line.length > limit) yield 'too-long';
      else if (line.length > 0) yield line;
    }
    if (isRestSkipped) continue;
    parts.push(rest);
    size += rest.length;
    if (size <= limit) continue;
    parts = [];
    size = 0;
    isRestSkipped = true;
    yield 'too-long';
  }
}

/**
 * Writes a text that ends in a line feed, and waits for a slow reader. Does nothing if `stream` is closed. Does not report a closed
 * connection: the caller notices the end when it reads from the program at the other end.
 */
export async function writeLine(stream: Writable, text: string): Promise<void> {
  if (stream.destroyed || stream.writableEnded || stream.write(text)) return;
  await new Promise<void>((resolve) => {
    const settle = () => {
      for (const event of ['drain', 'close', 'error']) stream.off(event, settle);
      resolve();
    };
    for (const event of ['drain', 'close', 'error']) stream.once(event, settle);
  });
}
