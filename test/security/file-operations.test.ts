/** Threat: a requester tries to reach more files than an approver has approved: by links, scopes of its own, sensitive paths, races. */

import { mkdirSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type FileScope, isInFileScope } from '../../src/core/files/file-scope.ts';
import type { AskBody } from '../../src/core/wire/ask.ts';
import type { GrantView } from '../../src/core/wire/grant-view.ts';
import type { ApprovalWait } from '../../src/gate/authorize.ts';
import { authorizeFileOperation, placesOf, type WantedOperation } from '../../src/gate/file-operation.ts';
import { describeFileRequest } from '../../src/gate/file-request.ts';
import { fingerprintOf } from '../../src/platform/surroundings.ts';
import { signedBy, signPermit } from '../../src/server/grants/permit-token.ts';
import { loadOrCreateServerKey } from '../../src/server/identity/server-key.ts';
import { FileStage } from '../component/file-stage.ts';
import { nonce, TestServer } from '../component/server-fixture.ts';

let stage: FileStage;
let count = 0;
let folder = '';
beforeAll(async () => {
  stage = await FileStage.open();
});
afterAll(() => stage.close());
beforeEach(() => {
  count += 1;
  folder = `project/f${count}`;
  mkdirSync(stage.in(folder), { recursive: true });
});

const write = (path: string, content = 'x\n'): WantedOperation => ({ verb: 'write', path, content });
const at = (...parts: readonly string[]): string => stage.in(folder, ...parts);
const below = (pathPrefix: string): FileScope => ({ operations: ['write', 'edit'], pathPrefix });
const kindOf = async (...operations: readonly WantedOperation[]) => (await stage.authorize(operations)).kind;
const waitOptions = (onPending: ApprovalWait['onPending']): ApprovalWait => ({
  timeoutMs: 20_000,
  cancelled: new AbortController().signal,
  withdrawsOnCancel: false,
  onBeat: () => {},
  onServer: () => {},
  onPause: () => {},
  onPending,
});

describe('a symbolic link', () => {
  it('that is replaced between the approval and the use makes another request', async () => {
    for (const name of ['mine', 'theirs']) writeFileSync(at(name), name);
    symlinkSync(at('mine'), at('link'));
    const grant = await stage.pending(write(at('link')));
    expect(grant.request.files?.[0]).toMatchObject({ path: at('mine'), askedPath: at('link') });
    await stage.approve(grant, { kind: 'always' });
    unlinkSync(at('link'));
    symlinkSync(at('theirs'), at('link'));
    const again = await stage.pending(write(at('link')));
    expect(again.request.files?.[0]?.path).toBe(at('theirs'));
    expect((await stage.stored(grant.id)).uses).toBe(0);
  });

  it('that is replaced while the request waits makes the operation fail, and leaves the approval unused', async () => {
    for (const name of ['one', 'two']) mkdirSync(at(name));
    symlinkSync(at('one'), at('way'));
    let asked: GrantView | null = null;
    const outcome = await stage.authorize(
      [write(at('way/file'))],
      waitOptions((grant) => {
        asked = grant;
        unlinkSync(at('way'));
        symlinkSync(at('two'), at('way'));
        void stage.approve(grant, { kind: 'once' });
      }),
    );
    expect(outcome).toMatchObject({ kind: 'refused', failure: { code: 'refused' } });
    expect(await stage.stored((asked as GrantView | null)?.id ?? '')).toMatchObject({ state: 'approved', uses: 0 });
    expect(stage.journal().at(-1)).toMatchObject({ event: 'refused', kind: 'file' });
  });

  it('that is replaced while the server answers makes the host refuse', async () => {
    for (const name of ['in', 'out']) mkdirSync(at(name));
    symlinkSync(at('in'), at('way'));
    await stage.approvedBelow(below(at('in')), write(at('way/a')));
    const swapping = authorizeFileOperation(stage.parts, stage.call([write(at('way/b'))]), { waitOptions: null });
    symlinkSync(at('out'), at('next'));
    renameSync(at('next'), at('way')); // the request is on its way, and the answer is not here yet
    expect(await swapping).toMatchObject({ kind: 'refused', failure: { code: 'refused' } });
  });

  it('that leads out of the approved directory is not covered, whatever part of the path it is', async () => {
    mkdirSync(at('in'));
    mkdirSync(at('out'));
    writeFileSync(at('out/file'), '');
    await stage.approvedBelow(below(at('in')), write(at('in/a')));
    symlinkSync(at('out'), at('in/dir'));
    symlinkSync(at('out/file'), at('in/file'));
    symlinkSync(at('out/none'), at('in/dangling'));
    symlinkSync('../out', at('in/relative'));
    symlinkSync(at('in/dir'), at('in/twice'));
    for (const name of [
      'dir/x',
      'dir/new/x',
      'file',
      'dangling',
      'relative/x',
      'twice/x',
      'dir/../out/x',
      '../out/x',
    ]) {
      const outcome = await stage.authorize([write(`${at('in')}/${name}`)]);
      expect([name, outcome.kind === 'pending' || outcome.kind === 'refused']).toEqual([name, true]);
      if (outcome.kind === 'pending') expect(outcome.grant.request.files?.[0]?.path.startsWith(at('out'))).toBe(true);
    }
    expect(await kindOf(write(at('in/b')))).toBe('permitted');
  });

  it('that leads into the approved directory is covered: where it really goes counts', async () => {
    mkdirSync(at('in'));
    await stage.approvedBelow(below(at('in')), write(at('in/a')));
    symlinkSync(at('in'), at('door'));
    expect(await kindOf(write(at('door/b')))).toBe('permitted');
  });

  it.each([
    ['a loop', 'loop', (path: string) => symlinkSync('loop', path)],
    ['/proc', '', () => {}],
  ])('through %s is refused', async (_what, name, make) => {
    const path = name === '' ? '/proc/self/cwd/x' : at(name);
    make(path);
    expect(await stage.authorize([write(path)])).toMatchObject({ kind: 'refused', failure: { code: 'unreadable' } });
  });
});

describe('a name', () => {
  it('of which the directory has another spelling is refused, because some tools use that file', async () => {
    writeFileSync(stage.in('home/private'), 'x');
    for (const name of ['caf\u00e9', 'it\u2019s', 'at 9\u202fPM.png']) symlinkSync(stage.in('home/private'), at(name));
    mkdirSync(at('u\u0308ber'));
    const read = (name: string) => stage.authorize([{ verb: 'read', path: at(name) }]);
    for (const name of ['cafe\u0301', "it's", 'at 9 PM.png', '\u00fcber/x'])
      expect([name, await read(name)]).toMatchObject([name, { kind: 'refused', failure: { code: 'unreadable' } }]);
    writeFileSync(at('cafe'), 'x');
    for (const name of ['cafe', 'none', 'u\u0308ber/x'])
      expect([name, (await read(name)).kind]).toEqual([name, 'permitted']);
  });
});

describe('a prefix for deleting', () => {
  it('covers no whole directory, no link and no file with the name of a secret: a tool may move what it deletes', async () => {
    mkdirSync(at('in/sub/.git'), { recursive: true });
    writeFileSync(at('in/file'), '');
    writeFileSync(at('in/.env'), '');
    symlinkSync(at('in/file'), at('link'));
    const remove = (path: string): WantedOperation => ({ verb: 'delete', path: at(path) });
    await stage.approvedBelow({ operations: ['write', 'delete'], pathPrefix: at('in') }, remove('in/old'));
    expect(await kindOf(remove('in/file'))).toBe('permitted');
    for (const path of ['in', 'in/sub', 'in/.env', 'link'])
      expect([path, await kindOf(remove(path))]).toEqual([path, 'pending']);
    expect(await kindOf(remove('in/file'), write(at('in/.config')))).toBe('pending');
  });
});

describe('a requester', () => {
  it('cannot set a scope when it asks', async () => {
    const request = stage.describe(write(at('a')));
    for (const more of [{ scope: below('/') }, { proposedScope: below('/') }, { term: { kind: 'always' } }]) {
      const body = { request, nonce: nonce(), ...more };
      expect((await stage.server.call('POST', '/v1/requests', stage.agent.headers, body)).status).toBe(400);
    }
    const hidden = { request: { ...request, scope: below('/') }, nonce: nonce() };
    expect((await stage.server.call('POST', '/v1/requests', stage.agent.headers, hidden)).status).toBe(400);
    const term = { kind: 'timed', untilMs: 2e12, scope: below('/') };
    const proposed = { request, nonce: nonce(), proposedTerm: term };
    expect((await stage.server.call('POST', '/v1/requests', stage.agent.headers, proposed)).status).toBe(400);
    expect((await stage.pending(write(at('a')))).scope).toBeNull();
  });

  it('cannot widen a given scope by any call that it may make', async () => {
    const grant = await stage.approvedBelow(below(at('in')), write(at('in/a')));
    const wide = { version: grant.version, term: { kind: 'always' }, scope: below(stage.project) };
    expect((await stage.server.decide(stage.agent.headers, grant.id, 'approve', wide)).status).toBe(403);
    const redeem = { fingerprint: grant.fingerprint, nonce: nonce(), scope: below(stage.project) };
    const path = `/v1/grants/${grant.id}`;
    expect((await stage.server.call('POST', `${path}/redeem`, stage.agent.headers, redeem)).status).toBe(400);
    await stage.server.call('POST', `${path}/withdraw`, stage.agent.headers, { scope: below(stage.project) });
    expect(await stage.stored(grant.id)).toMatchObject({ scope: below(at('in')), version: grant.version });
  });

  it('gets no wider scope by a second decision, which the server refuses', async () => {
    const grant = await stage.approvedBelow(below(at('in')), write(at('in/a')));
    const answer = await stage.approve(grant, { kind: 'always' }, below(stage.project));
    expect([answer.status, answer.body.error.code]).toEqual([409, 'grant.already_approved']);
  });

  it('cannot pass a path off as another one: the bound path decides', async () => {
    await stage.approvedBelow(below(at('in')), write(at('in/a')));
    const request = stage.describe(write(stage.in('home/x')));
    const [file] = request.files ?? [];
    if (file === undefined) throw new Error('no file');
    for (const path of [`${at('in')}/../../home/x`, `${at('in')}//x`, `${at('in')}/./x`, `${at('in')}/x/`]) {
      const body = { request: { ...request, files: [{ ...file, path }] }, nonce: nonce() };
      expect((await stage.server.call('POST', '/v1/requests', stage.agent.headers, body)).status).toBe(400);
    }
    const lying = { request: { ...request, files: [{ ...file, askedPath: at('in/x') }] }, nonce: nonce() };
    expect((await stage.server.call('POST', '/v1/requests', stage.agent.headers, lying)).status).toBe(202);
  });
});

describe('a sensitive path', () => {
  it('is never reached by a prefix above it: our own keys, a harness’s settings, git hooks, a shell’s start-up', async () => {
    const wide = await stage.approvedBelow(below(stage.directory), write(at('harmless')));
    expect(await kindOf(write(at('harmless too')))).toBe('permitted');
    symlinkSync(stage.in('apes'), at('innocent'));
    for (const path of [
      stage.in('apes/keys/requester.key'),
      stage.in('apes/config.toml'),
      at('innocent/state/x'),
      at('.claude/settings.json'),
      at('.claude/settings.local.json'),
      at('.codex/config.toml'),
      at('.gemini/settings.json'),
      at('.qwen/settings.json'),
      at('opencode.json'),
      at('.git/hooks/pre-commit'),
      at('.git/config'),
      at('.GIT/config'),
      stage.in('home/.bashrc'),
      stage.in('home/.ssh/authorized_keys'),
    ])
      expect([path, await kindOf(write(path))]).toEqual([path, 'pending']);
    expect(await kindOf(write(at('x')), write(at('.git/config')))).toBe('pending');
    await stage.server.decide(stage.owner, wide.id, 'revoke', { version: 1 });
  });

  it('is the place of a link, whatever the name of the file to which it leads', async () => {
    mkdirSync(at('dotfiles/claude'), { recursive: true });
    mkdirSync(stage.in('home/linked'), { recursive: true });
    const wide = await stage.approvedBelow(below(stage.directory), write(at('harmless')));
    symlinkSync(at('dotfiles/claude'), stage.in('home/linked/.claude'));
    symlinkSync(at('dotfiles/bashrc'), stage.in('home/linked/.bashrc'));
    for (const name of ['.claude/settings.json', '.bashrc'])
      expect([name, await kindOf(write(stage.in('home/linked', name)))]).toEqual([name, 'pending']);
    await stage.server.decide(stage.owner, wide.id, 'revoke', { version: wide.version });
  });

  it('can be approved exactly, and then that exact request is covered', async () => {
    const wanted = write(at('.claude/settings.json'), '{}');
    await stage.approve(await stage.pending(wanted), { kind: 'always' });
    expect(await kindOf(wanted)).toBe('permitted');
    expect(await kindOf(write(at('.claude/settings.json'), '{"disableAllHooks":true}'))).toBe('pending');
  });

  it('includes every directory of the installation, wherever it is set up and whatever link leads there', () => {
    const real = stage.in('home/real');
    mkdirSync(real, { recursive: true });
    symlinkSync(real, stage.in('home/alias'));
    const apes = stage.in('home/alias');
    const paths = {
      home: stage.in('home'),
      apesHome: apes,
      configFile: `${apes}/config.toml`,
      state: `${apes}/state`,
      keys: `${apes}/keys`,
      data: `${apes}/data`,
      run: `${apes}/run`,
    };
    const places = placesOf({ paths, dist: stage.in('dist') } as Parameters<typeof placesOf>[0]);
    for (const path of [
      `${real}/config.toml`,
      `${apes}/keys/a`,
      `${real}/run/gate.sock`,
      `${real.toUpperCase()}/x`,
      stage.in('dist/bin/apes'),
    ]) {
      const described = describeFileRequest(stage.call([write(path)]), places);
      expect([path, described.ok && described.value.files?.[0]?.danger]).toEqual([path, 'own-installation']);
    }
  });
});

describe('a server that permits by a path prefix', () => {
  const OURS = { 'content-type': 'application/json', 'ape-api': '1' };
  let lying: Server;
  let url = '';
  beforeAll(async () => {
    const key = loadOrCreateServerKey(join(stage.server.directory, 'keys'));
    if (!key.ok) throw new Error(key.failure.message);
    lying = createServer((request, reply) => {
      void (async () => {
        const body = await bodyOf(request);
        if (request.url !== '/v1/requests') {
          const answer = await fetch(stage.server.url + request.url, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body,
          });
          reply.writeHead(answer.status, OURS).end(await answer.text());
          return;
        }
        const asked = JSON.parse(body) as AskBody;
        const use = {
          grantId: 'g_x',
          requesterId: stage.agent.id,
          fingerprint: fingerprintOf(asked.request),
          term: { kind: 'always' as const },
          scope: below(stage.directory),
          coveredBy: null,
          confinement: null,
          seals: null,
        };
        const permit = signPermit(signedBy(key.value), use, {
          nonce: asked.nonce,
          hostFactsDigest: null,
          approversSequence: null,
          nowMs: Date.now(),
        });
        reply.writeHead(200, OURS).end(JSON.stringify({ outcome: 'permitted', permit }));
      })();
    });
    await new Promise<void>((resolve) => lying.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(lying.address() as AddressInfo).port}`;
  });
  afterAll(() => new Promise((resolve) => lying.close(resolve)));

  it('is believed for paths below the prefix, but not for sensitive paths of this host or paths outside', async () => {
    const { gate } = stage.parts;
    const client = { ...gate.client, server: { ...gate.client.server, url }, stateDirectory: stage.in('home') };
    const parts = { ...stage.parts, gate: { ...gate, client } };
    const kind = async (path: string) =>
      (await authorizeFileOperation(parts, stage.call([write(path)]), { waitOptions: null })).kind;
    expect(await kind(at('a'))).toBe('permitted');
    for (const path of [stage.in('apes/keys/x'), at('.git/config'), '/srv/x'])
      expect([path, await kind(path)]).toEqual([path, 'refused']);
  });
});

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

describe('many requests at the same moment, on two servers', () => {
  it('all use one prefix; each use is counted, and each permit is for its own request', async () => {
    const second = await TestServer.start({ directory: stage.server.directory });
    const grant = await stage.approvedBelow(below(at('in')), write(at('in/first')));
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const request = stage.describe(write(at(`in/${index}`)));
        const server = index % 2 === 0 ? stage.server : second;
        const body = { request, nonce: nonce() };
        const answer = await server.call<{ permit?: string }>('POST', '/v1/requests', stage.agent.headers, body);
        const payload = JSON.parse(
          Buffer.from((answer.body.permit ?? '').split('.')[1] ?? '', 'base64url').toString() || '{}',
        ) as Record<string, unknown>;
        return [
          answer.status,
          payload['fingerprint'] === fingerprintOf(request),
          payload['nonce'] === body.nonce,
          payload['grantId'] === grant.id,
          isInFileScope(payload['scope'] as FileScope, request),
        ];
      }),
    );
    await second.stop();
    expect(answers).toEqual(Array.from({ length: 20 }, () => [200, true, true, true, true]));
    const stored = await stage.stored(grant.id);
    expect([stored.uses, stored.version]).toEqual([20, grant.version + 20]);
  });

  it('use an exact once grant only once', async () => {
    const wanted = write(at('once'));
    const grant = await stage.pending(wanted);
    await stage.approve(grant, { kind: 'once' });
    const kinds = await Promise.all(Array.from({ length: 20 }, () => kindOf(wanted)));
    expect(kinds.filter((kind) => kind === 'permitted')).toHaveLength(1);
    expect((await stage.stored(grant.id)).uses).toBe(1);
  });

  it('are refused at once after the grant is revoked', async () => {
    const grant = await stage.approvedBelow(below(at('in')), write(at('in/first')));
    const uses = Promise.all(Array.from({ length: 20 }, (_, index) => kindOf(write(at(`in/${index}`)))));
    const revoked = await stage.server.decide(stage.owner, grant.id, 'revoke', { version: 1 });
    expect(revoked.status).toBe(200);
    const { uses: atRevocation } = revoked.body;
    const kinds = await uses;
    expect(kinds.filter((kind) => kind === 'permitted')).toHaveLength(atRevocation);
    expect(await kindOf(write(at('in/late')))).toBe('pending');
  });
});
