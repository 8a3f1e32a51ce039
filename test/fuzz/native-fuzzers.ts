/**
 * Builds and runs the fuzzers of what our C programs read: the targets in native/, each with a source of bin/ in it and with the
 * sanitizers, and the driver that mutates. The seeds are what our own TypeScript writes.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
/** Places that stay read-only in a writable one. */
const KEEPING_PROFILE = profileOf({ ...confinement, level: 3, readOnly: ['/tmp/.git', '/tmp/hooks'] });

/** For each target, by the name of its file: inputs to start from. */
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
  /** How many edges the inputs reached. */
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
