/** Sessions as a person uses them: start, detach, attach again, watch, end. Also which processes and entries are left after a kill. */
import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ScreenView } from '../../src/core/message/session-view.ts';
import { DIST } from '../fixtures/programs.ts';
import { Person } from '../fixtures/terminal/person.ts';
import { GatedStage } from '../security/gated-stage.ts';

const BIN = join(DIST, 'bin');
const APES = join(BIN, 'apes');
const DETACH = '\x1c';
const PROMPT = /^bash[-.\d]*[#$]$/;

const stage = new GatedStage();
const people: Person[] = [];

beforeAll(async () => {
  await stage.open();
  const variables = (await stage.run('env')).out.trim().split('\n');
  environment = Object.fromEntries(variables.map((each) => [each.split('=', 1)[0], each.slice(each.indexOf('=') + 1)]));
  for (const program of ['bash --norc -i', 'vim -u NONE -N letter', 'less -X /etc/services', 'cat'])
    await stage.approved(`apes run -- ${program}`, 'always');
});
afterEach(async () => {
  for (const person of people.splice(0)) person.close();
  for (const each of await sessions()) if (each.isAnswering) await stage.run(`apes sessions kill ${each.id}`);
});
afterAll(() => stage.close());

function person(...words: string[]): Person {
  const made = new Person([APES, ...words], place());
  people.push(made);
  return made;
}

/** The environment of the stage, which its grants are bound to. TERM is a terminal with more abilities. */
let environment: Record<string, string> = {};
const place = () => ({ cwd: join(stage.scratch, 'work'), env: { ...environment, TERM: 'xterm-256color' } });

interface Listed {
  readonly id: string;
  readonly name: string | null;
  readonly pid: number;
  readonly isAnswering: boolean;
  readonly ended: { status: number; signal: number } | null;
  readonly columns?: number;
  readonly rows?: number;
}

async function sessions(): Promise<readonly Listed[]> {
  return JSON.parse((await stage.run('apes sessions list --json')).out).data as Listed[];
}

async function startDetached(name: string, program: string): Promise<string> {
  const started = await stage.run(`apes session start --detached --name ${name} -- ${program}`);
  expect(started).toMatchObject({ status: 0 });
  return started.out.trim();
}

async function isGone(pid: number): Promise<boolean> {
  for (let wait = 0; wait < 1_200; wait++) {
    if (isOver(pid)) return true;
    await sleep(50);
  }
  return false;
}

/** Whether the process has ended, even if it is not reaped yet. */
function isOver(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1').includes(') Z ');
  } catch {
    return true;
  }
}

/** Returns the ids of the processes that have this session in their environment. */
const withSession = (id: string): readonly number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`APES_SESSION=${id}`);
      } catch {
        return false;
      }
    });

/** A program that prints more output than a session keeps. It paints its screen once in the middle, and again when its window changes. */
const PAINTER = `import os, signal, time
def paint(*_): os.write(1, b'\\x1b[2J\\x1b[2;1Hpainted once\\x1b[4;1Hcount 199999')
def count(): 
  for first in range(0, 200000, 1000): os.write(1, b''.join(b'\\x1b[4;1Hcount %d' % n for n in range(first, first + 1000)))
os.write(1, b'\\x1b]2;a painter\\x07\\x1b[?1049h')
signal.signal(signal.SIGWINCH, paint)
count(); paint(); count()
open('painted-all', 'w').close()
while True: time.sleep(60)
`;

describe('a program in a session of its own', () => {
  it('is unchanged after a detach and a new attach, also a full-screen program and the screen below it', async () => {
    await startDetached('editing', 'bash --norc -i');
    const first = person('sessions', 'attach', 'editing');
    await first.see(PROMPT);
    first.type("echo 'be''low'; vim -u NONE -N letter\r");
    await first.see(/^~$/);
    first.type('ihällo 日本\x1b');
    const before = await first.until(
      'the text, the cursor on its last character, and no sign of inserting',
      ({ lines, cursor }) => lines[0] === 'hällo 日本' && cursor.column === 8 && lines.at(-1) === '',
    );
    expect(before.isAlternate).toBe(true);
    first.type(DETACH);
    expect((await first.ended).exitCode).toBe(0);
    expect((await first.screen()).isAlternate).toBe(false);

    const again = person('sessions', 'attach', 'edi');
    const whole = (screen: ScreenView) => JSON.stringify({ ...screen, title: '' });
    await again.until('the same screen', (screen) => whole(screen) === whole(before));
    again.type(':q!\r');
    expect((await again.see(PROMPT)).lines).toContain('below');
    again.type('exit 7\r');
    expect((await again.ended).exitCode).toBe(7);
    expect((await sessions()).find(({ name }) => name === 'editing')).toMatchObject({
      isAnswering: false,
      ended: { status: 7, signal: 0 },
    });
  });

  it('has the window of the terminal that typed last, and 80x24 before', async () => {
    await startDetached('sized', 'bash --norc -i');
    const size = async () => (await sessions()).find(({ name }) => name === 'sized');
    expect(await size()).toMatchObject({ columns: 80, rows: 24 });
    const small = new Person([APES, 'sessions', 'attach', 'sized'], place(), { columns: 50, rows: 12 });
    people.push(small);
    await small.see(PROMPT);
    expect(await size()).toMatchObject({ columns: 50, rows: 12 });
    const big = person('sessions', 'attach', 'sized');
    await big.see(PROMPT);
    big.type('stty size\r');
    await big.see(/^24 80$/);
    await small.see(/^24 80$/); // each of the two terminals shows the output of both
    small.type('stty size\r');
    await big.see(/^12 50$/);
  });

  it('gets APES_SESSION and no other variable of ours but the one that names the installation', async () => {
    const id = await startDetached('variables', 'bash --norc -i');
    const looker = person('sessions', 'attach', 'variables');
    await looker.see(PROMPT);
    looker.type('clear; env | grep ^APE | cut -c1-34\r');
    const { lines } = await looker.until('the variables', (screen) =>
      screen.lines.some((line) => line.startsWith('APES_S')),
    );
    expect(lines.filter((line) => line.startsWith('APE')).sort()).toEqual(
      [`APES_HOME=${stage.apesHome}`.slice(0, 34), `APES_SESSION=${id}`.slice(0, 34)].sort(),
    );
  });

  it('can be watched without a way to type into it', async () => {
    await startDetached('seen', 'cat');
    const writer = person('sessions', 'attach', 'seen');
    const watcher = person('sessions', 'watch', 'seen');
    watcher.type('typed by the watcher\r');
    writer.type('typed by the writer\r');
    const screen = await watcher.until(
      'it twice',
      ({ lines }) => lines.filter((line) => line === 'typed by the writer').length === 2,
    );
    expect(screen.lines.join('\n')).not.toContain('watcher');
    const changes = await stage.run(
      'apes sessions watch --json seen > changes & until [ "$(wc -l < changes)" -ge 2 ]; do sleep 0.1; done; kill $!; cat changes',
    );
    const [joined, shown] = changes.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).data as Record<string, unknown>);
    expect(joined).toMatchObject({ event: 'joined', name: 'seen', columns: 80 });
    expect(shown).toMatchObject({
      event: 'screen',
      screen: { lines: expect.arrayContaining(['typed by the writer']) },
    });
    watcher.type('q');
    expect((await watcher.ended).exitCode).toBe(0);
  });

  it('cannot be attached to on its own terminal, where its output would never end', async () => {
    await startDetached('mirrors', 'bash --norc -i');
    const looker = person('sessions', 'attach', 'mirrors');
    await looker.see(PROMPT);
    for (const verb of ['attach', 'watch']) {
      looker.type(`clear; apes sessions ${verb} mirrors; echo "${verb} $?"\r`);
      await looker.see(new RegExp(`^${verb} 64$`));
      await looker.see(/this terminal is inside that session/);
    }
  });

  it('survives kill -9 of an attached client, and of its starter', async () => {
    const starter = person('session', 'start', '--name', 'lasting', '--', 'bash', '--norc', '-i');
    await starter.see(PROMPT);
    starter.type("echo 'st''ays'\r");
    await starter.see(/^stays$/);
    process.kill(starter.pid, 'SIGKILL');
    await starter.ended;
    const back = person('sessions', 'attach', 'lasting');
    await back.see(/^stays$/);
  });

  it('is left by a detach key that the terminal sends as a sequence in two parts', async () => {
    await startDetached('split', 'bash --norc -i');
    const visitor = person('sessions', 'attach', 'split', '--detach-key', '^q');
    await visitor.see(PROMPT);
    visitor.type("echo 'g''o'; cat\r");
    await visitor.see(/^go$/);
    visitor.type('\x1b[113;5');
    await visitor.see(/\^\[\[113;5$/);
    visitor.type('u');
    expect((await visitor.ended).exitCode).toBe(0);
  });

  it('leaves neither a process nor an entry when its host is killed', async () => {
    const id = await startDetached('orphan', 'bash --norc -i');
    const looker = person('sessions', 'attach', 'orphan');
    await looker.see(PROMPT);
    looker.type('sleep 4711\r');
    await looker.see(/sleep 4711$/);
    const programs = withSession(id);
    expect(programs.length).toBeGreaterThan(0);
    const host = (await sessions()).find((each) => each.id === id)?.pid ?? 0;
    process.kill(host, 'SIGKILL');
    expect((await looker.ended).exitCode).toBe(69);
    for (const pid of programs) expect(await isGone(pid)).toBe(true);
    expect((await sessions()).filter((each) => each.id === id)).toEqual([]);
    expect(readdirSync(join(stage.apesHome, 'run', 'sessions')).filter((name) => name.startsWith(id))).toEqual([]);
  });

  it('is killed also when it ignores SIGHUP, and attached clients get the event', async () => {
    const id = await startDetached('stubborn', 'bash --norc -i');
    const looker = person('sessions', 'attach', 'stubborn');
    await looker.see(PROMPT);
    looker.type("trap '' HUP; echo 'dea''f'\r");
    await looker.see(/^deaf$/);
    const killed = await stage.run('apes sessions kill --json stubborn');
    expect(JSON.parse(killed.out).data).toEqual({ id, name: 'stubborn', status: 0, signal: 9 });
    expect((await looker.ended).exitCode).toBe(128 + 9);
  });

  it('that paints only parts of its screen is shown completely, although its first output was not kept', async () => {
    const program = stage.file('painter', PAINTER);
    await stage.approved(`apes run -- python3 ${program}`, 'always');
    const id = await startDetached('painter', `python3 ${program}`);
    const marker = join(stage.scratch, 'work', 'painted-all');
    await eventually(async () => existsSync(marker) || undefined);
    const shown = JSON.parse((await stage.run(`apes sessions show --json ${id}`)).out).data as { screen: ScreenView };
    expect(shown.screen).toMatchObject({ isAlternate: true, title: 'a painter', rows: 24, columns: 80 });
    expect(shown.screen.lines).toContain('painted once');
    expect(shown.screen.lines).toContain('count 199999');
  });

  it('that cannot be started says so, with the status of a shell, and leaves no entry', async () => {
    await stage.approved('apes run -- ./no-such-program', 'always');
    const started = await stage.run('apes session start --detached --name none -- ./no-such-program');
    expect(started.status).toBe(127);
    expect(started.err).toContain('no-such-program: No such file');
    expect((await sessions()).filter(({ name }) => name === 'none')).toEqual([]);
  });
});

describe('the record of this host', () => {
  interface Entry {
    readonly at: string;
    readonly event: string;
    readonly sessionId?: string;
    readonly name?: string;
    readonly user?: string;
    readonly by?: { pid: number; terminal: string | null };
  }
  const entries = (id: string): readonly Entry[] => {
    const directory = join(stage.apesHome, 'state', 'audit');
    return readdirSync(directory)
      .sort()
      .flatMap((name) => readFileSync(join(directory, name), 'utf8').split('\n').slice(0, -1)) // what follows is being written
      .map((line) => JSON.parse(line) as Entry)
      .filter(({ sessionId, event }) => sessionId === id && event.startsWith('session.'));
  };

  it('names who attached to a session, who detached and who ended it, and when', async () => {
    const since = Date.now();
    const id = await startDetached('recorded', 'bash --norc -i');
    const visitor = person('sessions', 'attach', 'recorded');
    await visitor.see(PROMPT);
    visitor.type(DETACH);
    await visitor.ended;
    await stage.run('apes sessions kill recorded');
    const found = await eventually(async () => (entries(id).length >= 3 ? entries(id) : undefined));
    expect(found.map(({ event }) => event)).toEqual(['session.attached', 'session.left', 'session.killed']);
    const [attached, left, killed] = found;
    expect(attached).toMatchObject({ name: 'recorded', user: userInfo().username });
    expect(attached?.by?.pid).toBeGreaterThan(1);
    expect(attached?.by?.terminal).toMatch(/^\/dev\//);
    expect(left?.by).toEqual(attached?.by);
    expect(killed?.by?.pid).not.toBe(attached?.by?.pid);
    expect(Date.parse(attached?.at ?? '')).toBeGreaterThanOrEqual(since - 1_000);
  });

  it('is necessary for each attach; without it a session can only be ended', async () => {
    const id = await startDetached('unrecorded', 'bash --norc -i');
    const directory = join(stage.apesHome, 'state', 'audit');
    chmodSync(directory, 0o755); // others could read along: nothing is written there
    try {
      const visitor = person('sessions', 'attach', 'unrecorded');
      expect((await visitor.ended).exitCode).toBe(74);
      expect((await sessions()).find((each) => each.id === id)).toMatchObject({ isAnswering: true });
      expect((await stage.run('apes sessions kill unrecorded')).status).toBe(0);
    } finally {
      chmodSync(directory, 0o700);
    }
  });
});

describe('starting a session', () => {
  it('at the same time with one name starts exactly one session; each other call prints one line', async () => {
    for (let round = 0; round < 3; round++) {
      const starts = await Promise.all(
        Array.from({ length: 4 }, () => stage.run('apes session start --detached --name same -- cat')),
      );
      const failed = starts.filter(({ status }) => status !== 0);
      expect(failed.map(({ status }) => status)).toEqual([64, 64, 64]);
      for (const { err } of failed)
        expect(err).toMatch(/^apes: a session called same (is being started|runs) already[^\n]*\n$/);
      expect((await sessions()).filter(({ name, ended }) => name === 'same' && ended === null)).toHaveLength(1);
      expect((await stage.run('apes sessions kill same')).status).toBe(0);
    }
  });

  it('needs a grant: pending starts nothing, denied starts nothing', async () => {
    const asked = await stage.run('apes session start --detached --no-wait -- touch made-by-session');
    expect(asked.status).toBe(75);
    const id = /g_[a-z2-7]{26}/.exec(asked.err)?.[0];
    expect((await stage.run(`apes grants deny --reason no ${id}`)).status).toBe(0);
    const waited = await stage.run(
      '(until id=$(apes grants inbox --json | grep -o "g_[a-z2-7]\\{26\\}" | head -1 | grep .); do sleep 0.2; done; apes grants deny $id) > /dev/null & apes session start --detached -- touch made-by-session',
    );
    expect(waited.status).toBe(77);
    expect(existsSync(join(stage.scratch, 'work', 'made-by-session'))).toBe(false);
    expect((await sessions()).filter(({ isAnswering }) => isAnswering)).toEqual([]);
  });

  it('refuses a name that is taken, and a missing terminal, before it asks for a grant', async () => {
    await startDetached('taken', 'cat');
    const again = await stage.run('apes session start --detached --name taken -- never-asked-for');
    expect(again).toMatchObject({ status: 64, err: expect.stringContaining('taken runs already') });
    const nowhere = await stage.run('apes session start -- never-asked-for');
    expect(nowhere).toMatchObject({ status: 64, err: expect.stringContaining('--detached') });
    expect((await stage.run('apes grants list')).out).not.toContain('never-asked-for');
  });

  it('does not guess: a beginning of several names and an unknown name are errors', async () => {
    await startDetached('twin-one', 'cat');
    await startDetached('twin-two', 'cat');
    expect(await stage.run('apes sessions show twin')).toMatchObject({
      status: 64,
      err: expect.stringContaining('twin-one or twin-two'),
    });
    expect(await stage.run('apes sessions kill nobody')).toMatchObject({ status: 64 });
  });
});

describe('an interactive shell', () => {
  it('is a session whose line waits, and takes the keys of an attached person like typed keys', async () => {
    const owner = new Person([join(BIN, 'ape-shell')], place());
    people.push(owner);
    await owner.until('a prompt', ({ cursor, lines }) => (lines[cursor.row] ?? '') !== '');
    const shell = await eventually(async () =>
      (await rawSessions()).find((each) => each['kind'] === 'shell' && each['isAnswering'] === true),
    );
    const helper = person('sessions', 'attach', String(shell['id']));
    await helper.until('the same prompt', ({ lines }) => (lines[0] ?? '') !== '');
    helper.type('touch typed-from-afar\r');
    await owner.see(/Waiting for approval/);
    await helper.see(/Waiting for approval/);
    const waiting = await eventually(async () =>
      (await rawSessions()).find((each) => typeof each['pendingGrant'] === 'string'),
    );
    expect(existsSync(join(stage.scratch, 'work', 'typed-from-afar'))).toBe(false);
    await stage.run(`apes grants approve ${String(waiting['pendingGrant'])}`);
    await helper.see(/approved, continuing/);
    await eventually(async () => existsSync(join(stage.scratch, 'work', 'typed-from-afar')) || undefined);
    await eventually(
      async () =>
        (await rawSessions()).some((each) => each['pendingGrant'] === null && each['id'] === shell['id']) || undefined,
    );
    owner.type('exit 3\r');
    expect((await owner.ended).exitCode).toBe(3);
    expect((await helper.ended).exitCode).toBe(3);
    expect((await rawSessions()).filter((each) => each['id'] === shell['id'])).toEqual([]);
  });

  it('shows its screen in the middle of a flood of output, and after it', async () => {
    const owner = new Person([join(BIN, 'ape-shell')], place());
    people.push(owner);
    await owner.until('a prompt', ({ cursor, lines }) => (lines[cursor.row] ?? '') !== '');
    const shell = await eventually(async () =>
      (await rawSessions()).find((each) => each['kind'] === 'shell' && each['isAnswering'] === true),
    );
    const shown = async () => {
      const { out } = await stage.run(`apes sessions show ${String(shell['id'])} --json`);
      return (JSON.parse(out).data as { readonly screen: ScreenView }).screen;
    };
    owner.type("printf '\\e]2;the title\\a'; seq 1 1000000000\r");
    const waiting = await eventually(async () =>
      (await rawSessions()).find((each) => typeof each['pendingGrant'] === 'string'),
    );
    await stage.run(`apes grants approve ${String(waiting['pendingGrant'])}`);
    await owner.see(/^\d{6,}$/);
    for (let last = 0, look = 0; look < 3; look++)
      // On a busy machine, the number may be the same at two looks.
      last = await eventually(async () => {
        const { lines, title } = await shown();
        expect(title).toBe('the title');
        expect(lines.slice(1, 20).join()).toMatch(/^\d{6,}(,\d{6,}){18}$/);
        return Number(lines[1]) > last ? Number(lines[1]) : undefined;
      });
    owner.type('\x03');
    await owner.until('the prompt', ({ lines, cursor }) => /[#$]$/.test(lines[cursor.row] ?? ''));
    const end = await owner.screen();
    expect(end.lines.join()).toContain('^C');
    // The output reaches the terminal and the onlooker on different ways.
    await eventually(async () => (await shown()).lines.join('\n') === end.lines.join('\n') || undefined);
  });
});

const rawSessions = async () =>
  JSON.parse((await stage.run('apes sessions list --json')).out).data as Record<string, unknown>[];

async function eventually<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (let wait = 0; wait < 1_200; wait++) {
    const found = await look();
    if (found !== undefined) return found;
    await sleep(50);
  }
  throw new Error('no value came within the time limit');
}
