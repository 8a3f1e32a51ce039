/**
 * Builds and runs the fuzzers for the input of our C programs: the targets in native/, each of which includes a source of bin/, with
 * sanitizers, and the driver that mutates the inputs. Our own TypeScript writes the seeds.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { Confinement } from '../../src/core/confinement/confinement.ts';
import { encodeProfile } from '../../src/core/confinement/profile.ts';
import { framedAnswer } from '../../src/harness/guard-answer.ts';
import { encodeFrame } from '../../src/platform/frames.ts';
import { encodeStart } from '../../src/pty/start-block.ts';

const list = (...strings: readonly string[]): Buffer => Buffer.from(strings.map((each) => `${each}\0`).join(''));
const counted = (bytes: Buffer): Buffer => {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(bytes.length);
  return Buffer.concat([head, bytes]);
};

const confinement: Confinement = {
  level: 2,
  read: ['/etc/passwd', '/usr'],
  write: ['/tmp'],
  absent: [],
  tools: [],
  execute: ['/bin'],
  connect: [443, 80],
  readOnly: [],
};
const profileOf = (of: Confinement): Buffer => {
  const base = [
    ['read', '/lib'],
    ['device', '/dev/null'],
  ] as const;
  const encoded = encodeProfile(of, base, 'reads /usr');
  return Buffer.from(encoded.ok ? encoded.value : '');
};
const PROFILE = profileOf(confinement);
/** A profile with paths that stay read-only in a writable directory. */
const KEEPING_PROFILE = profileOf({ ...confinement, level: 3, readOnly: ['/tmp/.git', '/tmp/hooks'] });

const MODES = ['\x1b[?1049h', '\x1b]0;title\x07', '\x1bc', '\x1b[>1u', '\x1b[31m', '', '', ''];

/** The user database, with this user in it twice: in a short line and in a whole one. */
const USERS = [
  'other:x:4294967295:0:a b:/other:/bin/sh',
  `me:x:${userInfo().uid}:0::/short`,
  `me:x:${userInfo().uid}:0::/home/me:/bin/sh`,
]
  .map((line) => `${line}\n`)
  .join('');

/** How far each of sixteen calls of the pump goes; then output with sequences that switch modes, some of them cut by the end of a block. */
const FLOOD = Buffer.concat([
  Buffer.from([32, 7, 0, 47, 1, 32, 16, 5, 31, 0, 40, 32, 8, 3, 33, 24]),
  ...Array.from({ length: 90 }, (_, line) =>
    Buffer.from(`line ${line}\r\n${'.'.repeat(line % 23)}${MODES[line % MODES.length]}`),
  ),
]);

/** The first inputs of each target, by the name of its file. */
export const SEEDS: Readonly<Record<string, readonly Buffer[]>> = {
  frames: [
    Buffer.concat([encodeFrame('a'), encodeFrame('e', 'text'), encodeFrame('x', list('/bin/sh', 'sh', '-c', 'true'))]),
    Buffer.concat([encodeFrame('c', '/tmp'), encodeFrame('s', 'A=b'), encodeFrame('q', '\x01')]),
  ],
  profile: [PROFILE, KEEPING_PROFILE],
  leash: [
    Buffer.concat([list('PATH=/bin', 'A=\u00e4', ''), counted(PROFILE)]),
    Buffer.concat([list(''), counted(KEEPING_PROFILE)]),
    Buffer.concat([list(''), counted(Buffer.alloc(0)), Buffer.from([15])]),
  ],
  'start-block': [
    encodeStart({ directory: '/tmp', file: '/bin/sh', argv: ['sh', '-l'], environment: [Buffer.from('A=b')] }),
    counted(list('/tmp', '/bin/sh', '-1', 'sh', 'A=b')),
  ],
  'hook-answer': [Buffer.from(framedAnswer('{"decision":"allow"}\n')), Buffer.from('answer 0\n{}'), Buffer.alloc(0)],
  'session-record': [list('socket=/run/s_1.sock', 'name=fix'), list('name=', 'other', 'socket=relative')],
  arguments: [
    list('name', 'a "text" with \\ and \u{1f98d}', '--via', 'api', '--json'),
    list('A=1', 'A=2', 'APES_SESSION=s_1', 'APES_HOME=/x', 'BASH_FUNC_x%%=() { :; }', 'APE_X=', 'novalue'),
  ],
  installation: [
    Buffer.concat([list('HOME', 'APES_HOME=/x', 'XDG_DATA_HOME=/y', ''), Buffer.from(USERS)]),
    Buffer.concat([list('--installation=HOME=/h', '--installation=HOME', 'send', ''), Buffer.from(USERS)]),
  ],
  'private-socket': [
    list('\x10/home/a', '/run/user/1', '-', '/root', '/nowhere/gate.sock', 'a', ''),
    list('\x02-', 'run', '/state', '/root', `/${'s'.repeat(120)}`),
  ],
  'session-report': [
    Buffer.concat([
      list('s_1', 'codex', 'Stop'),
      Buffer.from([6]),
      encodeFrame('q', '\0'),
      Buffer.from('{"a":"\\u0000"}'),
    ]),
    Buffer.concat([list('s_1', 'codex', ''), Buffer.from([9]), encodeFrame('e', 'text'), Buffer.from('no\0json')]),
  ],
  'session-send': [
    Buffer.concat([
      list('send', 'fix', 'a \u{1f98d}', '--json', '--via', 'api', ''),
      ...[encodeFrame('o', '{"ok":true}\n'), encodeFrame('e', 'note\n'), encodeFrame('q', '\x4b')],
    ]),
    Buffer.concat([list('nudge', 's_1', 'text', ''), encodeFrame('o', 'cut')]),
  ],
  'hook-arguments': [
    list('5', 'codex', 'HOME', 'APES_HOME=/x', 'XDG_STATE_HOME=/y'),
    list('-1', 'codex'),
    list('26', 'codex'),
  ],
  deadline: [
    list('30', 'true'),
    list(' +86400', '/bin/sh', '-c', 'x'),
    list('99999999999999999999', 'true'),
    list('86401', 'a'),
    list('1s', 'a'),
  ],
  pump: [FLOOD, Buffer.concat([Buffer.alloc(16, 47), FLOOD.subarray(16)])],
  'gate-frames': [
    Buffer.concat([
      ...[encodeFrame('c', '/tmp'), encodeFrame('s', 'A=b'), encodeFrame('u', 'PATH'), encodeFrame('i', 'input')],
      ...[encodeFrame('p', PROFILE), encodeFrame('x', list('/bin/sh', 'sh', '-c', 'true'))],
    ]),
    Buffer.concat([encodeFrame('s', 'APES_X=1'), encodeFrame('x', list('true', 'true'))]),
    Buffer.concat([encodeFrame('i', ''), encodeFrame('k', '\x0f')]),
    encodeFrame('q', '\x4b'),
  ],
  'builtin-words': [
    Buffer.concat([list('arm', '10', `${PROFILE.length}`, 'token', ''), PROFILE]),
    list('off', '1'),
    list('enter', 'keys', 'terminal'),
    list('enter', 'keys'),
  ],
};

const native = join(import.meta.dirname, 'native');
const CFLAGS = ['-std=gnu11', '-g', '-O1', '-fno-omit-frame-pointer', '-w', '-D_GNU_SOURCE'];
const SANITIZERS = ['-fsanitize=address,undefined', '-fno-sanitize-recover=all'];

export const targets = (): readonly string[] =>
  readdirSync(native)
    .filter((name) => name.endsWith('.c') && name !== 'driver.c')
    .map((name) => name.slice(0, -2));

export interface FuzzRun {
  readonly target: string;
  readonly seed: number;
  readonly runs: number;
  /** The number of edges of the control flow that the inputs reached. */
  readonly edges: number;
  /** What the sanitizer or the target reported, and the input; null when nothing was found. */
  readonly fault: string | null;
}

/** @param source of the target, when it is not the one in native/ */
export function buildFuzzer(target: string, scratch: string, source = join(native, `${target}.c`)): string {
  const program = join(scratch, target);
  const parts = { driver: join(native, 'driver.c'), target: source };
  mkdirSync(scratch, { recursive: true });
  execFileSync('cc', [...CFLAGS, '-c', parts.driver, '-o', `${program}.driver.o`]);
  const covered = [...SANITIZERS, '-fsanitize-coverage=trace-pc', `-I${native}`];
  execFileSync('cc', [...CFLAGS, ...covered, '-c', parts.target, '-o', `${program}.target.o`]);
  execFileSync('cc', [...SANITIZERS, `${program}.driver.o`, `${program}.target.o`, '-o', program]);
  return program;
}

export function runFuzzer(program: string, target: string, seed: number, runs: number, maxMs = 0): FuzzRun {
  const directory = `${program}.run`;
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const files = (SEEDS[target] ?? []).map((bytes, index) => {
    writeFileSync(join(directory, `${index}`), bytes);
    return `${index}`;
  });
  const log = join(directory, 'report');
  const options = `detect_leaks=0:allocator_may_return_null=1:strict_string_checks=1:handle_abort=1:max_malloc_fill_size=0:quarantine_size_mb=16:log_path=${log}`;
  const { status, signal, stdout, pid } = spawnSync(program, [`${seed}`, `${runs}`, ...files], {
    cwd: directory,
    env: { ASAN_OPTIONS: options, UBSAN_OPTIONS: `print_stacktrace=1:log_path=${log}` },
    encoding: 'utf8',
    maxBuffer: 64 << 20,
    timeout: maxMs,
  });
  const edges = Number(/(\d+) edges\n$/.exec(stdout)?.[1] ?? 0);
  if (status === 0) return { target, seed, runs, edges, fault: null };
  const report = existsSync(`${log}.${pid}`) ? readFileSync(`${log}.${pid}`, 'utf8') : '';
  const input = existsSync(join(directory, 'crash')) ? readFileSync(join(directory, 'crash')).toString('latin1') : '';
  return {
    target,
    seed,
    runs,
    edges,
    fault: `status ${status} ${signal ?? ''} on ${JSON.stringify(input)}\n${report}`,
  };
}
