/** Finds the processes that would get a signal. /proc gives the process ID, name, command line and age of each process. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { type Impact, impact, MAX_ITEMS } from '../../core/impact/impact.ts';
import type { Question } from '../../core/impact/question.ts';
import type { Limit } from './impact-limit.ts';

type Of<Kind extends Question['kind']> = Extract<Question, { readonly kind: Kind }>;

/** @property ageS seconds since the process started */
interface RunningProcess {
  readonly pid: number;
  readonly name: string;
  readonly commandLine: string;
  readonly group: number;
  readonly ageS: number;
}

/** USER_HZ. The times in /proc are numbers of ticks. */
const TICKS_PER_SECOND = 100;
const NOT_KNOWN_HERE = 'not looked up: this system has no /proc';

/** Finds the processes that the command selects by ID or group. If the command selects all, finds those that this user may signal. */
export function lookAtProcesses({ what, ...question }: Of<'processes'>, limit: Limit): Impact {
  const { pids, groups, isEverything, note } = question;
  if (process.platform !== 'linux') return impact(what, { items: pids.map(String), note: NOT_KNOWN_HERE });
  if (isEverything) return impactOf(what, everyProcess(limit, isOwn), 'all processes that this user may signal');
  const found = new Map<number, RunningProcess>();
  for (const pid of pids) {
    const one = readProcess(pid);
    if (one !== null) found.set(pid, one);
  }
  const members = groups.length === 0 ? null : everyProcess(limit, ({ group }) => groups.includes(group));
  for (const one of members?.found ?? []) found.set(one.pid, one);
  const missing = pids.filter((pid) => !found.has(pid));
  const notes = [
    ...(note === null ? [] : [note]),
    ...(missing.length === 0 ? [] : [`${missing.join(', ')}: not there`]),
  ];
  if (pids.length + groups.length === 0) return impact(what, { note });
  return impactOf(what, { found: [...found.values()], isCut: members?.isCut ?? false }, notes.join('; ') || null);
}

/** Finds the processes that the command selects by name or by command line. */
export function lookAtNamed({ what, ...question }: Of<'named'>, limit: Limit): Impact {
  if (process.platform !== 'linux') return impact(what, { note: NOT_KNOWN_HERE });
  const { name, by, isWhole, isPattern, ignoresCase, isPartial } = question;
  // Of a pattern, only the dot, ^ at the beginning and $ at the end stay special. All other special characters are escaped, so the
  // expression has no repetition, and a match takes linear time.
  const [, begin = '', body = '', end = ''] = (isPattern ? /^(\^?)(.*?)(\$?)$/ : /^()(.*)()$/).exec(name) ?? [];
  const escaped = body.replace(isPattern ? /[^\w.]/g : /\W/g, '\\$&');
  const text = isWhole ? `^(?:${escaped})$` : `${begin}${escaped}${end}`;
  const expression = new RegExp(text, ignoresCase ? 'i' : '');
  const found = everyProcess(
    limit,
    (one) => one.pid !== process.pid && expression.test(by === 'name' ? one.name : one.commandLine),
  );
  return impactOf(what, found, isPartial ? 'the command may choose fewer of them' : null);
}

function impactOf(
  what: string,
  { found, isCut }: { readonly found: readonly RunningProcess[]; readonly isCut: boolean },
  note: string | null,
): Impact {
  const items = found.slice(0, MAX_ITEMS).map(({ pid, name, commandLine, ageS }) => {
    const line = commandLine.length > 100 ? `${commandLine.slice(0, 99)}…` : commandLine;
    return `${pid} ${name} (${line === '' ? '' : `${line}, `}${ageText(ageS)})`;
  });
  return impact(what, { count: found.length, items, isCut, note });
}

function everyProcess(limit: Limit, wanted: (one: RunningProcess) => boolean) {
  const found: RunningProcess[] = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    if (limit.isOver) return { found, isCut: true };
    const one = readProcess(Number(name));
    if (one !== null && wanted(one)) found.push(one);
  }
  return { found, isCut: false };
}

function isOwn({ pid }: RunningProcess): boolean {
  const user = process.getuid?.();
  try {
    return pid > 1 && (user === 0 || statSync(`/proc/${pid}`).uid === user);
  } catch {
    return false;
  }
}

function readProcess(pid: number): RunningProcess | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const commandLine = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replace(/\0+$/, '').replaceAll('\0', ' ');
    const uptimeS = Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]);
    // The name of the process is in parentheses. The name can contain parentheses too.
    const end = stat.lastIndexOf(')');
    const fields = stat.slice(end + 2).split(' ');
    return {
      pid,
      name: stat.slice(stat.indexOf('(') + 1, end),
      commandLine,
      group: Number(fields[2]),
      ageS: Math.max(0, uptimeS - Number(fields[19]) / TICKS_PER_SECOND),
    };
  } catch {
    return null;
  }
}

function ageText(seconds: number): string {
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3_600)} h` : `${Math.floor(seconds / 86_400)} d`;
}
