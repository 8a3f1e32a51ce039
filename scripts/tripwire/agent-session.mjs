/**
 * One real agent in one session. The built `apes` starts the agent with a model on loopback, and with the reporting hooks of
 * `apes hooks install`. A hook that only reports replaces the gate's own hook, because the gate would answer in place of the agent's dialog.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { installUserHooks } from '../../src/certify/gates.mjs';
import { DIST } from '../../src/certify/installation.mjs';
import { runProgram } from '../../src/certify/processes.mjs';
import { prepareAgent } from './send-agents.mjs';
import { startModel } from './send-model.mjs';
import { loadScreens } from './send-screens.mjs';

export const APES = join(DIST, 'bin/apes');
export const LOOK_MS = 250;
export const CHANGE_MS = 60_000;
export const SIZE = { columns: 120, rows: 40 };
export const START_MS = 120_000;
const CALL_MS = 60_000;
const ANNOUNCED_MS = 20_000;
const SETTLED_MS = 2_000;
const SETTINGS = ['.claude/settings.json', '.codex/hooks.json', '.gemini/settings.json', '.qwen/settings.json'];

/** @type {(holds: unknown, what: string) => asserts holds} */
export const must = (holds, what) => {
  if (!holds) throw new Error(what);
};

export class AgentSession {
  // Set by `start`.
  /** @type {Awaited<ReturnType<typeof startModel>> | undefined} */ #model;
  /** @type {(screen: object) => { kind: string, draft?: string, isBusy?: boolean }} */ readScreen = () => {
    throw new Error('the agent has not started');
  };
  home = '';
  cwd = '';
  /** @type {Record<string, string> | undefined} */ env;

  /** @param name the name of the harness, as in `apes hooks install NAME` */
  constructor(name, installation) {
    this.harness = name;
    this.installation = installation;
    this.name = `send-${name}`;
    this.place = join(installation.directory, this.name);
    mkdirSync(this.place, { recursive: true });
  }

  get model() {
    if (this.#model === undefined) throw new Error('the agent has not started');
    return this.#model;
  }

  /** @throws if the agent's editor does not appear */
  async start(agent, node24) {
    this.#model = await startModel();
    this.readScreen = await loadScreens(this.harness, this.place);
    const prepared = prepareAgent(this.harness, {
      agentDirectory: agent.directory,
      node24,
      place: this.place,
      url: this.model.url,
    });
    this.home = prepared.home;
    this.cwd = prepared.cwd;
    this.env = { ...prepared.environment, ...this.installation.variables };
    await installUserHooks(this.harness, {
      home: prepared.home,
      work: prepared.cwd,
      installation: this.installation,
    });
    for (const file of SETTINGS) withoutGate(join(prepared.home, file));
    await this.prepared();
    await this.launch(prepared.argv);
  }

  /** Override it to change something in the agent's home before it starts. */
  async prepared() {}

  /** Starts another program, in this environment. */
  async launchIn(environment, argv) {
    this.readScreen = await loadScreens(this.harness, this.place);
    this.cwd = this.place;
    this.env = { ...environment, ...this.installation.variables };
    await this.launch(argv);
  }

  async launch(argv) {
    const words = ['session', 'start', '--no-wait', '--detached', '--name', this.name];
    const size = ['--cols', String(SIZE.columns), '--rows', String(SIZE.rows)];
    const start = [...words, ...size, '--', ...argv];
    const asked = await this.apes(...start);
    const id = /g_[a-z2-7]{26}/.exec(asked.out + asked.err)?.[0];
    must(asked.status === 75 && id !== undefined, `session start: ${asked.status} ${asked.err}`);
    await this.installation.approve(id, 'always');
    const started = await this.apes(...start);
    must(started.status === 0, `session start: ${started.status} ${started.err}`);
    await this.until((reading) => reading.kind === 'composer', 'its editor', START_MS);
    await this.announced();
    await sleep(SETTLED_MS);
  }

  /** Waits until the agent's hook has reported its start; Codex has no hook for that. */
  async announced() {
    for (
      let waited = 0;
      this.harness !== 'codex' && waited < ANNOUNCED_MS && (await this.view()).state === null;
      waited += LOOK_MS
    )
      await sleep(LOOK_MS);
  }

  /** Runs `apes send` or `apes nudge`, and returns status, report and time. `send` reads the text from a file, as in a script. */
  async send(text, verb = 'send', ...options) {
    this.count = (this.count ?? 0) + 1;
    const file = join(this.place, `message-${this.count}`);
    writeFileSync(file, text);
    const words = verb === 'send' ? ['send', this.name, '--file', file] : ['nudge', this.name, text];
    const done = await this.apes(...words, ...options, '--json');
    const ms = Math.round(done.tookMs);
    const report = done.out.startsWith('{') ? reportOf(JSON.parse(done.out)) : { why: done.err.trim() };
    return { status: done.status, ms, ...report };
  }

  idle() {
    return this.until(
      (reading) => reading.kind === 'composer' && !reading.isBusy && reading.draft === '',
      'its editor',
    );
  }

  async until(holds, what, ms = CHANGE_MS) {
    const end = Date.now() + ms;
    while (Date.now() < end) {
      if (holds(await this.reading())) return;
      await sleep(LOOK_MS);
    }
    throw new Error(`${what} did not show up in ${ms / 1000} s`);
  }

  async view() {
    const { status, out, err } = await this.apes('sessions', 'show', '--json', this.name);
    must(status === 0, `sessions show: ${err.trim()}`);
    return JSON.parse(out).data;
  }

  async reading() {
    const { screen } = await this.view();
    return screen === null ? { kind: 'unknown' } : this.readScreen(screen);
  }

  apes(...words) {
    return runProgram(APES, words, { cwd: this.cwd, env: this.env ?? {}, timeoutMs: CALL_MS });
  }

  async stop() {
    if (this.env) await this.apes('sessions', 'kill', this.name);
    await this.#model?.stop();
  }
}

/** Replaces the gate's own hooks in a settings file by hooks that only report. */
function withoutGate(file) {
  if (!existsSync(file)) return;
  const settings = JSON.parse(readFileSync(file, 'utf8'));
  const commands = Object.values(settings.hooks ?? {}).flatMap((groups) =>
    groups.flatMap(({ hooks }) => hooks.map(({ command }) => command ?? '')),
  );
  const report = commands.find((command) => command.includes(' hooks report '));
  for (const [event, groups] of Object.entries(settings.hooks ?? {}))
    settings.hooks[event] = groups
      .map((group) => ({
        ...group,
        hooks: group.hooks.map((hook) => (hook.command?.includes('hook-guard') ? { ...hook, command: report } : hook)),
      }))
      .filter(({ hooks }) => hooks.every(({ command }) => command !== undefined));
  writeFileSync(file, JSON.stringify(settings, null, 2));
}

/** Returns the report of a send, or its error, if the session did not answer. */
const reportOf = ({ data, error }) => data ?? { why: error.message };
