/** A line that reaches the files of ape-shell itself, wherever APES_HOME is, can only be approved by its exact bytes, on the host and on the server. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'unbash';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { assessByHostFacts } from '../../src/core/effects/assess-request.ts';
import { lookUpRequest } from '../../src/gate/facts/look-up.ts';
import { ownPlaces } from '../../src/gate/facts/own-places.ts';
import { allRules } from '../core/rule-effects.ts';
import { requestFor } from './server-fixture.ts';

let project = '';
beforeAll(() => {
  project = realpathSync(mkdtempSync(join(tmpdir(), 'ape-own-')));
  for (const directory of ['real/apes/keys', 'dist/bin', 'src', 'notes/a'])
    mkdirSync(join(project, directory), { recursive: true });
  for (const file of ['real/apes/config.toml', 'dist/bin/apes', 'src/a', 'notes/f'])
    writeFileSync(join(project, file), 'x\n');
  symlinkSync('real', join(project, 'linked'));
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

/** Returns the codes of the reasons why the line is opaque, as the host and as a server with the host's answers find them. */
async function reasons(text: string): Promise<readonly [readonly string[], readonly string[], boolean]> {
  const apes = join(project, 'linked/apes');
  const [state, keys, data, run] = ['state', 'keys', 'data', 'run'].map((name) => join(apes, name)) as [
    string,
    string,
    string,
    string,
  ];
  const paths = { home: '/root', apesHome: apes, configFile: join(apes, 'config.toml'), state, keys, data, run };
  const environment = [
    { name: 'HOME', value: '/root' },
    { name: 'PATH', value: '/usr/bin:/bin' },
  ];
  const request = requestFor(text, { argv: ['-c', text], cwd: project, environment });
  const own = ownPlaces({ paths, dist: join(project, 'dist') });
  const found = await lookUpRequest(request, '/bin/bash', allRules, 0, undefined, own);
  const sent = JSON.parse(JSON.stringify(found?.hostFacts ?? null));
  const there = assessByHostFacts(request, sent, { rules: allRules, parse });
  const codes = (opaque: readonly { readonly code: string }[]) => opaque.map(({ code }) => code);
  return [codes(found?.assessment.opaque ?? []), codes(there.opaque), sent.own !== undefined];
}

describe('a line is for exact approvals if it', () => {
  test.each([
    ['removes the directory', 'rm -r real/apes'],
    ['removes it through a link', 'rm -r linked/apes'],
    ['removes the link that leads to it', 'rm linked'],
    ['removes a directory above it', 'rm -r real'],
    ['moves a directory above it away', 'mv real other'],
    ['puts a link in the place of a directory above it', 'ln -sfn /x linked'],
    ['removes an empty directory above it', 'rmdir real'],
    ['changes who may enter a directory above it', 'chmod 777 real'],
    ['copies into it', 'cp src/a real/apes/config.toml'],
    ['copies a tree over it', 'cp -r src .'],
    ['unpacks around it', 'tar -xf x.tar'],
    ['redirects into it', 'echo x > real/apes/config.toml'],
    ['appends to a file that does not exist yet', 'echo x >> linked/apes/rules.d/x.toml'],
    ['makes a hard link of a key', 'ln real/apes/keys/k notes/k'],
    ['reads a key', 'cat real/apes/keys/k'],
    ['searches around it', 'grep -r x .'],
    ['removes what a pattern matches', 'rm -r re*'],
    ['reaches it from another directory', 'cd real && cat apes/keys/k'],
    ['replaces a program', 'cp src/a dist/bin/apes'],
    ['removes the programs', 'rm -r dist'],
    ['writes the capital form of its name', 'rm -r real/APES'],
  ])('%s', async (_what, text) => {
    expect(await reasons(text)).toEqual([['touches-own-files'], ['touches-own-files'], true]);
  });
});

test.each([
  'rm -r notes/a',
  'cp src/a notes/b',
  'echo x > notes/f',
  'cat notes/f',
  'ls -la',
  'find notes -name x',
  'cat dist/bin/apes',
])('%s reaches none of these files', async (text) => {
  const [here, there] = await reasons(text);
  expect([here, there]).toEqual([[], []]);
});
