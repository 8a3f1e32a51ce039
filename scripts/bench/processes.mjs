/** Memory and descriptors of the processes of one installation, from /proc. */
import { readdirSync, readFileSync } from 'node:fs';

const read = (file) => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // the process has ended meanwhile
  }
};

/**
 * Finds the processes of an installation by their kernel sessions (setsid(2)), because our Node processes have an empty environment.
 * @typedef {{ pid: number, session: number, words: string[] }} Found
 * @param {string} apesHome  the installation
 * @returns {Found[]} all processes of each kernel session in which a process has this APES_HOME, except the caller's own kernel session
 */
export function processesOf(apesHome) {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? processAt(Number(name)) : []));
  const isNamed = ({ pid }) => read(`/proc/${pid}/environ`).split('\0').includes(`APES_HOME=${apesHome}`);
  const sessions = new Set(all.filter(isNamed).map(({ session }) => session));
  const own = all.find(({ pid }) => pid === process.pid)?.session;
  if (own !== undefined) sessions.delete(own);
  return all.filter(({ session }) => sessions.has(session));
}

/** The name of a program may have blanks and brackets, so the other fields are read after the last bracket. */
function processAt(pid) {
  const [, , , session] = read(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ');
  return { pid, session: Number(session ?? 0), words: read(`/proc/${pid}/cmdline`).split('\0') };
}

/** Returns the resident memory and the number of open descriptors. @param {number} pid  a process that runs */
export function footprintOf(pid) {
  const kibibytes = Number(/^VmRSS:\s+(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1] ?? Number.NaN);
  return { mib: kibibytes / 1024, descriptors: readdirSync(`/proc/${pid}/fd`).length };
}
