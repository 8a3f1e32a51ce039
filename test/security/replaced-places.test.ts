/** While a request waits, another directory is put in the place of the one it is about; and scripts that are no plain files. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GatedStage } from './gated-stage.ts';

const stage = new GatedStage();
const ran = (): boolean => existsSync(join(stage.scratch, 'work', 'canary'));

beforeAll(() => stage.open());
afterAll(() => stage.close());

/** Starts `ask` in a fresh directory, waits until it is filed, does `meanwhile`, approves, and waits for the end. */
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

describe('a directory that was replaced is refused', () => {
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
  ])('%s', async (_what, ask, meanwhile) => {
    await stage.run('rm -rf gone place');
    const outcome = await replaced(ask, meanwhile);
    expect(outcome.out).toContain('the directory was replaced');
    expect(outcome.status).toBe(77);
    expect(ran()).toBe(false);
  });

  it('apes grants run later, when a link stands there', async () => {
    const outcome = await stage.run(
      [
        'rm -rf gone place other; mkdir place other; echo "touch $PWD/canary" > other/s.sh',
        `id=$(cd place && ape-shell -c 'sh s.sh; false' 2>&1 | grep -o "g_[a-z2-7]*" | head -1); apes grants approve $id`,
        'mv place gone; ln -s other place; apes grants run $id',
      ].join('\n'),
    );
    expect(outcome.err).toContain('the directory was replaced');
    expect(outcome.status).toBe(77);
    expect(ran()).toBe(false);
  });

  it('and one that is as it was is not', async () => {
    await stage.run('rm -rf gone place');
    expect(await replaced(`APE_WAIT=1 ape-shell -c 'sh s.sh'`, 'true')).toMatchObject({ status: 0 });
  });
});

describe('a script is a file that reads the same to everybody', () => {
  it.each(['/proc/self/comm', '/proc/self/environ', '/dev/fd/0', '/proc/thread-self/cmdline', './link', './dir/comm'])(
    '%s is not',
    async (path) => {
      const outcome = await stage.run(
        `ln -sfn /proc/self/comm link; ln -sfn /proc/self dir; ape-shell ${path} < /etc/hostname; s=$?; rm link dir; exit $s`,
      );
      expect(outcome.err).toMatch(/lies under \/proc, \/sys or \/dev/);
      expect(outcome.status).toBe(126);
    },
  );

  it('and what ape-shell says about itself needs no gate', async () => {
    const help = await stage.run('ape-shell --help');
    expect(help).toMatchObject({ status: 0, err: '' });
    expect(help.out).toContain('ape-shell -c COMMAND');
    expect((await stage.run('ape-shell --version')).out).toMatch(/^ape-shell \d/);
  });
});
