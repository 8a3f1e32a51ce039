/** Runs a worker script in several processes. It is bundled once, and all processes begin when all are ready. */
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buildSync } from 'esbuild';

export interface Workers {
  /** The path of the bundled script. */
  readonly script: string;
  /** Returns the standard output of each process, in the order of `argumentLists`. */
  run(
    argumentLists: readonly (readonly string[])[],
    as?: { readonly uid: number; readonly gid: number },
  ): Promise<readonly string[]>;
  /** Runs one process, kills it (SIGKILL) after `characters` characters of output, and returns the output so far. */
  runUntilKilled(list: readonly string[], characters: number): Promise<string>;
  remove(): void;
}

export function bundleWorker(source: string): Workers {
  const directory = mkdtempSync(join(tmpdir(), 'ape-worker-'));
  chmodSync(directory, 0o755); // so that another user can run it
  symlinkSync(resolve('node_modules'), join(directory, 'node_modules'));
  const script = join(directory, 'worker.mjs');
  buildSync({
    entryPoints: [source],
    outfile: script,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
  });
  const env = { PATH: process.env['PATH'] };
  return {
    script,
    async run(argumentLists, as) {
      const children = argumentLists.map((list) =>
        spawn(process.execPath, [script, ...list], {
          env,
          stdio: ['pipe', 'pipe', 'inherit'],
          timeout: 120_000,
          ...as,
        }),
      );
      const outputs = children.map(() => '');
      const ended = children.map((child) => new Promise((done) => child.once('close', done)));
      const ready = children.map(
        (child, index) =>
          new Promise<void>((begin) => {
            child.once('close', () => begin());
            child.stdout.on('data', (chunk: Buffer) => {
              outputs[index] += chunk.toString();
              begin();
            });
          }),
      );
      await Promise.all(ready);
      for (const child of children) child.stdin.end('go\n');
      await Promise.all(ended);
      return outputs.map((output) => output.replace(/^ready\n/, ''));
    },
    runUntilKilled: (list, characters) =>
      new Promise((done) => {
        const child = spawn(process.execPath, [script, ...list], {
          env,
          stdio: ['ignore', 'pipe', 'inherit'],
          timeout: 120_000,
        });
        let output = '';
        child.stdout.on('data', (chunk: Buffer) => {
          output += chunk.toString();
          if (output.length >= characters) child.kill('SIGKILL');
        });
        child.once('close', () => done(output));
      }),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}
