/** What the person is told whose shell starts although its gate does not work. */
import { type Failure, failureLine } from '../core/failure.ts';

/** Two lines, LF included. */
export const brokenText = (failure: Failure): string =>
  `${failureLine('ape-shell', failure)}\nape-shell: until that is mended no line runs; exit, :status and apes health work\n`;
