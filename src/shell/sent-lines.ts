/** Wraps a gate. Records each line that is a sent message. Refuses a line in which a message was joined to half-typed text. */
import type { Journal } from '../audit/journal.ts';
import type { SentLines } from '../session/message/typed-line.ts';
import type { LineGate } from './line-verdict.ts';

/** @property journal gives null while the journal cannot be opened. Then every sent line is refused, even if the line needs no grant */
export interface SentLineParts {
  readonly sessionId: string;
  readonly lines: SentLines;
  readonly journal: () => Promise<Journal | null>;
}

const REFUSED_STATUS = 77;

export function withSentLines(gate: LineGate, { lines, journal, sessionId }: SentLineParts): LineGate {
  return {
    decide: async (line, print, cancelled) => {
      const taken = lines.match(line.text);
      if (taken === 'merged')
        return {
          kind: 'refused',
          message: 'ape-shell: refused: a message was sent while this line was half typed; nothing ran',
          status: REFUSED_STATUS,
        };
      if (taken === 'as-sent') {
        const record = await journal();
        const why =
          record === null
            ? 'a sent message cannot be recorded now'
            : record({ event: 'line.sent', sessionId, origin: 'send', text: line.text })?.message;
        if (why !== undefined) return { kind: 'refused', message: `ape-shell: ${why}; nothing ran`, status: 74 };
      }
      return gate.decide(line, print, cancelled);
    },
    finished: (report) => gate.finished(report),
  };
}
