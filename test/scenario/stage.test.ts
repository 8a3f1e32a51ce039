/** A stage that is closed leaves nothing behind: no directory and no process. */
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Stage } from './stage.ts';

/** Longer than a resident gate takes to start. */
const STARTED_MS = 4_000;

it.each([0, 100, 200, 400])(
  'a stage that is closed %i ms after a resident gate was started leaves no directory and no process',
  async (ms) => {
    const stage = new Stage();
    const { out } = await stage.run('setsid apes gate > "$SCRATCH/said" 2>&1 & echo "$SCRATCH"');
    await sleep(ms);
    stage.close();
    await sleep(STARTED_MS);
    expect(existsSync(out.trim())).toBe(false);
  },
  60_000,
);

it('a stage that is closed also ends a program without environment that works in its directory', async () => {
  const stage = new Stage();
  const { out } = await stage.run('setsid env -i sleep 1000 > /dev/null 2>&1 & echo $!');
  await expect.poll(() => readFileSync(`/proc/${out.trim()}/environ`, 'utf8')).toBe('');
  stage.close();
  await expect.poll(() => existsSync(`/proc/${out.trim()}/exe`)).toBe(false);
});
