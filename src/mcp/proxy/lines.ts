/** Reads and writes streams as lines, which end in a line feed: the framing of the Model Context Protocol and similar ones. */
import type { Writable } from 'node:stream';

/** The longest line that is taken, in bytes; a picture as base64 fits. */
const MAX_LINE = 32 * 1024 * 1024;

const LINE_FEED = 0x0a;

/** Each line that is not empty, or `too-long` once in place of a line over `limit` bytes. Bytes after the last line feed are ignored. */
export async function* linesOf(
  stream: AsyncIterable<Buffer | string>,
  limit = MAX_LINE,
): AsyncGenerator<Buffer | 'too-long'> {
  let parts: Buffer[] = [];
  let size = 0;
  let isSkipped = false;
  for await (const chunk of stream) {
    let rest = Buffer.from(chunk as Buffer);
    for (let end = rest.indexOf(LINE_FEED); end >= 0; end = rest.indexOf(LINE_FEED)) {
      const line = Buffer.concat([...parts, rest.subarray(0, end)]);
      const isTold = isSkipped;
      rest = rest.subarray(end + 1);
      parts = [];
      size = 0;
      isSkipped = false;
      if (isTold) continue;
      if (line.length > limit) yield 'too-long';
      else if (line.length > 0) yield line;
    }
    if (isSkipped) continue;
    parts.push(rest);
    size += rest.length;
    if (size <= limit) continue;
    parts = [];
    size = 0;
    isSkipped = true;
    yield 'too-long';
  }
}

/** Waits for a slow reader. Does nothing if the reader is gone: the end of its stream reports that. */
export async function writeLine(stream: Writable, text: string): Promise<void> {
  if (stream.destroyed || stream.writableEnded || stream.write(text)) return;
  await new Promise<void>((resolve) => {
    const over = () => {
      for (const event of ['drain', 'close', 'error']) stream.off(event, over);
      resolve();
    };
    for (const event of ['drain', 'close', 'error']) stream.once(event, over);
  });
}
