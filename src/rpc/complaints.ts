/** Limits the number and the length of the messages that a relay writes to standard error. */
import { visibleLine } from '../core/text/visible-text.ts';

const MAX_COMPLAINTS = 100;
const SHOWN = 200;

/** Returns a function that passes at most `MAX_COMPLAINTS` texts to `complain`. Each text becomes one visible line, cut to `SHOWN`. */
export function limitedComplaints(complain: (line: string) => void): (text: string) => void {
  let count = 0;
  return (text) => {
    count += 1;
    if (count > MAX_COMPLAINTS) return;
    complain(
      `${visibleLine(text).slice(0, SHOWN)}${count === MAX_COMPLAINTS ? '; further messages are not shown' : ''}`,
    );
  };
}
