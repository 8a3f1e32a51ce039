/** Approvals with a file scope: an approver gives them, and the server finds, uses, lists and ends them. */
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FileScope } from '../../src/core/files/file-scope.ts';
import type { ErrorBody } from '../../src/core/wire/error.ts';
import type { GrantView } from '../../src/core/wire/grant-view.ts';
import type { WantedOperation } from '../../src/gate/file-operation.ts';
import { FileStage } from './file-stage.ts';
import { nonce, type Person } from './server-fixture.ts';

let stage: FileStage;
let count = 0;
let folder = '';
beforeAll(async () => {
  stage = await FileStage.open();
});
afterAll(() => stage.close());
beforeEach(() => {
  count += 1;
  folder = `f${count}`;
});

const write = (name: string, content = 'x\n'): WantedOperation => ({
  verb: 'write',
  path: `${folder}/${name}`,
  content,
});
const below = (...parts: readonly string[]): FileScope => ({
  operations: ['write', 'edit'],
  pathPrefix: stage.in('project', folder, ...parts),
});
const kindOf = async (...operations: readonly WantedOperation[]) => (await stage.authorize(operations)).kind;

describe('an approval below a directory', () => {
  it('covers other files there, other content and edits; each permit is for the operation that was asked for', async () => {
    const grant = await stage.approvedBelow(below(), write('a.txt'));
    expect(grant).toMatchObject({ state: 'approved', scope: below(), uses: 0 });
    for (const wanted of [
      write('b.txt'),
      write('deep/er/c.txt', 'y'),
      { verb: 'edit', path: `${folder}/a.txt`, input: 'z' },
    ] as const) {
      const request = stage.describe(wanted);
      const outcome = await stage.authorize([wanted]);
      expect(outcome).toMatchObject({ kind: 'permitted', permit: { grantId: grant.id, request } });
      if (outcome.kind !== 'permitted') throw new Error('not permitted');
      expect(outcome.permit.because).toContain(`any write or edit below ${below().pathPrefix}`);
    }
    expect((await stage.stored(grant.id)).uses).toBe(3);
  });

  it('covers nothing beside the directory, above it, of another kind, or only partly inside', async () => {
    await stage.approvedBelow(below('in'), write('in/a.txt'));
    writeFileSync(stage.in('project/gone.txt'), 'x');
    expect(await kindOf(write('in/b.txt'))).toBe('permitted');
    expect(await kindOf(write('inside.txt'))).toBe('pending');
    expect(await kindOf(write('b.txt'))).toBe('pending');
    expect(await kindOf({ verb: 'delete', path: `${folder}/in/a.txt` })).toBe('pending');
    expect(await kindOf(write('in/c.txt'), write('d.txt'))).toBe('pending');
    expect(await kindOf(write('in/c.txt'), write('in/e.txt'))).toBe('permitted');
    expect(await kindOf(write('in/.git/hooks/pre-commit'))).toBe('pending');
  });

  it('covers requests of its own requester only', async () => {
    await stage.approvedBelow(below(), write('a.txt'));
    const other: Person = await stage.server.requester(
      'other',
      stage.describe(write('b')).host,
      stage.describe(write('b')).user,
    );
    const body = { request: stage.describe(write('b.txt')), nonce: nonce() };
    expect((await stage.server.call('POST', '/v1/requests', other.headers, body)).status).toBe(202);
    expect((await stage.server.call('POST', '/v1/requests', stage.agent.headers, body)).status).toBe(200);
  });

  it('ends when it is revoked, and when its time is over', async () => {
    const revoked = await stage.approvedBelow(below('r'), write('r/a.txt'));
    expect(await kindOf(write('r/b.txt'))).toBe('permitted');
    await stage.server.decide(stage.owner, revoked.id, 'revoke', { version: 1 });
    expect(await kindOf(write('r/c.txt'))).toBe('pending');
    const short = await stage.approve(
      await stage.pending(write('t/a.txt')),
      { kind: 'timed', forMs: 3_000 },
      below('t'),
    );
    expect(await kindOf(write('t/b.txt'))).toBe('permitted');
    const endsMs = short.body.term?.kind === 'timed' ? short.body.term.untilMs : 0;
    await sleep(endsMs - Date.now() + 20);
    expect(await kindOf(write('t/c.txt'))).toBe('pending');
    expect((await stage.stored(short.body.id)).state).toBe('expired');
  });

  it('can be redeemed by its id only for a request that it covers', async () => {
    const grant = await stage.approvedBelow(below(), write('a.txt'));
    expect((await stage.server.redeem(stage.agent, grant)).status).toBe(200);
    const other = await stage.pending({ verb: 'delete', path: `${folder}/x` });
    expect((await stage.server.redeem(stage.agent, { ...grant, fingerprint: other.fingerprint })).status).toBe(409);
  });

  it('is in the list, in the details and in the record, with who gave it, how far it reaches and what it was used for', async () => {
    const grant = await stage.approvedBelow(below(), write('a.txt'));
    await stage.authorize([write('b.txt')]);
    const { grants } = (
      await stage.server.call<{ grants: GrantView[] }>('GET', '/v1/grants?limit=200', stage.agent.headers)
    ).body;
    expect(grants.find(({ id }) => id === grant.id)?.scope).toEqual(below());
    type Events = { events: { kind: string; grantId: string; facts: Record<string, unknown> }[] };
    const { events } = (await stage.server.call<Events>('GET', '/v1/audit?limit=1000', stage.owner)).body;
    const own = events.filter(({ grantId }) => grantId === grant.id);
    expect(own.map(({ kind }) => kind)).toEqual(['grant.requested', 'grant.approved', 'grant.used']);
    expect(own[1]?.facts).toMatchObject({ term: 'timed', operations: 'write edit', pathPrefix: below().pathPrefix });
    expect(own[2]?.facts).toMatchObject({ uses: 1, count: 1, files: `write ${stage.in('project', folder, 'b.txt')}` });
    expect(stage.journal().at(-1)).toMatchObject({ event: 'permitted', grantId: grant.id, kind: 'file' });
  });

  it('is used before a once grant for the same request; the once grant stays unused', async () => {
    const once = await stage.pending(write('a.txt'));
    await stage.approve(once, { kind: 'once' });
    const standing = await stage.approvedBelow(below(), write('b.txt'));
    expect(await stage.authorize([write('a.txt')])).toMatchObject({ permit: { grantId: standing.id } });
    expect((await stage.stored(once.id)).state).toBe('approved');
  });
});

describe('a scope that may not be given', () => {
  const refusedAs = async (wanted: WantedOperation, scope: FileScope, term: object = { kind: 'always' }) => {
    const pending = await stage.pending(wanted);
    const answer = await stage.approve(pending, term, scope);
    const { code, message } = (answer.body as ErrorBody).error;
    expect(message).toMatch(/^[^\n]{10,300}$/);
    expect((await stage.stored(pending.id)).state).toBe('pending');
    return [answer.status, code];
  };

  it('is refused with 422 and one line, and the request stays undecided', async () => {
    const asked = write('a.txt');
    expect(await refusedAs(asked, below(), { kind: 'once' })).toEqual([422, 'scope.unfit']);
    expect(await refusedAs(asked, { ...below(), operations: ['read'] })).toEqual([422, 'scope.not_covering']);
    expect(await refusedAs(asked, below('other'))).toEqual([422, 'scope.not_covering']);
    expect(await refusedAs(asked, { ...below(), pathPrefix: `${below().pathPrefix}/` })).toEqual([422, 'scope.unfit']);
    expect(await refusedAs(asked, { ...below(), pathPrefix: '/' })).toEqual([422, 'scope.forbidden']);
    expect(await refusedAs(write('.ssh/config'), below())).toEqual([422, 'scope.forbidden']);
    expect(
      await refusedAs(
        { verb: 'write', path: stage.in('apes/config.toml'), content: '' },
        { ...below(), pathPrefix: stage.directory },
      ),
    ).toEqual([422, 'scope.forbidden']);
  });

  it('is answered with 400 if it is malformed, and is refused for a command', async () => {
    const pending = await stage.pending(write('a.txt'));
    for (const scope of [
      {},
      { operations: [], pathPrefix: '/a' },
      { operations: ['run'], pathPrefix: '/a' },
      { operations: ['write'], pathPrefix: '' },
      { ...below(), more: 1 },
    ]) {
      const body = { version: 1, term: { kind: 'always' }, scope };
      expect((await stage.server.decide(stage.owner, pending.id, 'approve', body)).status).toBe(400);
    }
    const { host, user } = pending.request;
    const command = await stage.server.pending(stage.agent, 'ls', { host, user });
    const answer = await stage.approve(command, { kind: 'always' }, below());
    expect([answer.status, answer.body.error.code]).toEqual([422, 'scope.unfit']);
  });
});

describe('a malformed file request', () => {
  it('is refused', async () => {
    const good = stage.describe(write('a.txt'));
    const [file] = good.files ?? [];
    const bad: readonly (readonly [string, object])[] = [
      ['no files', { ...good, files: undefined }],
      ['an empty list', { ...good, files: [] }],
      ['files of a command', { ...good, kind: 'command' }],
      ['arguments', { ...good, argv: ['x'] }],
      ['environment', { ...good, environment: [{ name: 'A', value: 'b' }] }],
      ['a path with ..', { ...good, files: [{ ...file, path: '/a/../b' }] }],
      ['a relative path', { ...good, files: [{ ...file, path: 'a' }] }],
      ['a write without a digest', { ...good, files: [{ ...file, digest: null }] }],
      ['a read with a digest', { ...good, files: [{ ...file, verb: 'read' }] }],
      ['an unknown field', { ...good, files: [{ ...file, scope: below() }] }],
      ['NUL in a path', { ...good, files: [{ ...file, askedPath: 'a\0b' }] }],
      ['an unknown verb', { ...good, files: [{ ...file, verb: 'chmod' }] }],
    ];
    for (const [what, request] of bad) {
      const answer = await stage.server.call('POST', '/v1/requests', stage.agent.headers, { request, nonce: nonce() });
      expect([what, answer.status]).toEqual([what, 400]);
    }
    const answer = await stage.server.call('POST', '/v1/requests', stage.agent.headers, {
      request: good,
      nonce: nonce(),
    });
    expect(answer.status).toBe(202);
  });
});

it('the OpenAPI document describes scopes and files', async () => {
  const text = JSON.stringify((await stage.server.call('GET', '/openapi.json')).body);
  for (const word of ['pathPrefix', 'askedPath', 'scope.not_covering']) expect(text).toContain(word);
});
