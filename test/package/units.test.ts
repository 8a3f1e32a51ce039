/** systemd itself reads the units of docs/examples, and prints no line about an unknown name or a bad value. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { removeDirectory } from '../../scripts/remove-directory.mjs';

const EXAMPLES = fileURLToPath(new URL('../../docs/examples', import.meta.url));
const UNITS = readdirSync(EXAMPLES).filter((name) => name.endsWith('.service'));

/** Checks the unit with a program that exists here, in place of that of the installation. */
function complaints(name: string, change: (text: string) => string = (text) => text): string {
  const directory = mkdtempSync(join(tmpdir(), 'ape-units-'));
  try {
    const text = readFileSync(join(EXAMPLES, name), 'utf8').replace('/usr/bin/apes serve', '/bin/true');
    const file = join(directory, name);
    writeFileSync(file, change(text));
    const { stdout, stderr, error } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' });
    if (error) throw error;
    return `${stdout}${stderr}`
      .split('\n')
      .filter((line) => line.includes(name))
      .join('\n');
  } finally {
    removeDirectory(directory);
  }
}

describe('the units of systemd', () => {
  it.each(UNITS)('%s is understood', (name) => {
    expect(complaints(name)).toBe('');
  });

  it('a misspelt name would be seen', () => {
    const name = 'ape-shell-server.service';
    expect(complaints(name, (text) => text.replace('ProtectHome=', 'ProtectHom='))).toContain('ProtectHom');
  });

  it('the server keeps out of the directory in which root keeps the login shells from before', () => {
    const text = readFileSync(join(EXAMPLES, 'ape-shell-server.service'), 'utf8');
    expect(text).toContain('StateDirectory=ape-shell-server\n');
    expect(text).toContain('APES_HOME=/var/lib/ape-shell-server\n');
  });
});
