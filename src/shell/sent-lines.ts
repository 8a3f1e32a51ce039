/** Wraps a gate. Records each line that is a sent message. Refuses a line in which a message was joined to half-typed text. */
import type { Journal } from '../audit/journal.ts';
import { failure, nothingRan } from '../core/failure.ts';
import type { SentLines } from '../session/message/typed-line.ts';
import { type LineGate, refusalVerdict } from './line-verdict.ts';

/** @property journal gives null while the journal cannot be opened. Then every sent line is refused, even if the line needs no grant */
export interface SentLineParts {
  readonly sessionId: string;
  readonly lines: SentLines;
  readonly journal: () => Promise<Journal | null>;
}

const HALF_TYPED = nothingRan(failure('refused', 'refused: a message was sent while this line was half typed'));

export function withSentLines(gate: LineGate, { lines, journal, sessionId }: SentLineParts): LineGate {
  return {
    decide: async (line, print, cancelled) => {
      const taken = lines.match(line.text);
      if (taken === 'merged') return refusalVerdict(HALF_TYPED);
      if (taken === 'as-sent') {
        const record = await journal();
        const why =
          record === null
            ? 'a sent message cannot be recorded now'
            : record({ event: 'line.sent', sessionId, origin: 'send', text: line.text })?.message;
        if (why !== undefined) return refusalVerdict(nothingRan(failure('audit', why)));
      }
      return gate.decide(line, print, cancelled);
    },
    finished: (report) => gate.finished(report),
  };
}
