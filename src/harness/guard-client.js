import { spawn } from 'node:child_process';

/**
 * `apes hooks install` fills in these values: the shell line that runs the hook guard, and the argv of the program that takes reports.
 * @type {{ guardLine: string, report: [string, ...string[]] }}
 */
const OWN = { guardLine: '', report: [''] };

const NO_ANSWER = 'ape-shell: DENIED, nothing ran: the gate gave no answer';
const TOO_LATE = 'ape-shell: DENIED, nothing ran: the gate did not answer in time';
const GUARD_MS = 40_000;
const REPORT_MS = 5_000;

/**
 * Asks the gate about a tool call. Runs the hook guard with sh, in the same way as a harness that has hooks. The promise rejects with the
 * reason if the gate denies the call. The promise also rejects if no clear answer comes within `GUARD_MS`.
 * @param {object} event the call of the tool: `tool`, `input`, `cwd`, `project`; for some harnesses, more members
 * @returns {Promise<Record<string, unknown> | null>} the input that replaces the call's input; null: the call's input stays
 */
export function askGuard(event) {
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/sh', ['-c', OWN.guardLine], { stdio: ['pipe', 'pipe', 'pipe'] });
    const text = { out: '', err: '' };
    const deny = (/** @type {string} */ why) => reject(new Error(why.trim() || NO_ANSWER));
    child.on('error', (error) => deny(`ape-shell: DENIED, nothing ran: ${error.message}`));
    if (child.pid === undefined) return; // The spawn failed. If this process has no free descriptor, `child.stdout` is undefined.
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      deny(TOO_LATE);
    }, GUARD_MS);
    child.stdout.setEncoding('utf8').on('data', (part) => {
      text.out += part;
    });
    child.stderr.setEncoding('utf8').on('data', (part) => {
      text.err += part;
    });
    child.stdin.on('error', () => {});
    child.on('close', (status) => {
      clearTimeout(timer);
      if (status !== 0) return deny(text.err);
      let answer;
      try {
        answer = JSON.parse(text.out);
      } catch {
        return deny('');
      }
      if (answer?.decision === 'allow') return resolve(answer.input ?? null);
      deny(typeof answer?.reason === 'string' ? answer.reason : '');
    });
    child.stdin.end(JSON.stringify(event));
  });
}

/** @type {Promise<void>} */
let lastReport = Promise.resolve();

/**
 * Reports an event, so that the session knows what the agent is doing. Each report starts its process after the process of the previous
 * report has ended or was killed. So reports arrive in order. The promise never rejects.
 * @param {object} event
 */
export function report(event) {
  lastReport = lastReport.then(() => sendReport(event));
  return lastReport;
}

/**
 * @param {object} event
 * @returns {Promise<void>} never rejects, because no tool call depends on a report
 */
function sendReport(event) {
  return new Promise((resolve) => {
    try {
      const [program, ...words] = OWN.report;
      const child = spawn(program, words, { stdio: ['pipe', 'ignore', 'ignore'] });
      const timer = setTimeout(() => {
        child.kill('SIGKILL');
        resolve();
      }, REPORT_MS);
      const end = () => {
        clearTimeout(timer);
        resolve();
      };
      child.on('error', end);
      child.on('close', end);
      child.stdin.on('error', () => {});
      child.stdin.end(JSON.stringify(event));
    } catch {
      resolve();
    }
  });
}
