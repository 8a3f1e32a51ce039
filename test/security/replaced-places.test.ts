/** Threat: while a request waits, its directory is replaced by another one. Also: scripts that are not regular files. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { McpClient } from '../scenario/mcp-client.ts';
import { GatedStage } from './gated-stage.ts';

const stage = new GatedStage();
const ran = (): boolean => existsSync(join(stage.scratch, 'work', 'canary'));

beforeAll(async () => {
  await stage.open();
  await stage.run(`echo 'PS1="U# "; bind "set enable-bracketed-paste off"' > "$SCRATCH/home/.bashrc"`);
});
afterAll(() => stage.close());

/** Starts `ask` in a new directory, waits until its request is filed, runs `meanwhile`, approves the request, and waits for the end. */
async function replaced(ask: string, meanwhile: string) {
  const outcome = await stage.run(
    [
      'rm -rf place other said; mkdir place other; echo "touch $PWD/canary" > other/s.sh; echo "echo good" > place/s.sh',
      `(cd place && ${ask}) > said 2>&1 & waiter=$!`,
      'until grep -qs "g_[a-z2-7]*" said; do sleep 0.05; done; sleep 0.3',
      meanwhile,
      'apes grants approve $(grep -o "g_[a-z2-7]*" said | head -1) >/dev/null; wait $waiter; s=$?; cat said; exit $s',
    ].join('\n'),
  );
  return outcome;
}

describe('a line in a directory that was replaced is refused', () => {
  const moved = 'mv place gone; mv other place';
  it.each([
    ['a command that waits', `APE_WAIT=1 ape-shell -c '. ./s.sh'`, moved],
    [
      'a command that waits, in a directory that was moved',
      `APE_WAIT=1 ape-shell -c 'touch ../canary'`,
      'mv place gone',
    ],
    [
      'a script that waits',
      'APE_WAIT=1 ape-shell s.sh',
      'mv place gone; mkdir place; cp gone/s.sh place; cp other/s.sh gone',
    ],
    ['apes run --wait', 'apes run --wait -- sh s.sh', moved],
    [
      'apes grants run --wait',
      `ape-shell -c 'sh s.sh; :' 2> ../id; apes grants run $(grep -o "g_[a-z2-7]*" ../id | head -1) --wait`,
      moved,
    ],
    [
      'apes grants run --wait, by a link',
      `ape-shell -c 'sh s.sh; true' 2> ../id; apes grants run $(grep -o "g_[a-z2-7]*" ../id | head -1) --wait`,
      'mv place gone; ln -s other place',
    ],
  ])('while it waits: %s', async (_what, ask, meanwhile) => {
    await stage.run('rm -rf gone place');
    const outcome = await replaced(ask, meanwhile);
    expect(outcome.out).toContain('the directory was replaced');
    expect(outcome.status).toBe(77);
    expect(ran()).toBe(false);
  });

  it.each([
    ['a link', 'mv place gone; ln -s other place'],
    ['another directory', 'mv place gone; mv other place'],
    ['a new directory with the same inode', 'rm -rf place; mkdir place; cp other/s.sh place'],
  ])('by a later apes grants run, if %s has taken its place', async (what, meanwhile) => {
    const outcome = await stage.run(
      [
        'rm -rf gone place other; mkdir place other; echo "touch $PWD/canary" > other/s.sh; sleep 0.02',
        `id=$(cd place && ape-shell -c 'sh s.sh; : ${what}' 2>&1 | grep -o "g_[a-z2-7]*" | head -1); apes grants approve $id`,
        `${meanwhile}; apes grants run $id`,
      ].join('\n'),
    );
    expect(outcome.err).toContain('the directory was replaced');
    expect(outcome.status).toBe(77);
    expect(ran()).toBe(false);
  });

  it('by a later apes grants run, but not if the directory is the same and only its files and mode have changed', async () => {
    const outcome = await stage.run(
      [
        'rm -rf gone place; mkdir place',
        `id=$(cd place && ape-shell -c 'ls -A' 2>&1 | grep -o "g_[a-z2-7]*" | head -1); apes grants approve $id >/dev/null`,
        'touch place/new; chmod 700 place; apes grants run $id',
      ].join('\n'),
    );
    expect(outcome).toMatchObject({ status: 0, out: 'new\n' });
  });

  it.each([
    ['another directory', 'mv place gone && mv other place'],
    ['a new directory with the same inode', 'rm -rf place && mkdir place && cp other/s.sh place'],
  ])('by a waiting and a resumed call over MCP, if %s has taken its place', async (what, meanwhile) => {
    const client = await McpClient.connect(stage);
    try {
      const lay = 'rm -rf gone place other; mkdir place other; echo "touch $PWD/canary" > other/s.sh; sleep 0.02';
      const place = join(stage.scratch, 'work', 'place');
      await stage.run(lay);
      const id = await client.pending(`. ./s.sh; : ${what}`, { cwd: place });
      const patient = client.call('run', { command: `sh s.sh; : ${what}`, cwd: place, wait: true });
      const going = client.call('grants_run', { id, timeoutSeconds: 100 });
      await stage.run('until [ "$(apes grants list | grep -c " pending ")" -ge 2 ]; do sleep 0.05; done; sleep 0.3');
      await stage.run(
        `${meanwhile}; for id in $(apes grants list | grep " pending " | grep -o "g_[a-z2-7]*"); do apes grants approve $id; done`,
      );
      const answers = [await patient, await going, await client.call('grants_run', { id })];
      for (const { text, isError } of answers)
        expect([text, isError]).toEqual([expect.stringContaining('the directory was replaced'), true]);
      expect(ran()).toBe(false);
    } finally {
      await client.close();
    }
  });

  it('when it waits in a session, and the shell goes on', async () => {
    await stage.run(
      'rm -rf gone place other; mkdir place other; echo "touch $PWD/canary" > other/s.sh; cp other/s.sh place',
    );
    const keys = await stage.session('place');
    try {
      keys.type('sh s.sh; : line\r');
      const [id] = await keys.see(/g_[a-z2-7]{26}/);
      await stage.run(`${moved}; apes grants approve ${id}`);
      await keys.see(/the directory was replaced[\s\S]*U# $/);
      expect(ran()).toBe(false);
      keys.type('cd "$PWD" && echo again\r');
      const [next] = await keys.see(/g_[a-z2-7]{26}/);
      await stage.run(`apes grants approve ${next}`);
      await keys.see(/again[\s\S]*U# $/);
    } finally {
      keys.close();
    }
  });

  it('but only then: it runs if the directory was not replaced', async () => {
    await stage.run('rm -rf gone place');
    expect(await replaced(`APE_WAIT=1 ape-shell -c 'sh s.sh'`, 'true')).toMatchObject({ status: 0 });
  });
});

describe('a script must be a file with the same content for every process', () => {
  it.each(['/proc/self/comm', '/proc/self/environ', '/dev/fd/0', '/proc/thread-self/cmdline', './link', './dir/comm'])(
    '%s is refused',
    async (path) => {
      const outcome = await stage.run(
        `ln -sfn /proc/self/comm link; ln -sfn /proc/self dir; ape-shell ${path} < /etc/hostname; s=$?; rm link dir; exit $s`,
      );
      expect(outcome.err).toMatch(/lies under \/proc, \/sys or \/dev/);
      expect(outcome.status).toBe(126);
    },
  );

  it('the help and version of ape-shell need no gate', async () => {
    const help = await stage.run('ape-shell --help');
    expect(help).toMatchObject({ status: 0, err: '' });
    expect(help.out).toContain('ape-shell -c COMMAND');
    expect((await stage.run('ape-shell --version')).out).toMatch(/^ape-shell \d/);
  });
});
