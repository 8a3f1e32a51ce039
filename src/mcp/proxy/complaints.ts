/** Messages of the proxies on standard error: one line each, and a limited number. */
import { visibleLine } from '../../core/text/visible-text.ts';

const MAX_COMPLAINTS = 100;
const SHOWN = 200;

/** @param complain takes one line for standard error. The returned function makes untrusted text visible, and stops after `MAX_COMPLAINTS`. */
export function limitedComplaints(complain: (line: string) => void): (text: string) => void {
  let count = 0;
  return (text) => {
    count += 1;
    if (count > MAX_COMPLAINTS) return;
    complain(`${visibleLine(text).slice(0, SHOWN)}${count === MAX_COMPLAINTS ? '; more of this is not shown' : ''}`);
  };
}
