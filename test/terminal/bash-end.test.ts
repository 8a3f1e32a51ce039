/** How a session ends: what it saves and prints. Also a prompt that a line has removed, which looks like an end. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { gatedBash, makePlace, type Place } from '../fixtures/terminal/start-host.ts';
import { Keyboard } from './keyboard.ts';

const PROMPT = /U# $/;

async function open(place: Place = makePlace()): Promise<Keyboard> {
  const keys = new Keyboard(gatedBash(place));
  await keys.see(PROMPT);
  return keys;
}

const stateOf = (pid: number): string =>
  existsSync(`/proc/${pid}`)
    ? (/^State:\s+(\w)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 'gone')
    : 'gone';

test.each(['emacs', 'vi'])(
  'The history is saved when the terminal goes away while the shell waits for a line: %s',
  async (mode) => {
    const place = makePlace(`PS1='U# '\nset -o ${mode}\n`);
    const file = path.join(place.home, 'history');
    const keys = await open(place);
    keys.type(': kept\r');
    await keys.see(PROMPT);
    keys.hangUp();
    await expect.poll(() => (existsSync(file) ? readFileSync(file, 'utf8') : ''), { timeout: 20_000 }).toBe(': kept\n');
  },
);

test('The history is saved when the terminal goes away after a trap on HUP was set and taken back', async () => {
  const place = makePlace();
  const file = path.join(place.home, 'history');
  const keys = await open(place);
  for (const text of ['trap : HUP', 'trap - HUP']) {
    keys.type(`${text}\r`);
    await keys.see(PROMPT);
  }
  keys.hangUp();
  await expect
    .poll(() => (existsSync(file) ? readFileSync(file, 'utf8') : ''), { timeout: 20_000 })
    .toBe('trap : HUP\ntrap - HUP\n');
});

test('A line that waits for its approval is not in the history when the terminal goes away', async () => {
  const place = makePlace();
  const file = path.join(place.home, 'history');
  const keys = await open(place);
  keys.type(': kept\r');
  await keys.see(PROMPT);
  keys.type(': slowapprove\r');
  await keys.see(/waiting/);
  keys.hangUp();
  await expect.poll(() => (existsSync(file) ? readFileSync(file, 'utf8') : ''), { timeout: 20_000 }).toBe(': kept\n');
});

test('The history is saved when the terminal goes away while a line runs', async () => {
  const place = makePlace();
  const file = path.join(place.home, 'history');
  const keys = await open(place);
  keys.type('echo begun; sleep 60\r');
  await keys.see(/begun\r\n/);
  keys.hangUp();
  await expect
    .poll(() => (existsSync(file) ? readFileSync(file, 'utf8') : ''), { timeout: 20_000 })
    .toBe('echo begun; sleep 60\n');
});

/**
 * bash first saves the history, and then passes SIGHUP on to its jobs. A history file that is a FIFO without a reader keeps bash
 * between these two steps. The gate is stopped, because it would hang up the jobs that a killed bash has left.
 */
test('A second SIGHUP, while bash handles the first, does not keep bash from hanging up its jobs', async () => {
  const place = makePlace();
  const fifo = path.join(place.home, 'fifo');
  execFileSync('mkfifo', [fifo]);
  const keys = await open(place);
  keys.type(`unset HISTFILESIZE; HISTFILE=${fifo}; sleep 600 & echo job=$! bash=$$; sleep 601\r`);
  await keys.see(/job=\d+ bash=\d+\r\n/);
  const [job = 0, bash = 0] = [...keys.printed.matchAll(/(?:job|bash)=(\d+)/g)].map((found) => Number(found[1]));
  process.kill(keys.pid, 'SIGSTOP');
  process.kill(bash, 'SIGHUP');
  await expect
    .poll(() => readFileSync(`/proc/${bash}/wchan`, 'utf8'), { timeout: 20_000 })
    .toMatch(/fifo_open|wait_for_partner/);
  process.kill(bash, 'SIGHUP');
  await expect.poll(() => stateOf(job), { timeout: 20_000 }).toMatch(/Z|gone/);
  process.kill(keys.pid, 'SIGCONT');
  await keys.ended();
});

test('Jobs of disown and nohup go on when the terminal goes away, as without ape-shell; other jobs get SIGHUP', async () => {
  const keys = await open();
  const jobs = [
    'sleep 600 & echo hung=$!',
    'sleep 601 & disown; echo kept=$!',
    'sleep 602 & disown -h; echo kept=$!',
    'nohup sleep 603 >/dev/null 2>&1 & echo kept=$!',
  ];
  for (const line of jobs) {
    keys.type(`${line}\r`);
    await keys.see(/(?:kept|hung)=\d+\r\n[\s\S]*U# $/);
  }
  const pids = (name: string) =>
    [...keys.printed.matchAll(new RegExp(`\\b${name}=(\\d+)`, 'g'))].map((found) => Number(found[1]));
  const [hung, kept] = [pids('hung'), pids('kept')];
  expect([hung.length, kept.length]).toEqual([1, 3]);
  keys.hangUp();
  await keys.ended();
  try {
    await expect.poll(() => hung.map(stateOf), { timeout: 20_000 }).toEqual([expect.stringMatching(/Z|gone/)]);
    expect(kept.map(stateOf)).toEqual(['S', 'S', 'S']);
  } finally {
    for (const pid of kept.filter((each) => stateOf(each) !== 'gone')) process.kill(pid);
  }
});

test('With `set +o history` no history is saved when the terminal goes away', async () => {
  const place = makePlace();
  const file = path.join(place.home, 'history');
  const keys = await open(place);
  keys.type('echo one\r');
  await keys.see(PROMPT);
  keys.type('set +o history\r');
  await keys.see(PROMPT);
  keys.type(': not kept\r');
  await keys.see(PROMPT);
  keys.hangUp();
  await keys.ended();
  expect(existsSync(file) ? readFileSync(file, 'utf8') : '').not.toContain('not kept');
});

test.each([
  ['bash crashes', 'kill -SEGV $$', 'SIGSEGV'],
  ['PROMPT_COMMAND ends it', "PROMPT_COMMAND='exit 3'", 'status 3'],
])('The session says so when bash ends by itself: %s', async (_, text, how) => {
  const keys = await open();
  keys.type(`${text}\r`);
  await keys.see(new RegExp(`\\nape-shell: bash itself ended \\(${how}\\); the session ends\\r\\n`));
  await keys.ended();
});

test.each([
  ['exit 3\r', 3],
  ['exec false\r', 1],
  ['\x04', 0],
])('The session says nothing when a line or Ctrl-D ends bash: %j', async (text, status) => {
  const keys = await open();
  keys.type(text);
  expect((await keys.ended())?.status).toBe(status);
  expect(keys.unseen).not.toContain('ape-shell');
});

test('An entry that a line appends to PROMPT_COMMAND may set the prompt', async () => {
  const keys = await open(makePlace("PS1='U# '\nPROMPT_COMMAND='seen+=1'\n"));
  keys.type(`PROMPT_COMMAND+=('PS1="V# $seen$((++shown)) "')\r`);
  await keys.see(/\nV# 111 $|\[\?2004hV# 111 $/);
  keys.type('echo one\r');
  await keys.see(/one\r\n(?:\x1b\[\?2004h)?V# 1112 $/);
  keys.close();
});

test.each(['{', '}'])('An alias of %s is removed, with a sentence', async (word) => {
  const keys = await open();
  keys.type(`alias ${word}=foo\r`);
  await keys.see(new RegExp(`ape-shell: the alias of ${word} is removed: a gated shell needs this word\\r\\n`));
  await keys.see(PROMPT);
  keys.type('{ echo again; }; alias\r');
  await keys.see(/again\r\n(?:\x1b\[\?2004h)?U# $/);
  keys.close();
});
