/**
 * Notes when the program starts our hook that reports a submitted prompt. A shell script replaces `apes` in the hook: it writes the
 * time, and then runs `apes`, so the time of our hook does not count as the program's. Needs `date +%s%N` of GNU.
 */
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { APES } from './stage.mjs';

const STAMP_MS = 20_000;

export class Stamps {
  #file;
  /** The path of the shell script that replaces `apes`. */
  reporter;

  constructor(directory) {
    this.#file = path.join(directory, 'stamps');
    this.reporter = path.join(directory, 'reporter');
    writeFileSync(this.#file, '');
    writeFileSync(this.reporter, `#!/bin/sh\ndate +%s%N >> '${this.#file}'\nexec '${APES}' "$@"\n`);
    chmodSync(this.reporter, 0o755);
  }

  /** Puts the script into every settings file and plugin that calls `apes hooks report`. */
  installIn(home) {
    for (const { parentPath, name } of readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    )) {
      const file = path.join(parentPath, name);
      const text = readFileSync(file, 'utf8');
      if (text.includes(APES) && /hooks.{0,4} .?report/.test(text.replaceAll(/[",]/g, ' ')))
        writeFileSync(file, text.replaceAll(APES, this.reporter));
    }
  }

  /** Waits for the first report after the moment `unixMs`; returns its time (Unix ms). */
  async after(unixMs) {
    const end = Date.now() + STAMP_MS;
    for (;;) {
      const found = readFileSync(this.#file, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => Number(BigInt(line) / 1000n) / 1000)
        .find((at) => at >= unixMs);
      if (found !== undefined) return found;
      if (Date.now() > end) throw new Error('no hook was started after the Enter');
      await sleep(10);
    }
  }
}
