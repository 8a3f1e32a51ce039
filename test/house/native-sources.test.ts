/** What the C compiler warns of, in every C file: one file each, with the conversions that the build lets pass. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';

const directory = fileURLToPath(new URL('../../bin/', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'ape-c-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** What the compiler says of a file; nothing when it is content. */
function warningsOf(file: string): string {
  const flags = [
    '-std=gnu11',
    '-O2',
    '-Wall',
    '-Wextra',
    '-Wconversion',
    '-Wsign-conversion',
    '-Werror',
    '-fsyntax-only',
  ];
  const defined = ['-DAPE_NODE="node"', '-DAPE_BUILD="build"', `-I${directory}`];
  const { status, stderr } = spawnSync(process.env.CC ?? 'cc', [...flags, ...defined, file], { encoding: 'utf8' });
  return status === 0 ? '' : `${status} ${stderr}`;
}

describe('the C sources', () => {
  const sources = readdirSync(directory).filter((name) => name.endsWith('.c'));

  it.each(sources)('%s compiles without a warning', (name) => {
    expect(warningsOf(join(directory, name))).toBe('');
  });

  it('would be seen with a conversion that loses bits', () => {
    const planted = join(scratch, 'planted.c');
    writeFileSync(
      planted,
      `${readFileSync(join(directory, 'peer-uid.c'), 'utf8')}\nchar lost(long from) { return from; }\n`,
    );
    expect(warningsOf(planted)).toContain('conversion');
  });
});
