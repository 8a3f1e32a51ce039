/** Searches in the history and in standing grants: what they find, and that a page has a limited length. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { grantEvent } from '../../src/core/grant/audit-event.ts';
import { scopeTitle } from '../../src/core/scope/scope-title.ts';
import { COMMAND_SCOPE } from '../contract/store-samples.ts';
import { type Person, TestServer } from './server-fixture.ts';

let server: TestServer;
let owner: Readonly<Record<string, string>>;
let agent: Person;
let other: Person;
let nowMs = Date.UTC(2026, 5, 15, 12);

/** An id that contains `ls` and the words of other searches, as a random id may. */
const ODD_ID = `g_uptimelsprintf${'a'.repeat(12)}`;

async function decided(by: Person, text: string, verb: 'approve' | 'deny', term = 'once', host = 'box') {
  const grant = await server.pending(by, text, { host });
  await server.decide(owner, grant.id, verb, {
    version: grant.version,
    ...(verb === 'approve' ? { term: { kind: term } } : { reason: 'too wide' }),
  });
  return grant;
}

/** An approved request with a reason and with the id `ODD_ID`. */
async function named(by: Person, text: string) {
  const { url: _, match: __, ...grant } = await server.pending(by, text);
  const state = 'approved' as const;
  const stored = { ...grant, id: ODD_ID, fingerprint: 'f'.repeat(64), reason: 'the zebra reason', state };
  await server.call('POST', `/v1/grants/${grant.id}/withdraw`, by.headers);
  const kept = await server.running.store.write((rows) =>
    rows.insertGrant({ ...stored, term: { kind: 'always' }, decidedAtMs: nowMs }),
  );
  if (!kept.ok) throw new Error(kept.failure.message);
}

beforeAll(async () => {
  server = await TestServer.start({ clock: () => nowMs });
  owner = await server.owner();
  agent = await server.requester('agent');
  other = await server.requester('other', 'attic');
  await named(agent, 'git status');
  const used = await decided(agent, 'ls -la', 'approve', 'always');
  expect((await server.redeem(agent, used)).status).toBe(200);
  nowMs += 3 * 86_400_000;
  owner = await server.owner();
  agent = await server.signedIn(agent.id, agent.privateKey);
  other = await server.signedIn(other.id, other.privateKey);
  await decided(agent, 'rm -rf build', 'deny');
  await decided(other, 'uptime', 'approve', 'once', 'attic');
  await decided(other, 'printf %s "<b>100%</b>"', 'approve', 'always', 'attic');
});
afterAll(() => server.stop());

/** Returns the texts of the rows or cards of a page. */
async function found(path: string): Promise<readonly string[]> {
  const { status, body } = await server.call<string>('GET', path, owner);
  expect(status).toBe(200);
  const main = body.slice(body.indexOf('<main'));
  return ['git status', 'ls -la', 'rm -rf build', 'uptime', 'printf'].filter((text) =>
    main.slice(main.indexOf('data-')).includes(`>${text}`),
  );
}

/** Files denied requests of `other`, one in each millisecond. */
async function fill(count: number, text: (index: number) => string) {
  nowMs += 10_000;
  const filled = await server.running.store.write(async (rows) => {
    const grant = (await rows.grants({ requesterId: other.id, limit: 1, nowMs }))[0];
    if (grant === undefined) throw new Error('no grant');
    for (let index = 0; index < count; index += 1)
      await rows.insertGrant({
        ...grant,
        id: `g_${text(index)
          .replace(/[^a-z0-9]/g, '')
          .padStart(26, '0')}`,
        state: 'denied',
        createdAtMs: nowMs - count + index,
        request: { ...grant.request, text: text(index) },
      });
  });
  expect(filled.ok ? null : filled.failure).toBe(null);
}

/** Makes two approvals, and records lines that ran under them, one in each millisecond. */
async function scoped(lines: Readonly<Record<string, readonly ('log' | 'count')[]>>) {
  nowMs += 10_000;
  const scopes = { log: { ...COMMAND_SCOPE, mostUses: 9 }, count: { ...COMMAND_SCOPE, mostUses: 7 } };
  const made = await server.running.store.write(async (rows) => {
    const [listed] = await rows.grants({ requesterId: agent.id, isStanding: true, limit: 1, nowMs });
    if (listed === undefined) throw new Error('no grant');
    const grants = { log: { ...listed, id: 'g_logs' }, count: { ...listed, id: 'g_counts' } };
    for (const name of ['log', 'count'] as const) await rows.insertGrant({ ...grants[name], scope: scopes[name] });
    for (const [index, [line, names]] of Object.entries(lines).entries())
      for (const name of names)
        rows.record(grantEvent('grant.used', grants[name], agent.id, nowMs + index, { line, fingerprint: line }));
  });
  expect(made.ok ? null : made.failure).toBe(null);
  return [
    { id: 'g_logs', title: scopeTitle(scopes.log) },
    { id: 'g_counts', title: scopeTitle(scopes.count) },
  ] as const;
}

describe('the history', () => {
  it.each([
    ['nothing', '', ['git status', 'ls -la', 'rm -rf build', 'uptime', 'printf']],
    ['a text, in any case', '?text=GIT+S', ['git status']],
    ['the reason of a denial', '?text=too+wide', ['rm -rf build']],
    ['the reason of a requester, in any case', '?text=ZEBRA+reason', ['git status']],
    ['a whole id', `?text=${ODD_ID}`, ['git status']],
    ['the beginning of an id, in any case', '?text=G_UPTIME', ['git status']],
    ['a text that is in an id by chance', '?text=ls', ['ls -la']],
    ['a text from the middle of an id', '?text=elsprintf', []],
    ['the letters that every id begins with', '?text=g_', []],
    ['a state', '?state=denied', ['rm -rf build']],
    ['a host', '?host=att', ['uptime', 'printf']],
    ['the days from a given day on', '?from=2026-06-18', ['rm -rf build', 'uptime', 'printf']],
    ['the days until a given day', '?until=2026-06-15', ['git status', 'ls -la']],
    ['days without an entry', '?from=2026-06-16&until=2026-06-17', []],
    ['a host and a text', '?host=attic&text=uptime', ['uptime']],
    ['a wildcard of SQL', '?text=100%25', ['printf']],
    ['another wildcard of SQL', '?text=_x_', []],
    [
      'malformed days and states, which count as missing',
      '?from=soon&state=sold&until=2026-99-99',
      ['git status', 'ls -la', 'rm -rf build', 'uptime', 'printf'],
    ],
  ])('finds the right entries for %s', async (_what, query, texts) => {
    expect(await found(`/history${query}`)).toEqual(texts);
  });

  it('finds the entries of one requester', async () => {
    expect(await found(`/history?requester=${other.id}`)).toEqual(['uptime', 'printf']);
    expect(await found('/history?requester=r_nobody')).toEqual([]);
  });

  it('shows the searched text as plain text, and keeps it in the link to older entries', async () => {
    const { body } = await server.call<string>('GET', '/history?text=%22%3E%3Cscript%3E&state=pending', owner);
    expect(body).toContain('value="&quot;&gt;&lt;script&gt;"');
    expect(body).not.toContain('"><script>');
    expect(body).toContain('<option value="pending" selected>');
  });

  it('finds lines that ran under an approval by their text, by its title and by its id, each with all approvals that covered it', async () => {
    const [log, count] = await scoped({
      'git log -1': ['log'],
      'git log -2 | wc': ['log', 'count'],
      'wc -l': ['count'],
    });
    const lines = async (query: string) => {
      const { body } = await server.call<string>('GET', `/history?${query}`, owner);
      const uses = body.split('<li class="row').filter((row) => row.startsWith(' use"'));
      return uses.map((row) => `${/<code>(.*?)<\/code>/.exec(row)?.[1]}: ${row.match(/by <a/g)?.length}`);
    };
    const [first, both, last] = ['git log -1: 1', 'git log -2 | wc: 2', 'wc -l: 1'];
    expect(await lines('text=GIT+LOG+-2')).toEqual([both]);
    expect(await lines(`text=${log.id}`)).toEqual([both, first]);
    expect(await lines(`text=${encodeURIComponent(log.title.toUpperCase())}`)).toEqual([both, first]);
    expect(await lines(`text=${encodeURIComponent(count.title)}`)).toEqual([last, both]);
    expect(await lines(`text=wc&requester=${agent.id}&host=BOX`)).toEqual([last, both]);
    expect(await lines('text=wc&host=attic')).toEqual([]);
    expect(await lines(`text=wc&requester=${other.id}`)).toEqual([]);
    expect(await lines('text=wc&state=approved')).toEqual([]);
  });

  it('finds a hit behind thousands of other entries on one page, and does not claim that there are more', async () => {
    await fill(2_500, (index) => `filler ${index}`);
    expect(await found('/history?text=git+s')).toEqual(['git status']);
    const { body } = await server.call<string>('GET', '/history?text=git+s', owner);
    expect(body).not.toContain('Looked back to');
    expect(body).not.toContain('Look further back');
  });

  it('shows each entry on exactly one page, in order', async () => {
    await fill(130, (index) => `paged-${index}.`);
    for (const query of ['text=paged', `text=paged&requester=${other.id}&host=ATTIC`, 'text=paged&state=denied']) {
      const pages: (readonly string[])[] = [];
      let next: string | undefined = `/history?${query}`;
      while (next !== undefined && pages.length < 9) {
        const { body }: { body: string } = await server.call<string>('GET', next, owner);
        pages.push([...new Set(body.match(/paged-\d+\./g))]);
        next = /href="(\/history\?[^"]+)">Older/.exec(body)?.[1]?.replaceAll('&amp;', '&');
      }
      expect(pages.map(({ length }) => length)).toEqual([50, 50, 30]);
      expect(pages.flat()).toEqual(Array.from({ length: 130 }, (_, index) => `paged-${129 - index}.`));
    }
  });

  it('continues after many uses of an approval that have no line of their own', async () => {
    const own = await TestServer.start();
    try {
      const [approver, asker] = [await own.owner(), await own.requester()];
      const grant = await own.pending(asker, 'date');
      const earlier = await own.running.store.write(async (rows) =>
        rows.record(
          grantEvent('grant.used', grant, asker.id, grant.createdAtMs, { line: 'earlier line', fingerprint: 'f' }),
        ),
      );
      expect(earlier.ok ? null : earlier.failure).toBe(null);
      await own.decide(approver, grant.id, 'approve', { version: grant.version, term: { kind: 'always' } });
      for (let count = 0; count < 60; count += 1) expect((await own.ask(asker, 'date')).body.outcome).toBe('permitted');
      const { body } = await own.call<string>('GET', '/history', approver);
      expect(body).toContain('>earlier line<');
    } finally {
      await own.stop();
    }
  });
});

describe('standing approvals', () => {
  it.each([
    ['nothing', '', ['git status', 'ls -la', 'printf']],
    ['a text', '?text=ls+-', ['ls -la']],
    ['the beginning of an id', '?text=g_uptime', ['git status']],
    ['a text that is in an id by chance', '?text=ls', ['ls -la']],
    ['those that were never used', '?used=never', ['git status', 'printf']],
    ['those of a requester, by name', '?text=other', ['printf']],
    ['a text that is nowhere', '?text=nothing+like+it', []],
    ['an unknown kind of use, which counts as missing', '?used=sometimes', ['git status', 'ls -la', 'printf']],
  ])('are found by %s', async (_what, query, texts) => {
    expect(await found(`/standing${query}`)).toEqual(texts);
  });

  it('are found by their use within a day', async () => {
    expect(await found('/standing?used=today')).toEqual([]);
    expect((await server.ask(agent, 'ls -la')).body.outcome).toBe('permitted');
    expect(await found('/standing?used=today')).toEqual(['ls -la']);
  });

  it('are fifty on a page, and each is on exactly one page', async () => {
    const filled = await server.running.store.write(async (rows) => {
      const [listed] = await rows.grants({ isStanding: true, limit: 1, nowMs });
      const grant = listed && (await rows.grant(listed.id));
      if (grant === undefined) throw new Error('no grant');
      // Two in each millisecond, so that a page can end between them.
      for (let index = 0; index < 120; index += 1)
        await rows.insertGrant({
          ...grant,
          id: `g_s${String(index).padStart(25, '0')}`,
          createdAtMs: nowMs - 60_000 - Math.floor(index / 2),
          request: { ...grant.request, text: `standing-${index}.` },
        });
    });
    expect(filled.ok ? null : filled.failure).toBe(null);
    for (const query of ['', '?text=standing']) {
      const pages: (readonly string[])[] = [];
      let next: string | undefined = `/standing${query}`;
      while (next !== undefined && pages.length < 9) {
        const { body }: { body: string } = await server.call<string>('GET', next, owner);
        pages.push([...new Set(body.match(/standing-\d+\./g))]);
        next = /href="(\/standing\?[^"]+)">Older/.exec(body)?.[1]?.replaceAll('&amp;', '&');
      }
      expect(pages).toHaveLength(3);
      const all = pages.flat();
      expect(all).toHaveLength(120);
      expect(new Set(all).size).toBe(120);
    }
  });
});
