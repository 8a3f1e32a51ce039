/** Texts outside of the pages warn of letters that only look like a-z, in the same words as the card. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { grantDetails } from '../../src/cli/grants/grant-details.ts';
import { grantTable } from '../../src/cli/grants/grant-text.ts';
import type { Grant } from '../../src/core/grant/grant.ts';
import { noticeOf } from '../../src/core/notification/notice.ts';
import type { GrantView } from '../../src/core/wire/grant-view.ts';
import type { WhyAnswer } from '../../src/core/wire/why.ts';
import { pendingBlock } from '../../src/run/pending-block.ts';
import { type Person, TestServer } from './server-fixture.ts';

const WARNING = 'Letters that are not what they look like: \u0435 is U+0435, not e';
const SUSPECT = 'npm install r\u0435act';

let server: TestServer;
let agent: Person;
beforeAll(async () => {
  server = await TestServer.start();
  agent = await server.requester();
});
afterAll(() => server.stop());

const filed = async (text: string, cwd = '/home/agent') =>
  (
    await server.call<WhyAnswer>(
      'GET',
      `/v1/grants/${(await server.pending(agent, text, { cwd })).id}/why`,
      agent.headers,
    )
  ).body;
const blockOf = (grant: GrantView, audience: 'agent' | 'human') =>
  pendingBlock(grant, { audience, status: 75, isNew: true, nowMs: Date.now(), control: 'apes', assessment: null });
const noticeFor = (grant: GrantView, shows: 'all' | 'tool and host') =>
  noticeOf('waiting', { grant: grant as Grant, assessment: null }, shows, { nowMs: Date.now(), publicUrl: 'http://x' });

describe('a command with a letter that only looks like e', () => {
  it('has the warning below it in `apes grants show`, and a mark in the list', async () => {
    const why = await filed(SUSPECT);
    expect(grantDetails(why, Date.now())).toMatch(new RegExp(`^command: .*\n +${WARNING.replace('+', '[+]')}$`, 'm'));
    expect(grantTable([why.grant], Date.now(), 60)).toContain('  [letters that only look alike] npm');
  });

  it('has the warning in the text that the caller reads while it waits', async () => {
    const { grant } = await filed(SUSPECT);
    expect(blockOf(grant, 'agent')).toContain(`  warning:  ${WARNING}\n`);
    expect(blockOf(grant, 'human')).toContain(`  warning  ${WARNING}\n`);
  });

  it('has the warning in a notification that shows the command, and in no other notification', async () => {
    const { grant } = await filed(SUSPECT);
    const notice = noticeFor(grant, 'all');
    expect(notice.body?.split('\n').slice(0, 2)).toEqual([SUSPECT, WARNING]);
    expect(notice.facts['lookAlikes']).toBe(WARNING);
    const less = noticeFor(grant, 'tool and host');
    expect(less.body).not.toContain('Letters');
    expect(less.facts).not.toHaveProperty('lookAlikes');
  });
});

it('a directory with such letters has the warning too, which names four letters and counts the others', async () => {
  const why = await filed('ls', '/home/\u0430g\u0435nt/\u043erd\u0435r/p\u0430ss\u0441ode/m\u0456x');
  expect(grantDetails(why, Date.now())).toMatch(
    /Letters that are not what they look like: \S is U\+0430, not a(; \S is U\+[\dA-F]{4}, not [eoc]){3}; and 1 more$/m,
  );
});

it('a command in plain letters, or in another language, has no warning', async () => {
  for (const text of ['npm install react', 'echo "Привет мир"']) {
    const why = await filed(text);
    const notice = noticeFor(why.grant, 'all');
    const shown = [
      grantDetails(why, Date.now()),
      grantTable([why.grant], Date.now(), null),
      blockOf(why.grant, 'agent'),
      blockOf(why.grant, 'human'),
      notice.body ?? '',
      JSON.stringify(notice.facts),
    ];
    expect(shown.join('')).not.toMatch(/letters|warning|lookAlikes/i);
  }
});
