/** Promise 6 of SECURITY.md: nothing runs without a record. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GatedStage } from './gated-stage.ts';

const gated = new GatedStage();
beforeAll(async () => {
  await gated.open();
  await gated.approved("ape-shell -c 'touch ran'", 'always');
});
afterAll(() => gated.close());

const call = "rm -f ran; ape-shell -c 'touch ran'; echo $?; ls ran 2>/dev/null";

describe.each(['true', 'false'])('with a resident gate: %s', (residence) => {
  const run = (set: string, unset: string) =>
    gated.run(
      `export APES_RESIDENT=${residence}; ${residence === 'false' ? 'rm -f $APES_HOME/run/gate.sock;' : ''} A=$APES_HOME/state/audit; ${set}; ${call}; ${unset}`,
    );

  test('a covered command runs and leaves its line in the record', async () => {
    expect((await run(':', ':')).out).toBe('0\nran\n');
    const folder = join(gated.apesHome, 'state/audit');
    const [file = ''] = readdirSync(folder);
    expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
    const last = JSON.parse(readFileSync(join(folder, file), 'utf8').trim().split('\n').at(-1) ?? '') as Record<
      string,
      unknown
    >;
    expect(last).toMatchObject({ event: 'permitted', text: 'touch ran' });
  });

  test('if others could read the record, the command is refused', async () => {
    expect((await run('chmod 755 $A', 'chmod 700 $A')).out).toBe('74\n');
  });

  test('if a file is in place of the directory of records, the command is refused', async () => {
    expect((await run('mv $A $A.away; touch $A', 'rm $A; mv $A.away $A')).out).toBe('74\n');
  });

  test('if a link is in place of the record, the command is refused', async () => {
    const today = new Date().toISOString().slice(0, 10);
    expect(
      (await run(`mv $A/${today}.jsonl $A/kept; ln -s /dev/null $A/${today}.jsonl`, `mv $A/kept $A/${today}.jsonl`))
        .out,
    ).toBe('74\n');
  });
});

test('if the disk is full, the command is refused', async () => {
  const run = await gated.run(
    'mkdir -p $SCRATCH/full && mount -t tmpfs -o size=16k,mode=700 tmpfs $SCRATCH/full && mv $APES_HOME/state/audit $APES_HOME/state/audit.away && ln -s /nowhere $SCRATCH/unused; ' +
      'mkdir -m 700 $APES_HOME/state/audit && mount --bind $SCRATCH/full $APES_HOME/state/audit && head -c 64k /dev/zero > $SCRATCH/full/fill 2>/dev/null; ' +
      `${call}; umount -l $APES_HOME/state/audit; rmdir $APES_HOME/state/audit; mv $APES_HOME/state/audit.away $APES_HOME/state/audit; umount -l $SCRATCH/full`,
  );
  expect(run.out).toBe('74\n');
});
