/**
 * The program text of our plugins, for harnesses that take JavaScript in place of a hook program. It runs inside the
 * harness, so it is small, needs nothing but Node's own modules, and throws for everything that is not an answer: a thrown
 * error is a denial in opencode and openclaw.
 */
import { guardLine } from '../core/own-call.ts';

/** The function `ask(event)`: what the guard said, or an error with the reason. Works in Node and in Bun. */
export const askText = (guard: string, harness: string): string => `
const LINE = ${JSON.stringify(guardLine(guard, harness))};

/** Calls ape-shell's guard the way a shell would; whatever is not a clear answer is a denial. */
function ask(event) {
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/sh', ['-c', LINE], { stdio: ['pipe', 'pipe', 'pipe'] });
    const text = { out: '', err: '' };
    const deny = (why) => reject(new Error(why.trim() || 'ape-shell: DENIED, nothing ran: the gate gave no answer'));
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      deny('ape-shell: DENIED, nothing ran: the gate did not answer in time');
    }, 40000);
    child.stdout.setEncoding('utf8').on('data', (part) => { text.out += part; });
    child.stderr.setEncoding('utf8').on('data', (part) => { text.err += part; });
    child.stdin.on('error', () => {});
    child.on('error', (error) => { clearTimeout(timer); deny('ape-shell: DENIED, nothing ran: ' + error.message); });
    child.on('close', (status) => {
      clearTimeout(timer);
      if (status !== 0) return deny(text.err);
      let answer;
      try { answer = JSON.parse(text.out); } catch { return deny(''); }
      if (answer?.decision === 'allow') return resolve(answer.input ?? null);
      deny(typeof answer?.reason === 'string' ? answer.reason : '');
    });
    child.stdin.end(JSON.stringify(event));
  });
}
`;

/** The function `report(event)`: tells what happens, one after the other; its promise never fails. It decides nothing. */
export const reportText = (apes: string, harness: string): string => `
let told = Promise.resolve();

/** For the state of the session. In order, since each report is a process of its own; whoever has to be before the next step waits. */
function report(event) {
  told = told.then(() => tell(event));
  return told;
}

function tell(event) {
  return new Promise((resolve) => {
    try {
      const child = spawn(${JSON.stringify(apes)}, ['hooks', 'report', ${JSON.stringify(harness)}], { stdio: ['pipe', 'ignore', 'ignore'] });
      const timer = setTimeout(() => { child.kill('SIGKILL'); resolve(); }, 5000);
      const end = () => { clearTimeout(timer); resolve(); };
      child.on('error', end);
      child.on('close', end);
      child.stdin.on('error', () => {});
      child.stdin.end(JSON.stringify(event));
    } catch {
      resolve();
    }
  });
}
`;
