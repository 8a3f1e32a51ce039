/** The table of `apes grants list` and `inbox`, on terminals of several widths and in a pipe. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { grantTable } from '../../src/cli/grants/grant-text.ts';
import type { GrantView } from '../../src/core/wire/grant-view.ts';
import { TestServer } from './server-fixture.ts';

const LONG = `echo ${'long '.repeat(60)}`;
let server: TestServer;
let grants: GrantView[];
beforeAll(async () => {
  server = await TestServer.start();
  const agent = await server.requester();
  grants = [await server.pending(agent, 'echo short'), await server.pending(agent, LONG)];
});
afterAll(() => server.stop());

const linesAt = (columns: number | null): readonly string[] =>
  grantTable(grants, Date.now(), columns).trimEnd().split('\n');

it.each([60, 80, 200])(
  'the table has a header, and no line is wider than %d columns, even if a command has 40',
  (columns) => {
    const [header = '', ...lines] = linesAt(columns);
    expect(header).toMatch(/^ID +STATE +ASKED +COMMAND$/);
    const [short = '', long = ''] = lines;
    expect(short).toMatch(/ echo short$/);
    expect(long).toMatch(/…$/);
    expect(long).toHaveLength(Math.max(columns, header.indexOf('COMMAND') + 40));
  },
);

it('the table is whole and has no header if the output is no terminal', () => {
  const lines = linesAt(null);
  expect(lines).toHaveLength(2);
  expect(lines[1]).toContain(LONG.trimEnd());
});
