/**
 * Makes the impact preview: what a line would touch if the line ran now. The preview is made before the approver is asked. The preview has
 * a time limit, and runs no program.
 */

import { CHOOSING_VARIABLE, REPOSITORY_UNKNOWN } from '../../core/impact/git-questions.ts';
import { type Impact, impact } from '../../core/impact/impact.ts';
import type { Question } from '../../core/impact/question.ts';
import { type ImpactCommand, questionsOf } from '../../core/impact/questions.ts';
import { lookAtEmptied, lookAtFiles, lookAtMirrored, lookAtReplaced } from './impact-files.ts';
import { Limit } from './impact-limit.ts';
import { expandTargets, startWalk, type Walk } from './impact-walk.ts';
import { remoteMounts } from './remote-mounts.ts';

const DEADLINE_MS = 150;
/** The most rows that are counted in one table. */
const MAX_ROWS = 20_000;

/**
 * @property cwd         absolute
 * @property deadlineMs  the time limit for all questions together, in ms from now; 150 by default. The limit interrupts no count of rows
 * @property environment the line's environment: HOME, and the variables for git and for the container daemon's socket
 */
export interface ImpactSetting {
  readonly cwd: string;
  readonly deadlineMs?: number;
  readonly environment: ReadonlyMap<string, string>;
}

/**
 * Returns what the line would delete, change or end; an empty list if nothing is known. An error becomes a note.
 * @param assessment the assessment of the line; the line may be opaque
 */
export async function impactOf(
  assessment: { readonly commands: readonly ImpactCommand[] },
  { cwd, deadlineMs = DEADLINE_MS, environment }: ImpactSetting,
): Promise<readonly Impact[]> {
  const questions = questionsOf(assessment.commands, { cwd, home: environment.get('HOME') ?? null });
  if (questions.length === 0) return [];
  const limit = new Limit(deadlineMs);
  const remote = remoteMounts();
  const found: Impact[] = [];
  for (const question of questions) {
    const answer = limit.isOver
      ? impact(question.what, { isCut: true, note: 'not looked up: there was no time left' })
      : await answerSafely(question, { limit, environment, walk: startWalk(limit, remote) });
    if (answer !== null) found.push(answer);
  }
  return found;
}

interface Looking {
  readonly limit: Limit;
  readonly environment: ReadonlyMap<string, string>;
  readonly walk: Walk;
}

/** Turns an error into a note, so that the request still reaches the approver. */
async function answerSafely(question: Question, looking: Looking): Promise<Impact | null> {
  try {
    return await answer(question, looking);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    return impact(question.what, { note: `the look-up failed${code}` });
  }
}

const OF_GIT: ReadonlySet<Question['kind']> = new Set(['untracked', 'unsaved', 'refs', 'stashes']);

async function answer(question: Question, { limit, environment, walk }: Looking): Promise<Impact | null> {
  if (OF_GIT.has(question.kind) && [...environment.keys()].some((name) => CHOOSING_VARIABLE.test(name)))
    return impact(question.what, { note: REPOSITORY_UNKNOWN });
  switch (question.kind) {
    case 'files':
      return lookAtFiles(question, walk);
    case 'emptied':
      return lookAtEmptied(question, walk);
    case 'replaced':
      return lookAtReplaced(question, walk);
    case 'mirrored':
      return lookAtMirrored(question, walk);
    case 'untracked':
      return (await import('./impact-git.ts')).lookAtUntracked(question, environment, walk);
    case 'unsaved':
      return (await import('./impact-git.ts')).lookAtUnsaved(question, walk);
    case 'refs':
      return (await import('./impact-git.ts')).lookAtRefs(question);
    case 'stashes':
      return (await import('./impact-git.ts')).lookAtStashes(question);
    case 'processes':
      return (await import('./impact-processes.ts')).lookAtProcesses(question, limit);
    case 'named':
      return (await import('./impact-processes.ts')).lookAtNamed(question, limit);
    case 'containers': {
      const { containerSocket, lookAtContainers } = await import('./impact-containers.ts');
      return lookAtContainers(question, containerSocket(question.tool, environment), limit);
    }
    case 'rows':
      return lookAtRows(question, walk);
    case 'unknown':
      return impact(question.what, { note: question.note });
  }
}

async function lookAtRows(question: Extract<Question, { readonly kind: 'rows' }>, walk: Walk): Promise<Impact> {
  const { what, tables, note } = question;
  const [path] = await expandTargets([question.database], walk);
  if (path === undefined) return impact(what, { note: 'there is no such database file' });
  const { countRows } = await import('../../store/sqlite.ts');
  const counted = await countRows(path, tables, MAX_ROWS);
  if (!counted.ok) return impact(what, { note: counted.failure.message });
  const isCut = counted.value.some(({ rows }) => rows > MAX_ROWS);
  const items = counted.value.map(({ table, rows }) => `${table}: ${rows > MAX_ROWS ? `more than ${MAX_ROWS}` : rows}`);
  const count = counted.value.reduce((sum, { rows }) => sum + Math.min(rows, MAX_ROWS), 0);
  const missing =
    counted.value.length < tables.length ? ['some of the tables do not exist, or are no plain tables'] : [];
  const notes = [...(note === null ? [] : [note]), ...missing];
  return impact(what, { count, items, isCut, note: notes.length === 0 ? null : notes.join('; ') });
}
