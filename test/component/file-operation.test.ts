/** File tools at the gate: from the input of a tool to a permit, with a real server and real files. */
import { createHash } from 'node:crypto';
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isInFileScope } from '../../src/core/files/file-scope.ts';
import type { WantedOperation } from '../../src/gate/file-operation.ts';
import { FileStage } from './file-stage.ts';

let stage: FileStage;
beforeAll(async () => {
  stage = await FileStage.open();
});
afterAll(() => stage.close());

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const write = (path: string, content = 'new\n'): WantedOperation => ({ verb: 'write', path, content });

describe('a file operation', () => {
  it('needs a grant for exactly this operation, is done once after one approval, and then needs a new grant', async () => {
    const wanted = write('once.txt');
    const first = await stage.pending(wanted);
    expect(first.request).toMatchObject({ kind: 'file', cwd: stage.project, argv: [], environment: [] });
    expect(first.request.files).toEqual([
      {
        verb: 'write',
        path: stage.in('project/once.txt'),
        askedPath: 'once.txt',
        digest: sha256('new\n'),
        resultDigest: null,
        bytes: 4,
        danger: null,
      },
    ]);
    expect((await stage.pending(wanted)).id).toBe(first.id);
    await stage.approve(first, { kind: 'once' });
    const permitted = await stage.authorize([wanted]);
    expect(permitted).toMatchObject({ kind: 'permitted', permit: { grantId: first.id, because: 'once' } });
    expect((await stage.pending(wanted)).id).not.toBe(first.id);
  });

  it('is another request if its content, its path or its kind differs at all', async () => {
    const base = await stage.pending(write('same.txt', 'a'));
    const others: WantedOperation[] = [
      write('same.txt', 'b'),
      write('same.txt', 'a\n'),
      write('Same.txt', 'a'),
      { verb: 'delete', path: 'same.txt' },
      { verb: 'edit', path: 'same.txt', input: 'a' },
    ];
    for (const other of others) expect((await stage.pending(other)).fingerprint).not.toBe(base.fingerprint);
  });

  it('shows an edit as a diff and binds the exact tool input and the result', async () => {
    writeFileSync(stage.in('project/edit.txt'), 'one\ntwo\nthree\n');
    const input = JSON.stringify({ old_string: 'two', new_string: 'TWO' });
    const replacements = [{ oldText: 'two', newText: 'TWO', isEverywhere: false }];
    const grant = await stage.pending({ verb: 'edit', path: 'edit.txt', input, replacements });
    expect(grant.request.files?.[0]).toMatchObject({
      digest: sha256(input),
      resultDigest: sha256('one\nTWO\nthree\n'),
      bytes: 14,
    });
    expect(grant.request.text).toBe(
      `edit ${stage.in('project/edit.txt')} (14 bytes, then 14 bytes)\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n`,
    );
  });

  it('shows the input of the tool if the result cannot be known', async () => {
    writeFileSync(stage.in('project/twice.txt'), 'x\nx\n');
    const replacements = [{ oldText: 'x', newText: 'y', isEverywhere: false }];
    const grant = await stage.pending({ verb: 'edit', path: 'twice.txt', input: '{"x":"y"}', replacements });
    expect(grant.request.files?.[0]).toMatchObject({ resultDigest: null, digest: sha256('{"x":"y"}'), bytes: 9 });
    expect(grant.request.text).toContain('> {"x":"y"}\n');
  });

  it('lists every operation of a patch in one request', async () => {
    writeFileSync(stage.in('project/old.txt'), 'old\n');
    const grant = await stage.pending(
      write('a.txt', 'A\n'),
      { verb: 'delete', path: 'old.txt' },
      write('b.txt', 'B\n'),
    );
    expect(grant.request.files?.map(({ verb }) => verb)).toEqual(['write', 'delete', 'write']);
    expect(grant.request.text.split('\n').slice(0, 3)).toEqual([
      `write ${stage.in('project/a.txt')} (new file, writes 2 bytes)`,
      `delete ${stage.in('project/old.txt')} (4 bytes)`,
      `write ${stage.in('project/b.txt')} (new file, writes 2 bytes)`,
    ]);
  });

  it('cuts only the displayed text: the digest is that of the whole content', async () => {
    const content = `${'x'.repeat(99)}\n`.repeat(10_000);
    const grant = await stage.pending(write('large.txt', content));
    expect(grant.request.files?.[0]).toMatchObject({ bytes: 1_000_000, digest: sha256(content) });
    const left = /… (\d+) more bytes\n$/.exec(grant.request.text)?.[1];
    const shown = grant.request.text.split('\n').filter((line) => line.startsWith('+')).length;
    expect(Number(left)).toBe((10_000 - shown) * 101);
    expect((await stage.pending(write('large.txt', `${content.slice(0, -2)}y\n`))).fingerprint).not.toBe(
      grant.fingerprint,
    );
  });

  it('says which content cannot be shown, and still binds it', async () => {
    const grant = await stage.pending({ verb: 'write', path: 'x.bin', content: Uint8Array.of(0xff, 0xfe) });
    expect(grant.request.text).toContain('not text');
    expect((await stage.pending(write('nul.txt', 'a\0b'))).request.text).toContain('not text');
  });

  it('is refused with one line if its path leads to two places, and the refusal is recorded', async () => {
    mkdirSync(stage.in('project/deep/er'), { recursive: true });
    symlinkSync(stage.in('project/deep/er'), stage.in('project/jump'));
    const outcome = await stage.authorize([write('jump/../x.txt')]);
    expect(outcome).toMatchObject({ kind: 'refused', failure: { code: 'unreadable' } });
    expect(stage.journal().at(-1)).toMatchObject({ event: 'refused', kind: 'file' });
  });
});

describe('a read operation', () => {
  it('inside the project needs no grant, and is recorded', async () => {
    writeFileSync(stage.in('project/code.ts'), 'code');
    for (const wanted of [
      { verb: 'read', path: 'code.ts' },
      { verb: 'search', path: '.' },
    ] as const)
      expect(await stage.authorize([wanted])).toMatchObject({ kind: 'permitted', permit: { grantId: null } });
    expect(stage.journal().at(-1)).toMatchObject({ event: 'permitted', grantId: null, because: 'exempt' });
  });

  it('outside the project, through a link out of it, or together with a write needs a grant', async () => {
    writeFileSync(stage.in('outside.txt'), 'secret');
    symlinkSync(stage.in('outside.txt'), stage.in('project/inside.txt'));
    for (const path of ['../outside.txt', stage.in('outside.txt'), 'inside.txt'])
      expect((await stage.pending({ verb: 'read', path })).request.files?.[0]?.path).toBe(stage.in('outside.txt'));
    await stage.pending({ verb: 'read', path: 'code.ts' }, write('w.txt'));
  });

  it('of keys and credentials needs a grant wherever they are', async () => {
    mkdirSync(stage.in('project/.ssh'));
    writeFileSync(stage.in('project/.ssh/id_ed25519'), 'key');
    await stage.pending({ verb: 'read', path: '.ssh/id_ed25519' });
    const own = await stage.pending({ verb: 'read', path: stage.in('apes/audit') });
    expect(own.request.files?.[0]?.danger).toBe('own-installation');
  });

  it('of a file with a secret-like name needs a grant, as `cat` of that file does; a name that only resembles a secret-like name does not', async () => {
    for (const name of ['.env', '.env.local', 'server.key', 'credentials.json']) {
      writeFileSync(stage.in('project', name), 'secret');
      await stage.pending({ verb: 'read', path: name });
      await stage.pending({ verb: 'search', path: name });
    }
    for (const name of ['.env.example', 'environment.ts', 'keys.ts']) {
      writeFileSync(stage.in('project', name), 'x');
      expect((await stage.authorize([{ verb: 'read', path: name }])).kind).toBe('permitted');
    }
  });

  it('of a whole directory tree with keys below it needs a grant', async () => {
    const wide = { ...stage.parts, readRoots: [stage.directory] };
    const call = { operations: [{ verb: 'search', path: stage.directory } as const], cwd: '/', project: '/' };
    const { authorizeFileOperation } = await import('../../src/gate/file-operation.ts');
    const outcome = await authorizeFileOperation(wide, call, { waitOptions: null });
    expect(outcome).toMatchObject({
      kind: 'pending',
      grant: { request: { files: [{ danger: 'has-secrets-below' }] } },
    });
  });

  it('of a directory tree with a place of keys that cannot be examined needs a grant', async () => {
    const { hostDanger } = await import('../../src/gate/file-request.ts');
    const home = stage.in('other-home');
    mkdirSync(home);
    const at = { path: home, aliases: [], isLink: false, kind: 'directory', links: 1, bytes: 0 } as const;
    const places = { home, own: [] };
    expect(hostDanger('search', at, places)).toBeNull();
    symlinkSync('.config', `${home}/.config`);
    expect(hostDanger('search', at, places)).toBe('has-secrets-below');
  });

  it('needs a grant if no root is set; the root directory `/` is not accepted as a root', async () => {
    const { authorizeFileOperation } = await import('../../src/gate/file-operation.ts');
    const call = stage.call([{ verb: 'read', path: 'code.ts' }]);
    for (const readRoots of [[], ['/']]) {
      const outcome = await authorizeFileOperation({ ...stage.parts, readRoots }, call, { waitOptions: null });
      expect(outcome.kind).toBe('pending');
    }
  });
});

describe('a file with a second name', () => {
  it('is marked in the request, because a write to it changes the file under both names', async () => {
    writeFileSync(stage.in('home/other'), 'x');
    linkSync(stage.in('home/other'), stage.in('project/twin'));
    const grant = await stage.pending(write('twin'));
    expect(grant.request.files?.[0]?.danger).toBe('hard-linked');
  });
});

describe('an edit by a call with a member that is not known', () => {
  it('is marked in the request, so that no directory covers it', async () => {
    const grant = await stage.pending({ verb: 'edit', path: 'odd', input: '{"root":"/b"}', mayBeElsewhere: true });
    expect(grant.request.files?.[0]?.danger).toBe('other-place');
    const scope = { operations: ['edit' as const], pathPrefix: grant.request.cwd };
    expect(isInFileScope(scope, grant.request)).toBe(false);
  });
});
