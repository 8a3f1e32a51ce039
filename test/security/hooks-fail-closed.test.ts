/**
 * A hook that gets no clear answer denies: it ends with status 2 and a reason. A harness that runs its hooks as programs then does not
 * run the tool. After status 1, no output or broken JSON such a harness would run the tool.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gatedCall, guardLine, installationWords } from '../../src/core/grant/own-call.ts';
import { clineLine } from '../../src/harness/cline/closed-line.ts';
import { guardLineFor } from '../../src/harness/own-lines.ts';
import { guardClientText } from '../../src/harness/plugin-text.ts';
import { awaitDescendant } from '../../src/harness/run-line.ts';
import { DIST, isSanitized } from '../fixtures/programs.ts';
import { removeInstallation } from '../fixtures/remove-installation.ts';

const BIN = join(DIST, 'bin');
const SHELL_EVENT = {
  'claude-code': 'claude-code.Bash',
  codex: 'codex.Bash',
  gemini: 'gemini.run_shell_command',
  copilot: 'copilot.Bash',
  kimi: 'kimi.Bash',
  cursor: 'cursor.Shell.documented',
  goose: 'goose.developer__shell.documented',
  hermes: 'hermes.terminal.documented',
  grok: 'grok.run_terminal_command.documented',
};
const fixture = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../fixtures/hooks/${name}.json`, import.meta.url)), 'utf8');

let scratch: string;
let environment: Record<string, string>;
const words = () => installationWords((name) => environment[name]);
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'ape-fail-closed-'));
  for (const name of ['home', 'work', 'bin']) mkdirSync(join(scratch, name), { mode: 0o700 });
  environment = {
    HOME: join(scratch, 'home'),
    APES_HOME: join(scratch, 'apes'),
    PATH: '/usr/bin:/bin',
    LC_ALL: 'C.UTF-8',
  };
});
afterEach(() => removeInstallation(scratch));

interface Outcome {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

function run(line: string, input: string | null, during?: (child: ChildProcess) => Promise<void>): Promise<Outcome> {
  const child = spawn('/bin/sh', ['-c', line], { cwd: join(scratch, 'work'), env: environment });
  const text = { out: '', err: '' };
  child.stdout.on('data', (part: Buffer) => {
    text.out += part.toString();
  });
  child.stderr.on('data', (part: Buffer) => {
    text.err += part.toString();
  });
  child.stdin.on('error', () => undefined);
  if (input !== null) child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.on('close', (status) => {
      child.stdin.destroy();
      resolve({ status, ...text });
    });
    during?.(child).catch(reject);
  });
}

const isClosed = (outcome: Outcome): void => {
  expect(outcome).toMatchObject({ status: 2, out: '' });
  expect(outcome.err).toMatch(/ape-shell: .*DENIED/);
};

/** The commands of a gate that answers `{}`. */
const ANSWERS = "cat >/dev/null; printf 'answer 3\\n{}\\n'";

/** Puts a copy of the guard beside another gate, and returns its path. */
function guardBeside(gate: string | null): string {
  const guard = join(scratch, 'bin/hook-guard');
  copyFileSync(join(BIN, 'hook-guard'), guard);
  chmodSync(guard, 0o755);
  if (gate !== null) writeFileSync(join(scratch, 'bin/apes'), `#!/bin/sh\n${gate}\n`, { mode: 0o755 });
  return guard;
}

/** All harnesses call the same guard, so two forms of its line are enough under the sanitizers. */
const LINES = Object.entries(SHELL_EVENT).filter(([name]) => !isSanitized || ['claude-code', 'copilot'].includes(name));

describe.each(LINES)('the installed line of %s', (harness, name) => {
  let line: string;
  beforeEach(() => {
    line = guardLine(join(BIN, 'hook-guard'), harness, words());
  });

  it('answers with the gated call, or with a denial that names it', async () => {
    const outcome = await run(line, fixture(name));
    expect(outcome).toMatchObject({ status: 0, err: '' });
    expect(outcome.out).toContain(gatedCall(join(BIN, 'ape-shell'), words(), 'echo tripwire'));
  });

  it('denies input that it cannot read', async () => {
    for (const input of ['', '{', '[]', '"x"', '\u0000', '{"hook_event_name":"Stop"}'])
      isClosed(await run(line, input));
  });

  it('denies when the gate is killed, and when the guard itself is killed', async () => {
    for (const names of [['hook-guard', 'apes'], ['hook-guard']]) {
      let killed = 0;
      const outcome = await run(line, null, async (child) => {
        let pid: number | null = child.pid ?? null;
        for (const one of names) pid = await awaitDescendant(pid ?? undefined, one);
        killed = pid ?? 0;
        process.kill(killed, 'SIGKILL');
      });
      expect(killed).toBeGreaterThan(1);
      isClosed(outcome);
    }
  });

  it('denies when no answer comes in time', async () => {
    environment['APES_HOOK_DEADLINE'] = '1';
    const before = Date.now();
    isClosed(await run(line, null));
    expect(Date.now() - before).toBeLessThan(10_000);
  });

  it('denies when a program of ours is missing', async () => {
    isClosed(await run(guardLine('/nonexistent/hook-guard', harness, words()), fixture(name)));
    isClosed(await run(guardLine(guardBeside(null), harness, words()), fixture(name)));
  });

  it.each([
    ['prints something else', 'cat >/dev/null; echo oops'],
    ['prints nothing', 'cat >/dev/null'],
    ['prints half an object', 'cat >/dev/null; printf "{\\"a\\":"'],
    ['prints an object without a length', "cat >/dev/null; echo '{}'"],
    ['answers and then fails', `${ANSWERS}; exit 1`],
    ['answers and then dies', `${ANSWERS}; kill -9 $$`],
    ['answers and then prints more', `${ANSWERS}; echo oops`],
    ['prints something before its answer', `echo oops; ${ANSWERS}`],
    ['is cut off in its answer', 'cat >/dev/null; printf \'answer 9\\n{"a":\''],
    ['is cut off in the length', "cat >/dev/null; printf 'answer 2'"],
    ['answers with nothing', "cat >/dev/null; printf 'answer 0\\n'"],
    ['begins its answer with another word', "cat >/dev/null; printf 'Answer 3\\n{}\\n'"],
    ['ends its first line with a space', "cat >/dev/null; printf 'answer 2 {}'"],
    ['names a length below zero', "cat >/dev/null; printf 'answer -2\\n{}'"],
    ['names a length that is not a number', "cat >/dev/null; printf 'answer 2x\\n{}'"],
    ['names a length above 64 bits', "cat >/dev/null; printf 'answer 18446744073709551618\\n{}'"],
    ['prints without end', 'yes {}'],
    ['hides a NUL in its answer', "cat >/dev/null; printf 'answer 3\\n{\\0}'"],
  ])('denies when the gate %s', async (_, gate) => {
    isClosed(await run(guardLine(guardBeside(gate), harness, words()), fixture(name)));
  });

  it('passes on a well-formed answer unchanged', async () => {
    const outcome = await run(guardLine(guardBeside(ANSWERS), harness, words()), fixture(name));
    expect(outcome).toEqual({ status: 0, out: '{}\n', err: '' });
  });

  it('answers with a gated call that runs nothing on a host that is not enrolled', async () => {
    const outcome = await run(line, fixture(name).replace('echo tripwire', 'touch has-run'));
    const command = gatedCall(join(BIN, 'ape-shell'), words(), 'touch has-run');
    expect(outcome.out).toContain(JSON.stringify(command).slice(1, -1));
    expect((await run(command, '')).status).toBe(78);
    expect(existsSync(join(scratch, 'work/has-run'))).toBe(false);
  });
});

/** Cline runs the tool unless its hook prints clear JSON with `cancel`. */
describe('the line that Cline runs', () => {
  const event = fixture('cline.run_commands');
  const lineOf = (guard: string, deadline = join(BIN, 'deadline')) =>
    clineLine(guardLine(guard, 'cline', words()), deadline);
  let line: string;
  beforeEach(() => {
    line = lineOf(join(BIN, 'hook-guard'));
  });

  const isCancelled = (outcome: Outcome): void => {
    expect(outcome.status).toBe(0);
    const answer = JSON.parse(outcome.out) as Record<string, unknown>;
    expect(answer).toMatchObject({ cancel: true });
    expect(Object.keys(answer).sort()).toEqual(['cancel', 'errorMessage']);
    expect(answer['errorMessage']).toMatch(/ape-shell: .*DENIED/);
  };

  it('answers with the gated call', async () => {
    const outcome = await run(line, event);
    expect(outcome).toMatchObject({ status: 0, err: '' });
    const call = gatedCall(join(BIN, 'ape-shell'), words(), 'echo tripwire');
    expect(JSON.parse(outcome.out)).toEqual({ overrideInput: { commands: [call] } });
  });

  it('answers also if a path in the line looks like the end of the call', async () => {
    const folder = join(scratch, 'a || {b');
    symlinkSync(BIN, folder);
    const outcome = await run(lineOf(join(folder, 'hook-guard')), event);
    expect(JSON.parse(outcome.out)).toHaveProperty('overrideInput');
    expect(() => clineLine('hook-guard cline', join(BIN, 'deadline'))).toThrow('not the line of a guard');
  });

  it('cancels input that it cannot read', async () => {
    for (const input of [
      '',
      '{',
      '[]',
      '"x"',
      '\u0000',
      '{"hookName":"tool_result"}',
      event.replace('{\n      "commands', '[{"commands'),
    ])
      isCancelled(await run(line, input));
  });

  it.each([
    ['the gate', ['hook-guard', 'apes']],
    ['the guard', ['hook-guard']],
    ['the program that limits its time', ['deadline']],
  ])('cancels when %s is killed', async (_, names) => {
    let killed = 0;
    const outcome = await run(line, null, async (child) => {
      let pid: number | null = child.pid ?? null;
      for (const one of names) pid = await awaitDescendant(pid ?? undefined, one);
      killed = pid ?? 0;
      process.kill(killed, 'SIGKILL');
    });
    expect(killed).toBeGreaterThan(1);
    isCancelled(outcome);
  });

  it('cancels when the guard does not end at all, long before Cline goes on without it', async () => {
    expect(Number(/deadline' (\d+) /.exec(line)?.[1])).toBeLessThan(120);
    const guard = guardBeside(null);
    writeFileSync(guard, '#!/bin/sh\nsleep 1000\n', { mode: 0o755 });
    const before = Date.now();
    isCancelled(await run(lineOf(guard).replace(/deadline' \d+ /, "deadline' 1 "), event));
    expect(Date.now() - before).toBeLessThan(20_000);
  });

  it('cancels when a program of ours is missing, or may not be started', async () => {
    isCancelled(await run(lineOf('/nonexistent/hook-guard'), event));
    isCancelled(await run(lineOf(join(BIN, 'hook-guard'), '/nonexistent/deadline'), event));
    const guard = guardBeside(null);
    isCancelled(await run(lineOf(guard), event));
    chmodSync(guard, 0o644);
    isCancelled(await run(lineOf(guard), event));
  });

  it.each([
    ['prints something else', 'echo oops'],
    ['prints nothing', 'true'],
    ['prints half an answer', 'printf \'{"overrideInput":{"commands":["id"]\''],
    ['prints something before its answer', 'echo oops; echo {}'],
    ['prints something behind its answer', 'echo {}; echo oops'],
    ['answers in the words of another harness', 'echo \'{"decision":"allow"}\''],
    ['answers and fails', 'echo {}; exit 1'],
    ['answers and ends with 2', 'echo {}; exit 2'],
    ['answers and dies', 'echo {}; kill -9 $$'],
    ['denies in the way of other harnesses', 'echo DENIED >&2; exit 2'],
  ])('cancels when the guard %s', async (_, text) => {
    const guard = guardBeside(null);
    writeFileSync(guard, `#!/bin/sh\ncat >/dev/null\n${text}\n`, { mode: 0o755 });
    isCancelled(await run(lineOf(guard), event));
  });
});

/** These harnesses run the tool when a hook takes longer than its time limit. */
describe.each(['codex', 'gemini', 'qwen', 'kimi', 'grok'])(
  'the line of %s, which runs a tool whose hook is late',
  (harness) => {
    const lineOf = () => {
      const variables = new Map(Object.entries(environment).map(([name, value]) => [name, Buffer.from(value)]));
      const [home, project] = [join(scratch, 'home'), join(scratch, 'work')];
      return guardLineFor({ scope: 'user', home, project, environment: variables, dist: DIST, shims: '' }, harness);
    };

    it('ends the guard before the harness goes on without it', () => {
      const [, seconds] = /^'[^']*\/deadline' (\d+) '[^']*\/hook-guard' /.exec(lineOf()) ?? [];
      expect(Number(seconds)).toBeGreaterThan(40);
      expect(Number(seconds)).toBeLessThan(60);
    });

    it('denies when the guard is stopped', async () => {
      let stopped: number | null = null;
      const outcome = await run(lineOf().replace(/deadline' \d+ /, "deadline' 3 "), null, async (child) => {
        stopped = await awaitDescendant(child.pid, 'hook-guard');
        if (stopped !== null) process.kill(stopped, 'SIGSTOP');
      });
      expect(stopped).toBeGreaterThan(1);
      isClosed(outcome);
      expect(isRunning(stopped ?? 1)).toBe(false);
    });

    it('denies when the program that ends the guard is missing', async () => {
      isClosed(await run(lineOf().replace(/'[^']*\/deadline'/, "'/nonexistent/deadline'"), '{}'));
    });
  },
);

describe('the guard', () => {
  /** Every harness waits 60 s, our plugins 40 s. If the guard took longer, the tool would run. */
  it('denies within 40 s for any value of APES_HOOK_DEADLINE, and the processes that it started are gone', async () => {
    const guard = guardBeside('echo $$ >> "$PIDS"; sleep 1000');
    const pids = join(scratch, 'pids');
    Object.assign(environment, { PIDS: pids });
    const before = Date.now();
    const wishes = ['9999', '0', '-1', 'soon', '99999999999999999999'];
    const line = guardLine(guard, 'claude-code', words());
    const outcomes = await Promise.all(wishes.map((wish) => run(`APES_HOOK_DEADLINE=${wish} ${line}`, '{}')));
    for (const outcome of outcomes) isClosed(outcome);
    expect(Date.now() - before).toBeLessThan(40_000);
    const started = readFileSync(pids, 'utf8').trim().split('\n').map(Number);
    expect(started).toHaveLength(wishes.length);
    expect(started.filter(isRunning)).toEqual([]);
  });
});

describe('a plugin of ours in a harness', () => {
  /** Starts the plugin with any program in the guard's place. The plugin accepts only a clear answer. */
  const guardOf = (text: string): string => {
    const guard = join(scratch, 'bin/hook-guard');
    writeFileSync(guard, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    return guard;
  };
  const askThrough = async (guard: string): Promise<(event: object) => Promise<unknown>> => {
    const file = join(scratch, 'plugin.mjs');
    writeFileSync(file, `${guardClientText(guard, scratch, 'opencode', words())}\nexport { askGuard };\n`);
    return ((await import(file)) as { askGuard: (event: object) => Promise<unknown> }).askGuard;
  };

  it('goes on with the answer of the guard', async () => {
    const ask = await askThrough(guardOf(`cat >/dev/null; echo '{"decision":"allow","input":{"a":1}}'`));
    expect(await ask({ tool: 'bash' })).toEqual({ a: 1 });
  });

  it.each([
    ['denies', `cat >/dev/null; echo '{"decision":"deny","reason":"DENIED because"}'`, 'DENIED because'],
    ['denies without a reason', `cat >/dev/null; echo '{"decision":"deny"}'`, 'DENIED'],
    ['answers in other words', `cat >/dev/null; echo '{"decision":"ask"}'`, 'DENIED'],
    ['prints something else', 'cat >/dev/null; echo oops', 'DENIED'],
    ['answers and then fails', `cat >/dev/null; echo '{"decision":"allow"}'; exit 1`, 'DENIED'],
    ['answers and then dies', `cat >/dev/null; echo '{"decision":"allow"}'; kill -9 $$`, 'DENIED'],
  ])('throws, which is a denial there, when the guard %s', async (_, guard, reason) => {
    const ask = await askThrough(guardOf(guard));
    await expect(ask({ tool: 'bash' })).rejects.toThrow(reason);
  });

  it('throws when the guard is missing', async () => {
    const ask = await askThrough('/nonexistent/hook-guard');
    await expect(ask({ tool: 'bash' })).rejects.toThrow('DENIED');
  });
});

describe('ape-shell as the shell that a harness runs its hooks with', () => {
  let line: string;
  beforeEach(() => {
    line = guardLine(join(BIN, 'hook-guard'), 'gemini', words());
  });
  const asShell = (text: string): string =>
    `'${join(BIN, 'ape-shell')}' -c "$TEXT"; true`.replace('"$TEXT"', quoted(text));
  const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

  it('runs exactly the installed line without a grant', async () => {
    expect((await run(asShell(line), fixture('gemini.run_shell_command'))).out).toContain('ape-shell');
  });

  it('needs a grant for every other line', async () => {
    for (const text of [`${line}; touch has-run`, line.replace('exit 2', 'touch has-run'), `touch has-run; ${line}`]) {
      const outcome = await run(asShell(text), fixture('gemini.run_shell_command'));
      expect(outcome.out).toBe('');
      expect(outcome.err).toContain('not enrolled');
    }
    expect(existsSync(join(scratch, 'work/has-run'))).toBe(false);
  });

  it('runs the installed line without variables that make a shell or a loader run code', async () => {
    Object.assign(environment, {
      BASH_ENV: '/x',
      ENV: '/x',
      LD_LIBRARY_PATH: '/x',
      'BASH_FUNC_echo%%': '() { id; }',
    });
    let seen = '';
    await run(`exec '${join(BIN, 'ape-shell')}' -c ${quoted(line)}`, null, async (child) => {
      const guard = await awaitDescendant(child.pid, 'hook-guard');
      seen = guard === null ? '' : environmentOf(guard);
      child.stdin?.end();
    });
    expect(seen).toContain(`APES_HOME=${environment['APES_HOME']}`);
    expect(seen).not.toMatch(/BASH_ENV|LD_LIBRARY|BASH_FUNC|(^|\0)ENV=/);
  });
});

/** A zombie has ended: its parent has not called wait(2) yet. */
function isRunning(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout.trim() !== '' && !stdout.trim().startsWith('Z');
}

/** proc(5) on Linux, ps(1) elsewhere. */
function environmentOf(pid: number): string {
  return process.platform === 'linux'
    ? readFileSync(`/proc/${pid}/environ`, 'utf8')
    : execFileSync('ps', ['-Eww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
}

/** Descriptor 3 of Node is the launcher's socket, unless a person started the file by hand. */
it.each([
  ['a launcher that was killed', 'pipe', { status: 70, err: '' }],
  ['no launcher', 'ignore', { status: 64, err: 'apes: start dist/bin/apes, not this file\n' }],
] as const)(
  'with %s Node exits, and prints a message only if a person started the file',
  async (_, third, expected) => {
    const child = spawn(process.execPath, [join(BIN, '../main/apes.cjs')], {
      env: environment,
      stdio: ['ignore', 'ignore', 'pipe', third],
    });
    const end = child.stdio[3];
    if (end !== null && end !== undefined) end.destroy();
    let err = '';
    child.stderr?.on('data', (part: Buffer) => {
      err += part.toString();
    });
    const status = await new Promise((resolve) => child.on('close', resolve));
    expect({ status, err }).toEqual(expected);
  },
);
