/** Real MCP servers behind `apes mcp-proxy`: which calls wait, and which calls an approval covers. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GatedStage } from '../security/gated-stage.ts';
import { grantIn, ProxiedClient, packagedServer } from './mcp-behind-proxy.ts';

const stage = new GatedStage();
let files: ProxiedClient;
let work = '';

beforeAll(async () => {
  await stage.open();
  work = join(stage.scratch, 'work');
  mkdirSync(join(work, 'docs'));
  writeFileSync(join(work, 'docs/a.txt'), 'first\n');
  writeFileSync(join(work, 'docs/b.txt'), 'second\n');
  writeFileSync(join(work, 'c.txt'), 'third\n');
  symlinkSync(join(work, 'c.txt'), join(work, 'docs/link.txt'));
  files = await ProxiedClient.connect(stage, ['node', packagedServer('filesystem'), work]);
});
afterAll(async () => {
  await files.close();
  stage.close();
});

const approve = async (text: string, more = '') => {
  const done = await stage.run(`apes grants approve ${grantIn(text)} ${more}`);
  expect(done.err + done.out).toContain('approved');
};

describe('a call of a real file system server', () => {
  it('is answered with our pending text, and reaches the server once after an approval for once', async () => {
    await files.client.listTools();
    const path = join(work, 'new.txt');
    const asked = await files.call('write_file', { path, content: 'hello\n' });
    expect(asked.isError).toBe(true);
    expect(asked.text).toContain('NOT RUN YET. A human has to approve this tool call first');
    expect(asked.text).toMatch(/next: {5}.*grants run g_[a-z2-7]{26} --wait/);
    expect(() => readFileSync(path)).toThrow();
    await approve(asked.text);
    const waited = await stage.run(`apes grants run ${grantIn(asked.text)} --wait`);
    expect(waited.out).toContain('call the same tool again with exactly the same input');
    expect((await files.call('write_file', { content: 'hello\n', path })).isError).toBe(false);
    expect(readFileSync(path, 'utf8')).toBe('hello\n');
    expect((await files.call('write_file', { path, content: 'hello\n' })).text).toContain('NOT RUN YET');
  });

  it('is denied with the reason', async () => {
    const asked = await files.call('move_file', { source: join(work, 'c.txt'), destination: join(work, 'd.txt') });
    await stage.run(`apes grants deny ${grantIn(asked.text)} --reason 'leave it there'`);
    const again = await files.call('move_file', { source: join(work, 'c.txt'), destination: join(work, 'd.txt') });
    expect(again.text).toContain('NOT RUN');
    expect(readFileSync(join(work, 'c.txt'), 'utf8')).toBe('third\n');
  });

  it('shows server, tool, arguments and what it does', async () => {
    const asked = await files.call('read_text_file', { path: join(work, 'docs/a.txt') });
    const shown = await stage.run(`apes grants show ${grantIn(asked.text)}`);
    expect(shown.out).toContain('server:                @modelcontextprotocol/server-filesystem');
    expect(shown.out).toContain('tool:                  read_text_file');
    expect(shown.out).toContain(`"path": "${join(work, 'docs/a.txt')}"`);
    expect(shown.out).toMatch(/its file: .*server-filesystem\/dist\/index\.js\n {2}SHA-256: +[0-9a-f]{64}/);
    expect(shown.out).toContain('Reads a text file.');
  });

  it('is covered by an approval for all files below a directory, except for a link that leads out of it', async () => {
    const asked = await files.call('read_text_file', { path: join(work, 'docs/a.txt') });
    const offered = await stage.run(`apes grants proposals ${grantIn(asked.text)}`);
    expect(offered.out).toContain(`the tool read_text_file below ${work}/docs`);
    await approve(asked.text, '--as tool-1 --term always');
    expect((await files.call('read_text_file', { path: join(work, 'docs/a.txt') })).text).toContain('first');
    expect((await files.call('read_text_file', { path: join(work, 'docs/b.txt'), head: 1 })).text).toContain('second');
    expect((await files.call('read_text_file', { path: join(work, 'docs/link.txt') })).text).toContain('NOT RUN YET');
    expect((await files.call('read_text_file', { path: join(work, 'c.txt') })).text).toContain('NOT RUN YET');
    expect((await files.call('read_text_file', { path: 'docs/a.txt' })).text).toContain('NOT RUN YET');
    expect((await files.call('write_file', { path: join(work, 'docs/a.txt'), content: '' })).text).toContain(
      'NOT RUN YET',
    );
    expect((await files.call('list_directory', { path: join(work, 'docs') })).text).toContain('NOT RUN YET');
  });

  it('is covered by an approval for all reading tools, until the approval is revoked', async () => {
    const asked = await files.call('list_directory', { path: join(work, 'docs') });
    const offered = await stage.run(`apes grants proposals ${grantIn(asked.text)}`);
    const id = /^(reading-\d+) +the reading tools .* below \S+\/docs$/m.exec(offered.out)?.[1];
    await approve(asked.text, `--as ${id} --term always`);
    expect((await files.call('search_files', { path: join(work, 'docs'), pattern: '*.txt' })).text).toContain('a.txt');
    expect((await files.call('directory_tree', { path: join(work, 'docs') })).text).toContain('a.txt');
    expect((await stage.run(`apes grants revoke ${grantIn(asked.text)}`)).status).toBe(0);
    expect((await files.call('directory_tree', { path: join(work, 'docs') })).text).toContain('NOT RUN YET');
  });
});

describe('a call that waits in place', () => {
  it('reports that it waits, and is answered by the server when it is approved', async () => {
    const patient = await ProxiedClient.connect(stage, ['node', packagedServer('everything')], ['--wait']);
    const answer = patient.call('echo', { message: 'ping' });
    for (;;) {
      const inbox = await stage.run('apes grants inbox');
      const id = /g_[a-z2-7]{26}(?=.*echo of the MCP server)/.exec(inbox.out)?.[0];
      if (id === undefined) continue;
      await stage.run(`apes grants approve ${id}`);
      break;
    }
    expect(await answer).toEqual({ text: 'Echo: ping', isError: false });
    expect(patient.progress.join(' ')).toContain('waiting for a decision on grant');
    await patient.close();
  });

  it('is pending if no approver decides in time', async () => {
    const short = await ProxiedClient.connect(stage, ['node', packagedServer('everything')], ['--timeout', '1s']);
    const answer = await short.call('echo', { message: 'late' });
    expect(answer.text).toContain('Not decided within 1 s');
    expect(answer.text).toContain('NOT RUN YET');
    await short.close();
  });
});
