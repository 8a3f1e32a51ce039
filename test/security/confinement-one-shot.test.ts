/**
 * Threat: a confined one-shot command runs unconfined, or only partly confined. The real launcher asks a gate of this test over the
 * private socket of its user, and becomes the command. The product's own code makes the gate's frames.
 */
import { execFileSync, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Confinement } from '../../src/core/confinement/confinement.ts';
import { issuePermit } from '../../src/core/grant/authorization.ts';
import { encodeFrame } from '../../src/platform/frames.ts';
import { replacementFrames } from '../../src/platform/launcher.ts';
import { planExecution } from '../../src/run/execute.ts';
import { type Ended, NOTHING, REACHED } from '../fixtures/held-run.ts';
import { DIST } from '../fixtures/programs.ts';

const top = mkdtempSync(join(tmpdir(), 'ape-once-'));
const work = join(top, 'work');
const inside = join(work, 'in');
const isHeld = REACHED.level > 0;
let frames: Buffer = Buffer.alloc(0);
const gate = createServer((socket) => {
  socket.on('error', () => undefined);
  socket.write(Buffer.concat([encodeFrame('a'), frames]));
});

beforeAll(async () => {
  for (const folder of [inside, join(work, 'out')]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(work, 'out', 'secret'), 'a-secret\n');
  mkdirSync(join(top, 'run'), { mode: 0o700 });
  await new Promise<void>((resolve) => gate.listen(join(top, 'run', 'gate.sock'), resolve));
});
afterAll(() => {
  gate.close();
  rmSync(top, { recursive: true, force: true });
});

const PLACE = {
  bash: '/bin/bash',
  argvZero: 'bash',
  environment: new Map([['PATH', Buffer.from('/usr/bin:/bin')]]),
  dist: DIST,
  isLater: false,
};

function plan(text: string, confinement: Confinement | null, variables: Readonly<Record<string, string>>) {
  const request = {
    kind: 'command',
    text,
    argv: ['-c', text],
    cwd: work,
    host: 'h',
    user: 'u',
    environment: Object.entries(variables).map(([name, value]) => ({ name, value })),
  } as const;
  return planExecution(issuePermit(request, 'g_1', 'always', confinement), PLACE);
}

/** Runs the launcher, and answers it as the real gate does. `change` alters the bytes of the answer. */
async function run(
  text: string,
  confinement: Confinement | null,
  change: (bytes: Buffer) => Buffer = (bytes) => bytes,
  stdio: readonly [number | 'ignore', number | 'pipe', number | 'pipe'] = ['ignore', 'pipe', 'pipe'],
  variables: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const planned = plan(text, confinement, variables);
  if (!planned.ok) return { status: 72, signal: null, out: '', err: planned.failure.message };
  frames = change(replacementFrames(planned.value));
  const child = spawn(join(DIST, 'bin', 'ape-shell'), ['-c', text], {
    cwd: work,
    env: { PATH: '/usr/bin:/bin', APES_HOME: top, LC_ALL: 'C', ...variables },
    stdio: [...stdio],
  });
  const printed = { out: '', err: '' };
  child.stdout?.on('data', (chunk: Buffer) => {
    printed.out += chunk.toString();
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    printed.err += chunk.toString();
  });
  return new Promise((resolve) => child.once('close', (status, signal) => resolve({ status, signal, ...printed })));
}

const held: Confinement = { ...NOTHING, write: [inside] };

test('a command may write only where its profile allows it; output and status are its own', async () => {
  const text =
    'echo x > in/a; echo x > out/a; cat out/secret; (exec cat out/secret); : < /dev/tcp/127.0.0.1/22; exit 7';
  expect((await run(text, null)).out).toBe('a-secret\na-secret\n');
  rmSync(join(work, 'out', 'a'));
  rmSync(join(inside, 'a'));
  const ended = await run(text, held);
  expect(ended.out).toBe('');
  expect(existsSync(join(work, 'out', 'a'))).toBe(false);
  expect(existsSync(join(inside, 'a'))).toBe(isHeld);
  expect(ended.status).toBe(isHeld ? 7 : 72);
  if (isHeld) expect(ended.err).toMatch(/^bash: line 1: out\/a: Permission denied\n/);
});

const made = join(inside, 'made', 'deep');
const makes = 'mkdir -p in/made/deep && echo x > in/made/deep/a; echo x > out/b; echo x > in/.envrc; true';

test.each([
  ['which is the top of the approval', [{ path: made, below: inside }]],
  ['which lies below the top of the approval', [{ path: made, below: work }]],
])(
  'for a path that the line makes, the command may write the nearest directory that exists, %s',
  async (_what, absent) => {
    writeFileSync(join(inside, '.envrc'), '');
    const ended = await run(makes, { ...held, level: REACHED.level === 3 ? 3 : 1, write: [made], absent });
    expect(ended.status).toBe(isHeld ? 0 : 72);
    expect(existsSync(join(made, 'a'))).toBe(isHeld);
    expect(existsSync(join(work, 'out', 'b'))).toBe(false);
    expect(readFileSync(join(inside, '.envrc'), 'utf8')).toBe(REACHED.level === 3 || !isHeld ? '' : 'x\n');
    rmSync(join(inside, 'made'), { recursive: true, force: true });
    rmSync(join(inside, '.envrc'));
  },
);

test.each<readonly [string, NonNullable<Confinement['absent']>, string, number]>([
  ['the approval does not name the path', [], '', 72],
  ['the approval reaches no directory that exists', [{ path: made, below: join(inside, 'made') }], '', 72],
  ['a link on the path leads elsewhere', [{ path: made, below: inside }], 'ln -s ../out in/made', 72],
  ['the approval is only for deleting, so the line runs and writes nothing', [{ path: made, below: null }], '', 0],
])(
  'for a path that does not exist, the command may write no more than was approved: %s',
  async (_what, absent, before, status) => {
    execFileSync('/bin/sh', ['-c', before], { cwd: work });
    const ended = await run(makes, { ...held, write: [made], absent });
    expect(ended.status).toBe(isHeld ? status : 72);
    if (status === 72) expect(ended.err).toMatch(/cannot confine it: .*nothing ran/);
    expect(existsSync(join(work, 'out', 'deep'))).toBe(false);
    expect(existsSync(join(inside, '.envrc'))).toBe(false);
    expect(existsSync(join(made, 'a'))).toBe(false);
    rmSync(join(inside, 'made'), { force: true });
  },
);

test('a file that the caller opened can be used, also by its name', async () => {
  const input = join(work, 'out', 'input');
  const output = join(work, 'out', 'output');
  writeFileSync(input, 'from the caller\n');
  writeFileSync(output, '');
  const stdio = [openSync(input, 'r'), openSync(output, 'a'), 'pipe'] as const;
  await run('cat /dev/stdin; echo by-name >> /dev/stdout; cat out/secret', held, undefined, stdio);
  expect(readFileSync(output, 'utf8')).toBe(isHeld ? 'from the caller\nby-name\n' : '');
});

test('in an unusual HOME the settings of a tool can be read, and no other file', async () => {
  const home = join(top, 'a-home');
  mkdirSync(join(home, '.config', 'git'), { recursive: true });
  writeFileSync(join(home, '.gitconfig'), '[user]\n\tname = of the home\n');
  writeFileSync(join(home, 'other'), 'no setting\n');
  const tool = { ...held, tools: ['git'] };
  const outputOf = async (text: string) => (await run(text, tool, undefined, undefined, { HOME: home })).out;
  expect(await outputOf('git config --global user.name')).toBe(isHeld ? 'of the home\n' : '');
  expect(await outputOf('cat ~/other 2>&- || echo refused')).toBe(isHeld ? 'refused\n' : '');
  expect(await outputOf('echo x 2>&- >> ~/.gitconfig || echo refused')).toBe(isHeld ? 'refused\n' : '');
  rmSync(join(home, '.gitconfig'));
  symlinkSync(join(work, 'out', 'secret'), join(home, '.gitconfig'));
  expect(await outputOf('cat ~/.gitconfig 2>&- || echo refused')).toBe(isHeld ? 'refused\n' : '');
  symlinkSync(join(work, 'out', 'secret'), join(home, '.config', 'git', 'config'));
  expect(await outputOf('cat ~/.config/git/config 2>&- || echo refused')).toBe(isHeld ? 'refused\n' : '');
});

test('a file that the caller opened can be used only as it was opened, and an open directory gives access to no file', async () => {
  const file = join(work, 'out', 'opened');
  const opened = (flags: string): number => {
    writeFileSync(file, 'as it was\n');
    return openSync(file, flags);
  };
  const tried = async (command: string, input: number) =>
    (await run(command, held, undefined, [input, 'pipe', 'pipe'])).out;
  const refused = (output: string): void => expect(output).toBe(isHeld ? 'refused\n' : '');
  refused(await tried('echo x 2>&- >> /dev/stdin || echo refused', opened('r')));
  expect(readFileSync(file, 'utf8')).toBe('as it was\n');
  refused(await tried('cat /dev/stdin 2>&- || echo refused', opened('a')));
  refused(await tried('cat /dev/stdin/secret 2>&- || echo refused', openSync(join(work, 'out'), 'r')));
});

test('the bash that the settings name as shell can run from an unusual directory', async () => {
  const own = join(top, 'own-bash');
  execFileSync('cp', ['/bin/bash', own]);
  const request = {
    kind: 'command',
    text: 'echo ran',
    argv: ['-c', 'echo ran'],
    cwd: work,
    host: 'h',
    user: 'u',
    environment: [],
  } as const;
  const planned = planExecution(issuePermit(request, 'g_1', 'always', held), { ...PLACE, bash: own });
  expect(planned.ok).toBe(isHeld);
  if (planned.ok) expect(Buffer.from(planned.value.profile ?? []).toString()).toContain(`X${own}\0`);
});

const PROFILE_FRAME = 'p';
/** Changes only the frame of the profile. */
const spoiled = (how: (profile: Buffer) => Buffer) => (bytes: Buffer) => {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const type = bytes.toString('latin1', at, at + 1);
    const end = at + 5 + bytes.readUInt32BE(at + 1);
    const payload = bytes.subarray(at + 5, end);
    parts.push(type === PROFILE_FRAME ? encodeFrame(type, how(payload)) : bytes.subarray(at, end));
    at = end;
  }
  return Buffer.concat(parts);
};

test.each([
  ['empty', () => Buffer.alloc(0)],
  ['cut off', (profile: Buffer) => profile.subarray(0, profile.length - 2)],
  ['without its first entry', (profile: Buffer) => profile.subarray(3)],
  [
    'with a path that is gone',
    (profile: Buffer) => Buffer.concat([profile.subarray(0, -2), Buffer.from('w/gone\0.\0')]),
  ],
])('nothing runs if the profile arrives %s', async (_how, how) => {
  const ended = await run('echo ran > in/ran; echo ran', held, spoiled(how));
  expect(ended).toMatchObject({ status: 72, out: '' });
  expect(ended.err).toMatch(
    /^ape-shell: cannot confine it: [^\n]*; nothing ran; ask for the exact line, which runs unconfined\n$|this host reaches level 0/,
  );
  expect(existsSync(join(inside, 'ran'))).toBe(false);
});

test('a host with a lower level than was approved refuses before it starts anything, and says what to do', () => {
  const requiring: Confinement = { ...held, level: 3 };
  const planned = planExecution(
    issuePermit(
      { kind: 'command', text: 'true', argv: ['-c', 'true'], cwd: work, host: 'h', user: 'u', environment: [] },
      'g_1',
      'always',
      requiring,
    ),
    { ...PLACE, dist: '/nonexistent' }, // the probe of the level is missing there, which means level 0
  );
  expect(planned).toMatchObject({ ok: false, failure: { code: 'confinement', detail: 'confinement.level' } });
  if (!planned.ok)
    expect(planned.failure.message).toMatch(
      /the approval demands level 3, and this host reaches level 0 \(none; .*\); nothing ran/,
    );
});
