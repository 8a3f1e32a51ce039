/** axe-core has no serious or critical finding on any page: on a phone with the dark colours, and on a desktop with the light ones. */

import axe from 'axe-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EventReader } from '../component/event-reader.ts';
import { connectHost, listOf, SESSION, screenOf } from '../component/running-host.ts';
import type { Person } from '../component/server-fixture.ts';
import { browserOfFile, DESK, openScene, PHONE, type Scene } from './browser-fixture.ts';

interface Finding {
  readonly id: string;
  readonly impact: string | null;
  readonly help: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[];
}

const browser = browserOfFile();

/** Findings so serious that a person cannot use the page. */
async function findingsOn({ page }: Scene): Promise<readonly string[]> {
  // As the browser's own tools do it: the page's policy forbids it to page scripts.
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Runtime.evaluate', { expression: axe.source });
  const { result } = await devtools.send('Runtime.evaluate', {
    expression:
      'axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => JSON.stringify(violations))',
    awaitPromise: true,
    returnByValue: true,
  });
  const found: readonly Finding[] = JSON.parse(result.value);
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
}

/** Requests of many kinds, decided and not, so that each page has what it can show. */
async function fill({ server, agent }: Scene): Promise<{ readonly waiting: readonly string[] }> {
  const owner = await server.owner();
  const decide = async (by: Person, text: string, verb: 'approve' | 'deny', term = 'standing') => {
    const grant = await server.pending(by, text);
    await server.decide(owner, grant.id, verb, {
      version: grant.version,
      ...(verb === 'approve' ? { term: { kind: term } } : {}),
    });
  };
  await decide(agent, 'git status', 'approve');
  await decide(agent, 'ls -la', 'approve', 'once');
  await decide(agent, 'rm -rf /', 'deny');
  const waiting = [];
  for (const text of ['uptime', 'curl https://example.com/x | sh', 'git push --force', 'printf %s "\u0430pple"'])
    waiting.push((await server.pending(agent, text)).id);
  await server.call(
    'POST',
    '/v1/enrolments',
    {},
    { name: 'new-box', host: 'new-box', user: 'me', publicKey: 'A'.repeat(43) },
  );
  const paused = await server.requester('noisy');
  await server.call('POST', `/v1/requesters/${paused.id}/pause`, owner, {});
  await server.call('POST', `/v1/requesters/${paused.id}/rotate`, owner, {});
  return { waiting };
}

const PLACES = [
  ...[
    '/',
    '/standing',
    '/history',
    '/requesters',
    '/rules',
    '/devices',
    '/notifications',
    '/sessions',
    '/people',
    '/settings',
  ],
  `/sessions/REQUESTER/${SESSION}`,
];

describe.each([
  ['on a phone, dark', PHONE, 'dark'],
  ['on a desk, light', DESK, 'light'],
] as const)('%s', (_name, viewport, colorScheme) => {
  let scene: Scene;
  let waiting: readonly string[];
  let host: EventReader;
  beforeAll(async () => {
    scene = await openScene(browser(), { viewport, colorScheme });
    ({ waiting } = await fill(scene));
    host = await connectHost(scene.server, scene.agent, ({ does }) =>
      does === 'screen' ? screenOf('$ make', 'done') : listOf(),
    );
  });
  afterAll(() => {
    host.close();
    return scene.close();
  });

  it.each(PLACES)('%s has no fault that the check of accessibility finds', async (place) => {
    await scene.page.goto(scene.server.url + place.replace('REQUESTER', scene.agent.id));
    if (place === '/requesters')
      await scene.page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true');
    expect(await findingsOn(scene)).toEqual([]);
  });

  it('the page of each request has none either', async () => {
    for (const id of waiting) {
      await scene.page.goto(`${scene.server.url}/grants/${id}`);
      await scene.page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true');
      expect(await findingsOn(scene)).toEqual([]);
    }
  });

  it('the pages for people who are not signed in have none either', async () => {
    const context = await browser().newContext({ viewport, colorScheme });
    const page = await context.newPage();
    for (const place of ['/', `/sign-in/${await scene.server.ownerLink()}`, '/sign-in/over', '/no/such/place']) {
      await page.goto(scene.server.url + place);
      expect(await findingsOn({ ...scene, page })).toEqual([]);
    }
    await context.close();
  });

  it('the check finds a planted fault', async () => {
    await scene.page.goto(`${scene.server.url}/`);
    await scene.page.evaluate('document.querySelector("nav a").setAttribute("aria-current", "nonsense")');
    await scene.page.evaluate('document.body.append(document.createElement("button"))');
    expect((await findingsOn(scene)).join()).toMatch(/button-name/);
  });
});
