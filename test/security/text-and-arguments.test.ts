/** Threat: an attacker with the requester's key files requests without our shell. Our shell must run only what the approver was shown. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ExecutionRequest } from '../../src/core/grant/request.ts';
import { askGrant, type GrantClient } from '../../src/grants/client.ts';
import { loadIdentity } from '../../src/grants/enrolment.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { fingerprintOf } from '../../src/platform/surroundings.ts';
import { grantCard } from '../../src/web/cards/grant-card.ts';
import { GatedStage } from './gated-stage.ts';

const gated = new GatedStage();
beforeAll(() => gated.open());
afterAll(() => gated.close());

async function ask(request: Pick<ExecutionRequest, 'kind' | 'text' | 'argv'>): Promise<string> {
  const identity = loadIdentity(`${gated.apesHome}/keys`, 'requester');
  if (!identity.ok) throw new Error(identity.failure.message);
  const { serverUrl: url, host, user } = identity.value;
  const client: GrantClient = {
    server: { url, timeoutMs: 10_000, ca: null },
    identity: identity.value,
    stateDirectory: `${gated.apesHome}/state`,
    clock: systemClock,
  };
  const whole: ExecutionRequest = { ...request, cwd: `${gated.scratch}/work`, host, user, environment: [] };
  const asked = await askGrant(client, whole, fingerprintOf(whole), { findings: null });
  if (!asked.ok || asked.value.kind !== 'pending') throw new Error('not pending');
  return asked.value.grant.id;
}

test.each([
  ['run another command string', { kind: 'command', text: 'true', argv: ['-c', 'touch pwned'] }],
  ['run a script and no command string', { kind: 'command', text: 'true', argv: ['./pwn.sh'] }],
  ['are other words', { kind: 'argv', text: 'true', argv: ['touch', 'pwned'] }],
  ['run a script in place of standard input', { kind: 'stdin', text: 'true', argv: ['./pwn.sh'] }],
  ['run a command in place of a script', { kind: 'script', text: 'true', argv: ['-c', 'touch pwned'] }],
] as const)('a request does not run if its text is `true` and its arguments %s', async (_name, request) => {
  gated.file('pwn.sh', 'touch pwned');
  const id = await ask(request);
  await gated.run(`apes grants approve ${id}`);
  const run = await gated.run(`apes grants run ${id}; echo $?; ls pwned 2>/dev/null`);
  expect(run.out).toBe('77\n');
  expect(run.err).toContain('not what the arguments would run');
});

test('a request whose text and arguments agree runs', async () => {
  const id = await ask({ kind: 'command', text: 'echo agreed', argv: ['-c', 'echo agreed', 'name'] });
  await gated.run(`apes grants approve ${id}`);
  expect((await gated.run(`apes grants run ${id}`)).out).toBe('agreed\n');
});

test('a script that is found by a PATH with a tilde is not run, because bash reads such a PATH differently', async () => {
  gated.file('found.sh', 'echo good');
  const run = await gated.run(
    'mkdir -p scripts ~/evil; mv found.sh scripts; echo "echo evil" > ~/evil/found.sh; PATH="~/evil:$PWD/scripts:$PATH" ape-shell found.sh',
  );
  expect(run.status).toBe(126);
});

test('the card does not fold away a variable that changes what runs', async () => {
  const call = "ape-shell -c 'true folded'";
  const cardOf = async (asking: string): Promise<string> => {
    const id = /g_[a-z2-7]{26}/.exec((await gated.run(asking)).err)?.[0] ?? '';
    return grantCard(JSON.parse((await gated.run(`apes grants show ${id} --json`)).out).data).text;
  };
  expect(await cardOf(call)).toContain('<details class="environment"><summary>');
  expect(await cardOf(`BASH_ENV=/tmp/x GIT_A=1 GIT_B=1 ${call}`)).toContain(
    '<details class="environment" open><summary>',
  );
});
