/** Writes messages of the proxies to standard error: one line for each message, and a limited number of lines. */
import { visibleLine } from '../../core/text/visible-text.ts';

const MAX_COMPLAINTS = 100;
const SHOWN = 200;

/** Returns a function that passes on at most `MAX_COMPLAINTS` texts: each as one line of visible characters, cut after `SHOWN`. */
export function limitedComplaints(complain: (line: string) => void): (text: string) => void {
  let count = 0;
  return (text) => {
    count += 1;
    if (count > MAX_COMPLAINTS) return;
    complain(`${visibleLine(text).slice(0, SHOWN)}${count === MAX_COMPLAINTS ? '; more of this is not shown' : ''}`);
  };
}
