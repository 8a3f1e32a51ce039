/**
 * Reads a plan as the requester writes it: JSON without unknown keys. Relative paths stay relative. A message about a fault is one line.
 * The message quotes unknown keys, but nothing else of the plan: a plan may contain secrets, and messages reach logs.
 */
import { type Failure, failure } from '../failure.ts';
import type { Fault } from '../fault.ts';
import { failed, type Result, success } from '../result.ts';
import { isRecord } from '../shape.ts';
import { parseDuration } from '../text/duration.ts';
import { visibleLine } from '../text/visible-text.ts';
import type { Plan, PlanPart } from '../wire/plan.ts';
import { MAX_PART_PATHS, MAX_PART_TEXT, MAX_PART_USES, MAX_PLAN_MS, MAX_PLAN_PARTS } from './plan-limits.ts';

/** @property reason the requester's reason, for the approver; null: the plan has no reason */
export interface PlanFile {
  readonly plan: Plan;
  readonly reason: string | null;
}

const MAX_REASON = 2_000;
const EXAMPLE = '{"reason": "…", "for": "2h", "parts": [{"line": "npm test", "uses": 5}]}';

/** `message` is a sentence without its subject ("has no parts"); the caller adds the subject. `advice` says what to write. */
interface PlanFault extends Fault {
  readonly advice: string;
}

type Read<T> = Result<T, PlanFault>;
const wrong = (message: string, advice: string): Read<never> => failed({ message, advice });

/**
 * Reads a plan from the text of its file.
 * @param nowMs the present time; "until" must be later
 */
export function readPlanFile(text: string, nowMs: number): Result<PlanFile, Failure> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return failed(failure('usage', 'the plan is no JSON', `write an object such as ${EXAMPLE}`));
  }
  return readPlan(value, nowMs);
}

/**
 * Reads a plan from parsed JSON.
 * @param nowMs the present time; "until" must be later
 */
export function readPlan(value: unknown, nowMs: number): Result<PlanFile, Failure> {
  const head = readHead(value, nowMs);
  if (!head.ok) return failed(planFailure('the plan', head.failure));
  const { order, end, reason, unreadParts } = head.value;
  const parts: PlanPart[] = [];
  for (const [at, value] of unreadParts.entries()) {
    const part = readPart(value);
    if (!part.ok) return failed(planFailure(`part ${at + 1} of the plan`, part.failure));
    parts.push(part.value);
  }
  return success({ plan: { order, end, parts }, reason });
}

const planFailure = (subject: string, { message, advice }: PlanFault): Failure =>
  failure('usage', `${subject} ${message}`, advice);

/** @property unreadParts the parts as they are in the JSON */
interface PlanHead extends Pick<Plan, 'order' | 'end'> {
  readonly reason: string | null;
  readonly unreadParts: readonly unknown[];
}

function readHead(value: unknown, nowMs: number): Read<PlanHead> {
  if (!isRecord(value)) return wrong('is no JSON object', `write an object such as ${EXAMPLE}`);
  const unknown = unknownKey(value, ['reason', 'for', 'until', 'order', 'parts']);
  if (unknown !== null)
    return wrong(`has an unknown key "${unknown}"`, 'a plan has reason, for or until, order, parts');
  const { reason = null, order = false, parts } = value;
  if (reason !== null && !(typeof reason === 'string' && reason.length <= MAX_REASON))
    return wrong('has a reason that is not a string, or is too long', `write at most ${MAX_REASON} characters`);
  if (typeof order !== 'boolean') return wrong('has an order that is neither true nor false', 'write "order": true');
  const end = readEnd(value, nowMs);
  if (!end.ok) return end;
  if (!Array.isArray(parts) || parts.length === 0)
    return wrong('has no parts', 'write "parts": [{"line": "npm test"}, …]');
  if (parts.length > MAX_PLAN_PARTS)
    return wrong(
      `has ${parts.length} parts`,
      `write at most ${MAX_PLAN_PARTS}; plan the rest when these parts are done`,
    );
  return success({ order, end: end.value, reason, unreadParts: parts });
}

function readEnd(value: Readonly<Record<string, unknown>>, nowMs: number): Read<Plan['end']> {
  const { for: lasting, until } = value;
  if (lasting !== undefined && until !== undefined) return wrong('has two ends', 'write either "for" or "until"');
  if (lasting === undefined && until === undefined)
    return wrong('has no end', 'write "for": "2h", counted from the approval, or "until": "2030-01-31T18:00:00Z"');
  if (lasting !== undefined) {
    const forMs = typeof lasting === 'string' ? parseDuration(lasting) : null;
    if (forMs === null) return wrong('has a "for" that is no duration', 'write "15m", "2h" or "1d"');
    if (forMs > MAX_PLAN_MS) return wrong('lasts longer than 30 days', 'write a shorter "for"');
    return success({ forMs });
  }
  const untilMs = typeof until === 'string' ? momentOf(until) : null;
  if (untilMs === null)
    return wrong('has an "until" that is no moment', 'write date, time and time zone: "2030-01-31T18:00:00Z"');
  if (untilMs <= nowMs) return wrong('ends in the past', 'write a later "until", or "for"');
  if (untilMs > nowMs + MAX_PLAN_MS) return wrong('lasts longer than 30 days', 'write an earlier "until"');
  return success({ untilMs });
}

/** Returns null for a text without a time zone, or with a date that the calendar does not have. `Date.parse` reads 31 February as 3 March. */
function momentOf(text: string): number | null {
  const [, date = ''] = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/.exec(text) ?? [];
  const [dayMs, moment] = [Date.parse(date), Date.parse(text)];
  return Number.isNaN(dayMs + moment) || !new Date(dayMs).toISOString().startsWith(date) ? null : moment;
}

const PART_KEYS = ['line', 'like', 'as', 'uses', 'paths', 'cwd'];

function readPart(value: unknown): Read<PlanPart> {
  if (!isRecord(value)) return wrong('is not an object', 'write {"line": "npm test"}');
  const unknown = unknownKey(value, PART_KEYS);
  if (unknown !== null) return wrong(`has an unknown key "${unknown}"`, `a part has ${PART_KEYS.join(', ')}`);
  const { line, like, uses = 1, paths, cwd = '.' } = value;
  if ((line === undefined) === (like === undefined))
    return wrong(
      'needs either "line" or "like"',
      'write "line" for exactly one line, "like" for an example of a kind of lines',
    );
  const text = line ?? like;
  const fault = textFault(text);
  if (fault !== null) return fault;
  if (typeof uses !== 'number' || !Number.isInteger(uses) || uses < 1 || uses > MAX_PART_USES)
    return wrong('has a wrong number of uses', `write a whole number from 1 to ${MAX_PART_USES}`);
  if (!isPath(cwd)) return wrong('has a "cwd" that is no path', 'write a directory');
  if (line !== undefined && (value['as'] !== undefined || paths !== undefined))
    return wrong('has "line" together with "as" or "paths"', 'write "like" in place of "line" for a kind of lines');
  const as = line === undefined ? (value['as'] ?? 'operation') : 'exact';
  if (typeof as !== 'string' || !/^[a-z-]{1,30}$/.test(as) || (like !== undefined && as === 'exact'))
    return wrong(
      'has an "as" that is no kind of lines',
      'write operation, reading or reading-any; `apes grants proposals ID` lists the kinds for a request',
    );
  if (paths !== undefined && !(Array.isArray(paths) && paths.length > 0 && paths.every(isPath)))
    return wrong('has "paths" that are not a list of paths', 'write "paths": ["src", "docs"]');
  if (paths !== undefined && paths.length > MAX_PART_PATHS)
    return wrong('has too many paths', `write at most ${MAX_PART_PATHS}`);
  return success({ text: text as string, cwd, as, uses, ...(paths === undefined ? {} : { paths: paths as string[] }) });
}

function textFault(text: unknown): Read<never> | null {
  if (typeof text !== 'string' || text.trim() === '') return wrong('has no line', 'write "line": "npm test"');
  if (text.includes('\0') || /\p{Surrogate}/u.test(text))
    return wrong('contains a NUL or half a surrogate pair', 'remove this character');
  return text.length > MAX_PART_TEXT
    ? wrong(
        'is too long',
        `write at most ${MAX_PART_TEXT} characters; put the commands into a script and plan a line that runs it`,
      )
    : null;
}

const isPath = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= 4_096 && !value.includes('\0');

/** The most characters of an unknown key that a message shows. */
const SHOWN_KEY = 40;

function unknownKey(value: object, known: readonly string[]): string | null {
  const key = Object.keys(value).find((name) => !known.includes(name));
  return key === undefined ? null : visibleLine(key.slice(0, SHOWN_KEY));
}
