/** Runs calls in the C program that traces them, sends several calls ahead, and returns the effects of each. */
import { type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { COVERED_VARIABLES } from '../../src/core/covered-variables.ts';
import type { Stage } from './stage.ts';

/**
 * @property what  read, write, delete, rename, link, symlink, mkdir, create, mode, owner, time, attribute, execute, connect,
 *                 send, bind, signal, system
 * @property error 0, or the errno with which the system refused it
 * @property other second path of rename and link; the target of symlink
 */
export interface Effect {
  readonly what: string;
  readonly error: number;
  readonly path: string;
  readonly other: string;
}

/**
 * @property end   `exit N`, `signal N` or `timeout`
 * @property said  the standard error of the call
 * @property extra the output of the call on descriptor 5
 */
export interface Happening {
  readonly effects: readonly Effect[];
  readonly end: string;
  readonly said: string;
  readonly extra: string;
}

/** @property profile see `bin/confinement.h`; without it the call is not confined */
export interface Call {
  readonly words: readonly string[];
  readonly cwd: string;
  readonly isTraced?: boolean;
  readonly ms?: number;
  readonly profile?: Uint8Array;
}

export interface Tracer {
  readonly run: (call: Call) => Promise<Happening>;
  readonly stop: () => Promise<void>;
}

/** @param root of the project */
export function compileTracer(stage: Stage, root: string): string {
  const program = path.join(stage.root, 'trace-calls');
  const sources = ['trace-calls.c', 'confine-self.c'].map((name) => path.join(root, 'test/effects/sandbox', name));
  execFileSync('cc', ['-O1', `-I${path.join(root, 'bin')}`, '-o', program, ...sources]);
  return program;
}

export const environmentOf = (stage: Stage): Readonly<Record<string, string>> => ({
  HOME: stage.home,
  LANG: 'C.UTF-8',
  LOGNAME: 'nobody',
  PATH: '/usr/local/bin:/usr/bin:/bin',
  TERM: 'dumb',
  USER: 'nobody',
});

/** The environment as a host sets it for lines that a scope covers. */
const environmentOfCovered = (stage: Stage): Readonly<Record<string, string>> => ({
  ...environmentOf(stage),
  ...Object.fromEntries(COVERED_VARIABLES),
});

type Waiting = { readonly done: (happening: Happening) => void; readonly failed: (error: Error) => void };

export function startTracer(stage: Stage, program: string): Tracer {
  const environment = Object.entries(environmentOfCovered(stage)).map(([name, value]) => `${name}=${value}`);
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(
    program,
    [stage.tree, stage.scratch, ...environment],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  const waiting: Waiting[] = [];
  const reader = new HappeningReader((happening) => waiting.shift()?.done(happening));
  child.stdout.on('data', (part: Buffer) => reader.take(part));
  child.stdin.on('error', () => undefined); // the tracer has ended, and `exit` reports it
  const ended = new Promise<void>((resolve) =>
    child.on('exit', (status, signal) => {
      const reason = new Error(`trace-calls ended (${signal ?? `status ${status}`}; 77: no namespaces here)`);
      for (const each of waiting.splice(0)) each.failed(reason);
      resolve();
    }),
  );
  const run = (call: Call): Promise<Happening> =>
    new Promise((done, failed) => {
      if (child.exitCode !== null || child.signalCode !== null) return failed(new Error('trace-calls has ended'));
      waiting.push({ done, failed });
      child.stdin.write(encode(stage, call));
    });
  const stop = async (): Promise<void> => {
    child.stdin.end();
    await ended;
  };
  return { run, stop };
}

function encode(stage: Stage, { words, cwd, isTraced = true, ms = 1500, profile }: Call): Buffer {
  const how = `${isTraced ? 'traced' : 'plain'}${profile === undefined ? '' : `+${profile.length}`}`;
  const fields = [how, String(ms), cwd, stage.input, String(words.length), ...words];
  const text = Buffer.from(fields.map((field) => `${field}\0`).join(''));
  return profile === undefined ? text : Buffer.concat([text, profile]);
}

class HappeningReader {
  readonly #tell: (happening: Happening) => void;
  #rest: Buffer = Buffer.alloc(0);
  #fields: string[] = [];
  #effects: Effect[] = [];

  constructor(tell: (happening: Happening) => void) {
    this.#tell = tell;
  }

  take(part: Buffer): void {
    const all = this.#rest.length === 0 ? part : Buffer.concat([this.#rest, part]);
    let from = 0;
    for (let end = all.indexOf(0, from); end >= 0; end = all.indexOf(0, from)) {
      this.#field(all.toString('utf8', from, end));
      from = end + 1;
    }
    this.#rest = all.subarray(from);
  }

  #field(text: string): void {
    const fields = this.#fields;
    fields.push(text);
    if (fields[0] === 'E' && fields.length === 5) {
      this.#effects.push({
        what: fields[1] ?? '',
        error: Number(fields[2]),
        path: fields[3] ?? '',
        other: fields[4] ?? '',
      });
      this.#fields = [];
    } else if (fields[0] === 'X' && fields.length === 4) {
      this.#tell({ effects: this.#effects, end: fields[1] ?? '', said: fields[2] ?? '', extra: fields[3] ?? '' });
      this.#effects = [];
      this.#fields = [];
    } else if (fields[0] !== 'E' && fields[0] !== 'X') throw new Error(`trace-calls said ${JSON.stringify(text)}`);
  }
}
