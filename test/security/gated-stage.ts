/** A stage for attacks, with a real embedded server, an enrolled host and an owner key. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { programPath } from '../fixtures/programs.ts';
import { type Outcome, Stage } from '../scenario/stage.ts';
import { Keyboard } from '../terminal/keyboard.ts';

export class GatedStage {
  readonly stage = new Stage();
  #scratch = '';
  #home = '';

  /** Throws if the server does not start. */
  async open(): Promise<void> {
    const up = await this.stage.run(
      'apes up --port 0 --json && apes owner key create --here >/dev/null && echo "$SCRATCH" && echo "$APES_HOME"',
    );
    if (up.status !== 0) throw new Error(`the stage does not open: ${up.err}`);
    const lines = up.out.trim().split('\n');
    this.#scratch = lines.at(-2) ?? '';
    this.#home = lines.at(-1) ?? '';
  }

  close(): void {
    this.stage.close();
  }

  get scratch(): string {
    return this.#scratch;
  }

  get apesHome(): string {
    return this.#home;
  }

  run(command: string): Promise<Outcome> {
    return this.stage.run(command);
  }

  /** Starts the interactive shell of an installation in a folder below `work`, and waits for its first prompt. */
  async session(folder: string, apesHome = this.#home): Promise<Keyboard> {
    const path = (await this.run('echo $PATH')).out.trim();
    const keys = new Keyboard({
      argv: [programPath('ape-shell')],
      cwd: join(this.#scratch, 'work', folder),
      environment: {
        HOME: join(this.#scratch, 'home'),
        APES_HOME: apesHome,
        PATH: path,
        TERM: 'xterm',
        LC_ALL: 'C.UTF-8',
      },
    });
    await keys.see(/U# $/);
    return keys;
  }

  file(name: string, text: string): string {
    const path = join(this.#scratch, 'work', name);
    writeFileSync(path, text, { mode: 0o755 });
    return path;
  }

  /** Runs `ask`, which must end as pending, approves its request, and returns the id of the grant. */
  async approved(ask: string, term = 'once'): Promise<string> {
    const asked = await this.run(ask);
    const id = /g_[a-z2-7]{26}/.exec(asked.err + asked.out)?.[0];
    if (id === undefined || asked.status !== 75) throw new Error(`not pending: ${asked.status} ${asked.err}`);
    const decided = await this.run(`apes grants approve ${id} ${term === 'once' ? '' : `--term ${term}`}`);
    if (decided.status !== 0) throw new Error(`not approved: ${decided.err}`);
    return id;
  }
}
