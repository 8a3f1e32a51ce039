/** Makes a unified diff of two texts, for people, by Myers' algorithm (1986, "An O(ND) Difference Algorithm"). */

/**
 * The limit for the removed and added lines of a precise diff. If more lines differ, the diff keeps only the common beginning and the
 * common end. Between these two parts, the diff removes all old lines, and then adds all new lines.
 */
const MAX_DIFFERENCES = 800;
const CONTEXT_LINES = 3;

type Mark = ' ' | '-' | '+';
interface Step {
  readonly mark: Mark;
  readonly line: string;
}

/** Returns hunks, each after a line `@@ -from,count +from,count @@`; empty if the texts are the same. */
export function unifiedDiff(before: string, after: string): string {
  if (before === after) return '';
  return hunks(stepsBetween(splitLines(before), splitLines(after))).join('');
}

/** Splits a text into lines. Each line keeps its line break, so a missing line break at the end makes the last line different. */
export const splitLines = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

/** Returns the lines of both texts in the order of the diff: common (` `), removed (`-`) and added (`+`) lines. */
export function stepsBetween(before: readonly string[], after: readonly string[]): readonly Step[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head += 1;
  let tail = 0;
  while (
    tail < before.length - head &&
    tail < after.length - head &&
    before[before.length - 1 - tail] === after[after.length - 1 - tail]
  )
    tail += 1;
  const same = (line: string): Step => ({ mark: ' ', line });
  return [
    ...before.slice(0, head).map(same),
    ...middle(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...before.slice(before.length - tail).map(same),
  ];
}

function middle(before: readonly string[], after: readonly string[]): readonly Step[] {
  const trail = before.length === 0 || after.length === 0 ? null : searchTrail(before, after);
  if (trail !== null) return walkBack(before, after, trail);
  return [...before.map((line): Step => ({ mark: '-', line })), ...after.map((line): Step => ({ mark: '+', line }))];
}

/**
 * Returns the trail of the search; null if there are too many differences. Entry 0 of the trail is the start. Entry `d` maps each diagonal
 * (x - y) to the furthest x that can be reached with `d - 1` differences.
 */
function searchTrail(
  before: readonly string[],
  after: readonly string[],
): readonly ReadonlyMap<number, number>[] | null {
  const trail: ReadonlyMap<number, number>[] = [];
  let furthest = new Map<number, number>([[1, 0]]);
  for (let differences = 0; differences <= MAX_DIFFERENCES; differences += 1) {
    const next = new Map<number, number>();
    trail.push(furthest);
    for (let diagonal = -differences; diagonal <= differences; diagonal += 2) {
      let x = startOn(furthest, diagonal, differences);
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) x += 1;
      next.set(diagonal, x);
      if (x >= before.length && x - diagonal >= after.length) return [...trail, next];
    }
    furthest = next;
  }
  return null;
}

const reached = (furthest: ReadonlyMap<number, number>, diagonal: number): number => furthest.get(diagonal) ?? -1;

/** Whether the best way onto this diagonal is a step down (an added line); false: it is a step to the right (a removed line). */
const isDown = (furthest: ReadonlyMap<number, number>, diagonal: number, differences: number): boolean =>
  diagonal === -differences ||
  (diagonal !== differences && reached(furthest, diagonal - 1) < reached(furthest, diagonal + 1));

const startOn = (furthest: ReadonlyMap<number, number>, diagonal: number, differences: number): number =>
  isDown(furthest, diagonal, differences) ? reached(furthest, diagonal + 1) : reached(furthest, diagonal - 1) + 1;

function walkBack(
  before: readonly string[],
  after: readonly string[],
  trail: readonly ReadonlyMap<number, number>[],
): readonly Step[] {
  const steps: Step[] = [];
  let x = before.length;
  let y = after.length;
  for (let differences = trail.length - 2; differences >= 0; differences -= 1) {
    const furthest = trail[differences] ?? new Map<number, number>();
    const wentDown = isDown(furthest, x - y, differences);
    const fromX = wentDown ? reached(furthest, x - y + 1) : reached(furthest, x - y - 1);
    const fromY = fromX - (wentDown ? x - y + 1 : x - y - 1);
    // Forwards, the step to this diagonal comes before the common lines; backwards, the common lines come first.
    const startX = wentDown ? fromX : fromX + 1;
    for (; x > startX; x -= 1, y -= 1) steps.push({ mark: ' ', line: before[x - 1] ?? '' });
    if (differences === 0) break;
    steps.push(wentDown ? { mark: '+', line: after[fromY] ?? '' } : { mark: '-', line: before[fromX] ?? '' });
    x = fromX;
    y = fromY;
  }
  return steps.reverse();
}

function hunks(steps: readonly Step[]): readonly string[] {
  const found: string[] = [];
  for (const [from, to] of spans(steps)) {
    const shown = steps.slice(from, to);
    const count = (marks: string, list: readonly Step[]) => list.filter(({ mark }) => marks.includes(mark)).length;
    const start = (marks: string) => count(marks, steps.slice(0, from)) + (count(marks, shown) > 0 ? 1 : 0);
    const head = `@@ -${start(' -')},${count(' -', shown)} +${start(' +')},${count(' +', shown)} @@\n`;
    found.push(`${head}${shown.map(({ mark, line }) => markedLine(mark, line)).join('')}`);
  }
  return found;
}

/** Returns the line with its mark in front. A line without a line break gets a note like that of diff(1). */
export const markedLine = (mark: string, line: string): string =>
  line.endsWith('\n') ? mark + line : `${mark}${line}\n\\ No newline at the end\n`;

/** Returns ranges of steps: each difference with its lines of context. Ranges that touch are joined. */
function spans(steps: readonly Step[]): readonly (readonly [number, number])[] {
  const joined: [number, number][] = [];
  steps.forEach(({ mark }, at) => {
    if (mark === ' ') return;
    const from = Math.max(0, at - CONTEXT_LINES);
    const to = Math.min(steps.length, at + 1 + CONTEXT_LINES);
    const last = joined.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = to;
    else joined.push([from, to]);
  });
  return joined;
}
