/** A request that binds only a digest of PATH still finds its script by the caller's PATH, which has this digest. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { issuePermit } from '../../src/core/grant/authorization.ts';
import { boundEntry } from '../../src/platform/surroundings.ts';
import { planExecution } from '../../src/run/execute.ts';
import { DIST } from '../fixtures/programs.ts';
import { requestFor } from './server-fixture.ts';

const directory = realpathSync(mkdtempSync(join(tmpdir(), 'ape-digest-')));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test('the script is found and compared', () => {
  const programs = join(directory, 'programs');
  mkdirSync(programs);
  writeFileSync(join(programs, 'script'), 'echo one\n', { mode: 0o755 });
  const path = Buffer.from(`${programs}:/usr/bin:/bin:/x://user:word@host`);
  const entry = boundEntry('PATH', path);
  expect(entry.digest).toBe(true);
  const request = requestFor('echo one\n', { kind: 'script', argv: ['script'], cwd: directory, environment: [entry] });
  const place = {
    bash: '/bin/bash',
    argvZero: 'bash',
    environment: new Map([['PATH', path]]),
    dist: DIST,
    isLater: true,
  };
  const planned = () => planExecution(issuePermit(request, 'g_1', 'once'), place);
  expect(planned()).toMatchObject({ ok: true });
  writeFileSync(join(programs, 'script'), 'echo two\n');
  expect(planned()).toMatchObject({ ok: false, failure: { code: 'refused' } });
});
