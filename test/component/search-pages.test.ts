/** Searches of the history and of standing grants: what they find, and that a page has a limited length. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Person, TestServer } from './server-fixture.ts';

let server: TestServer;
let owner: Readonly<Record<string, string>>;
let agent: Person;
let other: Person;
let nowMs = Date.UTC(2026, 5, 15, 12);

/** An id that holds `ls`, as one of ten does by chance, and the words of other searches. */
const ODD_ID = `g_uptimelsprintf${'a'.repeat(12)}`;

async function decided(by: Person, text: string, verb: 'approve' | 'deny', term = 'once', host = 'box') {
  const grant = await server.pending(by, text, { host });
  await server.decide(owner, grant.id, verb, {
    version: grant.version,
    ...(verb === 'approve' ? { term: { kind: term } } : { reason: 'too wide' }),
  });
  return grant;
}

/** An approved request with a reason and with `ODD_ID`. */
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

/** The texts of the rows or cards of a page. */
async function found(path: string): Promise<readonly string[]> {
  const { status, body } = await server.call<string>('GET', path, owner);
  expect(status).toBe(200);
  const main = body.slice(body.indexOf('<main'));
  return ['git status', 'ls -la', 'rm -rf build', 'uptime', 'printf'].filter((text) =>
    main.slice(main.indexOf('data-')).includes(`>${text}`),
  );
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
    ['what every id begins with', '?text=g_', []],
    ['a state', '?state=denied', ['rm -rf build']],
    ['a host', '?host=att', ['uptime', 'printf']],
    ['the days from one on', '?from=2026-06-18', ['rm -rf build', 'uptime', 'printf']],
    ['the days until one', '?until=2026-06-15', ['git status', 'ls -la']],
    ['a day on which nothing was', '?from=2026-06-16&until=2026-06-17', []],
    ['two things at once', '?host=attic&text=uptime', ['uptime']],
    ['a mark of SQL', '?text=100%25', ['printf']],
    ['a mark that is nowhere', '?text=_x_', []],
    [
      'no day, no state, no requester',
      '?from=soon&state=sold&until=2026-99-99',
      ['git status', 'ls -la', 'rm -rf build', 'uptime', 'printf'],
    ],
  ])('is searched for %s', async (_what, query, texts) => {
    expect(await found(`/history${query}`)).toEqual(texts);
  });

  it('is searched for one requester', async () => {
    expect(await found(`/history?requester=${other.id}`)).toEqual(['uptime', 'printf']);
    expect(await found('/history?requester=r_nobody')).toEqual([]);
  });

  it('shows what was searched for as text, and keeps it in the link to older ones', async () => {
    const { body } = await server.call<string>('GET', '/history?text=%22%3E%3Cscript%3E&state=pending', owner);
    expect(body).toContain('value="&quot;&gt;&lt;script&gt;"');
    expect(body).not.toContain('"><script>');
    expect(body).toContain('<option value="pending" selected>');
  });

  it('looks at a bounded part for one page, says how far, and goes on from there', async () => {
    const filled = await server.running.store.write(async (rows) => {
      const grant = (await rows.grants({ limit: 1, nowMs, states: ['denied'] }))[0];
      if (grant === undefined) throw new Error('no grant');
      for (let index = 0; index < 2_100; index += 1)
        await rows.insertGrant({
          ...grant,
          id: `g_${String(index).padStart(26, '0')}`,
          createdAtMs: nowMs + 1 + index,
          request: { ...grant.request, text: `filler ${index}` },
        });
    });
    expect(filled.ok ? null : filled.failure).toBe(null);
    const first = (await server.call<string>('GET', '/history?text=git+s', owner)).body;
    expect(first).toContain('Looked back to');
    const further = /href="(\/history\?[^"]+)">Look further back/.exec(first)?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect(further).toContain('text=git+s');
    expect(await found(further)).toEqual(['git status']);
    expect((await server.call<string>('GET', further, owner)).body).not.toContain('Look further back');
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
    ['what is nowhere', '?text=nothing+like+it', []],
    ['no kind of use', '?used=sometimes', ['git status', 'ls -la', 'printf']],
  ])('are searched for %s', async (_what, query, texts) => {
    expect(await found(`/standing${query}`)).toEqual(texts);
  });

  it('are searched for those used within a day', async () => {
    expect(await found('/standing?used=today')).toEqual([]);
    expect((await server.ask(agent, 'ls -la')).body.outcome).toBe('permitted');
    expect(await found('/standing?used=today')).toEqual(['ls -la']);
  });

  it('are fifty on a page, and each is on one of them', async () => {
    const filled = await server.running.store.write(async (rows) => {
      const [listed] = await rows.grants({ isStanding: true, limit: 1, nowMs });
      const grant = listed && (await rows.grant(listed.id));
      if (grant === undefined) throw new Error('no grant');
      // Two of each millisecond: a page can end between them.
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
