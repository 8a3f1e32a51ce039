/** A temporary directory, in which impact previews of lines are made. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Impact } from '../../src/core/impact/impact.ts';
import { commandsIn } from '../../src/core/reading/commands-in.ts';
import { parseLine } from '../../src/core/reading/parse-line.ts';
import { impactOf } from '../../src/gate/impact/impact.ts';
import { loadBashParser } from '../../src/platform/bash-parser.ts';

const parse = await loadBashParser();

/** A time limit that is long enough on a busy machine. */
const PATIENT_MS = 60_000;

export class ImpactStage {
  readonly directory = realpathSync(mkdtempSync(join(tmpdir(), 'ape-touches-')));
  environment = new Map([['HOME', this.directory]]);

  /** Makes files of the given length; a name that ends with a slash becomes a directory. */
  files(names: readonly string[], bytes = 10): void {
    for (const name of names) {
      const path = join(this.directory, name);
      mkdirSync(name.endsWith('/') ? path : dirname(path), { recursive: true });
      if (!name.endsWith('/')) writeFileSync(path, 'x'.repeat(bytes));
    }
  }

  git(...words: readonly string[]): string {
    const names = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'init.defaultBranch=main'];
    return execFileSync('git', [...names, ...words], {
      cwd: this.directory,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'], HOME: this.directory, GIT_CONFIG_NOSYSTEM: '1' },
    });
  }

  look(line: string, deadlineMs = PATIENT_MS): Promise<readonly Impact[]> {
    const { environment, directory } = this;
    return impactOf(commandsIn(parseLine(line, parse), parse), { cwd: directory, deadlineMs, environment });
  }

  /** Returns the impact of a line that has exactly one. */
  async one(line: string): Promise<Impact> {
    const [only, ...more] = await this.look(line);
    if (only === undefined || more.length > 0) throw new Error(`${line}: ${1 + more.length} answers`);
    return only;
  }

  /** Returns the items as names below the stage. */
  names({ items }: Impact): readonly string[] {
    return items.map((item) => item.replace(`${this.directory}/`, '')).sort();
  }

  close(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}
