/** Measures the time from the approver's decision to the first byte of the command's output, while `apes grants run ID --wait` waits. */
import { setTimeout as sleep } from 'node:timers/promises';
import { now, percentile } from './measure.mjs';
import { APE_SHELL, APES, Stage } from './stage.mjs';
import { ms, row } from './table.mjs';

/** A pause that is not measured, in which the waiter opens the event stream. */
const SETTLE_MS = 400;

export async function benchApproval({ runs }) {
  const stage = new Stage();
  try {
    stage.inbox(); // also stores an owner token
    const url = stage.url();
    /** @type {number[][]} in ms */
    const [fromRequest, fromAnswer] = [[], []];
    for (let run = 0; run < runs; run++) {
      const took = await once(stage, url, `echo started ${run}`);
      fromRequest.push(took.fromRequest);
      fromAnswer.push(took.fromAnswer);
    }
    const p99 = percentile(fromRequest, 0.99);
    row(
      'approve → command starts, grants run --wait',
      `p50 ${ms(percentile(fromRequest, 0.5))}, p99 ${ms(p99)}`,
      `${runs} runs, from sending the approval`,
      [p99 <= 100, 'p99 <= 100 ms'],
    );
    row(
      "  the same from the server's answer",
      `p50 ${ms(percentile(fromAnswer, 0.5))}, p99 ${ms(percentile(fromAnswer, 0.99))}`,
    );
  } finally {
    stage.close();
  }
}

async function once(stage, url, text) {
  stage.run(APE_SHELL, ['-c', text], { statuses: [75] });
  const grant = stage.inbox().find(({ request }) => request.text === text);
  const waiter = stage.start(APES, ['grants', 'run', grant.id, '--wait']);
  const started = new Promise((resolve, reject) => {
    waiter.stdout.once('data', () => resolve(now()));
    waiter.once('exit', (status) => reject(new Error(`grants run ended with ${status} and printed nothing`)));
  });
  const ended = new Promise((resolve) => waiter.once('close', resolve));
  await sleep(SETTLE_MS);
  const sentAt = now();
  const answer = await fetch(`${url}/v1/grants/${grant.id}/approve`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stage.token('owner')}`, 'content-type': 'application/json' },
    body: JSON.stringify({ version: grant.version, term: { kind: 'once' } }),
  });
  const answeredAt = now();
  if (answer.status !== 200) throw new Error(`approve: ${answer.status} ${await answer.text()}`);
  const startedAt = await started;
  await ended;
  return { fromRequest: startedAt - sentAt, fromAnswer: startedAt - answeredAt };
}
