/**
 * Threat: a request is approved as a scope, and then the host changes: a hook or a repository appears. When the request is run by its
 * id, or after a wait in place, the scope must cover it by the host facts of that moment, and the line runs as a covered line. Real git.
 */
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { REACHED } from '../fixtures/held-run.ts';
import { McpClient } from '../scenario/mcp-client.ts';
import { GatedStage } from './gated-stage.ts';

const stage = new GatedStage();
const PROMPT = /U# $/;
const AS_SCOPE = '--as operation --term always';
const at = (...parts: readonly string[]): string => join(stage.scratch, 'work', ...parts);
let made = 0;

beforeAll(async () => {
  await stage.open();
  writeFileSync(join(stage.scratch, 'home/.bashrc'), 'PS1="U# "; bind "set enable-bracketed-paste off"\n');
  await stage.run('git config --global user.name u; git config --global user.email u@x');
});
afterAll(() => stage.close());

/** Makes a new repository, so that no grant of another test covers a line in it. */
async function newRepository(): Promise<string> {
  made += 1;
  const name = `repo${made}`;
  const done = await stage.run(
    `git init -q ${name} && cd ${name} && echo one > a && git add a && git commit -qm first && echo b > b`,
  );
  if (done.status !== 0) throw new Error(done.err);
  return name;
}

const HOOK = `printf '#!/bin/sh\\ntouch ../hooked\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit`;
const NEST = 'git init -q nest; git -C nest commit -q --allow-empty -m x';
const CHANGES = [
  ['a hook', 'git commit --allow-empty -qm h', HOOK],
  ['a repository', 'git add -A', NEST],
  ['a hook of each change of the index', 'git add -A', `ln -s /bin/true .git/hooks/post-index-change`],
] as const;

const stateOf = async (repository: string): Promise<string> =>
  (await stage.run(`cd ${repository} && git log --oneline | wc -l; git ls-files; ls .. | grep hooked`)).out;
const BEFORE = '1\na\n';

async function filed(ask: string): Promise<string> {
  const asked = await stage.run(ask);
  const id = /g_[a-z2-7]{26}/.exec(asked.err)?.[0];
  if (id === undefined || asked.status !== 75) throw new Error(`not pending: ${asked.status} ${asked.err}`);
  return id;
}

async function approve(id: string, how = AS_SCOPE): Promise<void> {
  const decided = await stage.run(`apes grants approve ${id} ${how}`);
  if (decided.status !== 0) throw new Error(decided.err);
}

/** Starts `ask`, waits until it is filed, does `meanwhile`, approves it as a scope, and waits for the end. */
const waited = (repository: string, ask: string, meanwhile: string) =>
  stage.run(
    [
      `cd ${repository}; (${ask}) > ../said 2>&1 & waiter=$!`,
      'until grep -qs "g_[a-z2-7]*" ../said; do sleep 0.05; done; sleep 0.3',
      `(${meanwhile}) > /dev/null`,
      `apes grants approve $(grep -o "g_[a-z2-7]*" ../said | head -1) ${AS_SCOPE} > /dev/null; wait $waiter; s=$?`,
      'cat ../said; rm ../said; exit $s',
    ].join('\n'),
  );

describe.each(CHANGES)('%s that appeared', (_what, line, change) => {
  test('before `apes grants run`: nothing runs, and the use does not count', async () => {
    const repository = await newRepository();
    const id = await filed(`cd ${repository} && ape-shell -c '${line}'`);
    await approve(id, `${AS_SCOPE} --uses 1`);
    await stage.run(`cd ${repository} && ${change}`);
    const refused = await stage.run(`apes grants run ${id}`);
    expect([refused.status, refused.err]).toEqual([77, expect.stringContaining('ask for it again')]);
    expect(await stateOf(repository)).toBe(BEFORE);
    expect((await stage.run(`cd ${repository} && ape-shell -c '${line}'`)).status).toBe(75);
    await stage.run(`cd ${repository} && rm -rf nest .git/hooks/*`);
    expect((await stage.run(`apes grants run ${id}`)).status).toBe(0);
    expect(await stateOf(repository)).not.toBe(BEFORE);
    expect((await stage.run(`apes grants run ${id}`)).status).toBe(77);
  });

  test.each([
    ['ape-shell -c', (text: string) => `APE_WAIT=1 ape-shell -c '${text}'`],
    ['apes run --wait', (text: string) => `apes run --wait -- ${text}`],
    [
      'apes grants run --wait',
      (text: string) =>
        `ape-shell -c '${text}' 2> ../id; apes grants run $(grep -o "g_[a-z2-7]*" ../id | head -1) --wait`,
    ],
  ])('during a wait in place, %s: nothing runs', async (_how, ask) => {
    const repository = await newRepository();
    const refused = await waited(repository, ask(line), change);
    expect([refused.status, refused.out]).toEqual([77, expect.stringContaining('ask for it again')]);
    expect(await stateOf(repository)).toBe(BEFORE);
    const same = await newRepository();
    expect((await waited(same, ask(line), 'true')).status).toBe(0);
    expect(await stateOf(same)).not.toBe(BEFORE);
  });

  test('by an approval of the exact bytes, the line runs as before', async () => {
    const repository = await newRepository();
    const id = await filed(`cd ${repository} && ape-shell -c '${line}'`);
    await approve(id, '');
    await stage.run(`cd ${repository} && ${change}`);
    expect((await stage.run(`apes grants run ${id}`)).status).toBe(0);
    await stage.run('rm -f hooked');
  });
});

test('the tool `grants_run` of MCP runs nothing, either', async () => {
  const repository = await newRepository();
  const id = await filed(`cd ${repository} && ape-shell -c 'git add -A'`);
  await approve(id);
  const client = await McpClient.connect(stage);
  try {
    await stage.run(`cd ${repository} && ${NEST}`);
    expect((await client.call('grants_run', { id })).text).toContain('ask for it again');
    expect(await stateOf(repository)).toBe(BEFORE);
    await stage.run(`rm -rf ${repository}/nest`);
    expect((await client.call('grants_run', { id })).isError).toBe(false);
    expect(await stateOf(repository)).not.toBe(BEFORE);
  } finally {
    await client.close();
  }
});

describe('the request for which a scope was given runs as a covered line', () => {
  test('by its id it has no pager and no editor', async () => {
    const repository = await newRepository();
    const id = await filed(`cd ${repository} && ape-shell -c 'tail -f a'`);
    await approve(id, '--as reading --term always');
    const variables = (how: string) =>
      stage.run(
        [
          `cd ${repository}; rm -f ../tail; ${how} > ../tail & tail=$!`,
          'for n in {1..400}; do [ -s ../tail ] && break; sleep 0.05; done',
          `tr '\\0' '\\n' < /proc/$tail/environ | grep -a 'PAGER\\|LESSSECURE\\|EDIT\\|VISUAL' | sort; kill $tail`,
        ].join('\n'),
      );
    const covered = await variables(`ape-shell -c 'tail -f a'`);
    expect(covered.out).toContain('GIT_PAGER=cat');
    expect((await variables(`apes grants run ${id}`)).out).toBe(covered.out);
  });

  test('in the interactive shell, after a wait, the kernel confines also the files that bash itself opens', async () => {
    for (const folder of ['p/out', 'p/sub', 'outside']) mkdirSync(at(folder), { recursive: true });
    const keys = await stage.session('p');
    keys.type(`ls && ${'sleep 0.1 && '.repeat(15)}echo x > out/late\r`);
    const id = (await keys.see(/g_[a-z2-7]{26}/))[0];
    const decided = await stage.run(`apes grants approve ${id} ${AS_SCOPE}`);
    // For a host that cannot confine, there is no such scope.
    if (REACHED.level === 0) return expect(decided.status).not.toBe(0);
    expect(decided).toMatchObject({ status: 0, err: '' });
    await keys.see(/sub\r\n/); // the line was checked, and runs
    symlinkSync(at('outside/late'), at('p/out/late'));
    await keys.see(PROMPT);
    expect(existsSync(at('outside/late'))).toBe(false);
    expect(keys.printed).toContain('Permission denied');
    keys.type(Buffer.from('\u0003\u0004'));
  });

  test.each(CHANGES)(
    'in the interactive shell, %s that appears during the wait: nothing runs',
    async (_, line, change) => {
      const repository = await newRepository();
      const keys = await stage.session(repository);
      keys.type(`${line}\r`);
      const id = (await keys.see(/g_[a-z2-7]{26}/))[0];
      await stage.run(`cd ${repository} && ${change}`);
      await approve(id);
      await keys.see(/ask for it again/);
      await keys.see(PROMPT);
      expect(await stateOf(repository)).toBe(BEFORE);
      keys.type(Buffer.from('\u0003\u0004'));
    },
  );
});
