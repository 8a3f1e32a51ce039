/** The line `pending` of `:status` says how many requests wait, and says so if there are more than it lists. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { success } from '../../src/core/result.ts';
import { currentHost, currentUser } from '../../src/platform/surroundings.ts';
import { sessionStatus } from '../../src/shell/session-status.ts';
import { FileStage } from './file-stage.ts';

const REACHED = { level: 0, landlockAbi: 0, missing: 'a kernel with Landlock' } as const;

let stage: FileStage;
beforeAll(async () => {
  stage = await FileStage.open();
});
afterAll(() => stage.close());

async function shown(): Promise<{ readonly count: string | undefined; readonly listed: number }> {
  const text = await sessionStatus({ sessionId: 's_1', startedAtMs: 0 }, success(stage.parts.gate), REACHED);
  return { count: /^pending +(.*)$/m.exec(text)?.[1], listed: text.match(/ g_[a-z2-7]{26} /g)?.length ?? 0 };
}

it('the number is exact up to 20, and above says "more than"', async () => {
  const { server, agent } = stage;
  const here = { host: currentHost(), user: currentUser() };
  expect(await shown()).toEqual({ count: 'nothing', listed: 0 });
  for (let count = 1; count <= 20; count += 1) await server.pending(agent, `unknown-program ${count}`, here);
  expect(await shown()).toEqual({ count: '20', listed: 20 });
  await server.pending(agent, 'unknown-program 21', here);
  expect(await shown()).toEqual({ count: 'more than 20; see apes grants list', listed: 20 });
});
