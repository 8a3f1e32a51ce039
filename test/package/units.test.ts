/** systemd itself reads the units of docs/examples, and prints no warning about an unknown name or a bad value. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { removeDirectory } from '../../scripts/remove-directory.mjs';

const EXAMPLES = fileURLToPath(new URL('../../docs/examples', import.meta.url));
const UNITS = readdirSync(EXAMPLES).filter((name) => name.endsWith('.service'));

/** Returns the complaints of systemd about the unit, whose program is replaced by one that exists here. */
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
  it.each(UNITS)('%s gives no complaint', (name) => {
    expect(complaints(name)).toBe('');
  });

  it('a misspelt name would give a complaint', () => {
    const name = 'ape-shell-server.service';
    expect(complaints(name, (text) => text.replace('ProtectHome=', 'ProtectHom='))).toContain('ProtectHom');
  });

  it('the server has no access to the directory in which root keeps the earlier login shells', () => {
    const text = readFileSync(join(EXAMPLES, 'ape-shell-server.service'), 'utf8');
    expect(text).toContain('StateDirectory=ape-shell-server\n');
    expect(text).toContain('APES_HOME=/var/lib/ape-shell-server\n');
  });
});
