/** What `apes hooks check opencode` and `kilo` find in a project. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeDirectory } from '../../scripts/remove-directory.mjs';
import type { HookPlaces, Scope } from '../../src/harness/hook-file.ts';
import { KILO, OPENCODE } from '../../src/harness/opencode/family.ts';
import { planFamily } from '../../src/harness/opencode/installation.ts';
import { findingsOf } from './hook-findings.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'ape-opencode-'));
  mkdirSync(join(home, 'project/inner'), { recursive: true });
});
afterEach(() => removeDirectory(home));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), text);
}

describe.each([OPENCODE, KILO])('$name', (family) => {
  const [folder = ''] = family.projectFolders;
  const [name = ''] = family.settings;
  const find = (scope: Scope = 'user', variables: Record<string, string> = {}): Promise<readonly string[]> =>
    findingsOf(family.name, places(scope, variables));
  const places = (scope: Scope, variables: Record<string, string> = {}): HookPlaces => ({
    scope,
    home,
    project: join(home, 'project/inner'),
    dist: '/opt/ape-shell/dist',
    shims: home,
    environment: new Map(Object.entries(variables).map(([key, value]) => [key, Buffer.from(value)])),
  });

  it.each([
    [`project/${name}.json`, '{"formatter": {"x": {"command": ["evil"]}}}', 'does not know: formatter;'],
    [`project/inner/${name}.jsonc`, '{"lsp": true, /* why */}', 'does not know: lsp;'],
    [`project/${folder}/${name}.json`, '{"mcp": {"x": {"type": "local", "command": ["evil"]}}}', 'does not know: mcp;'],
  ])('%s with %j is open, and --managed closes it', async (path, text, what) => {
    write(path, text);
    expect(await find()).toEqual([expect.stringContaining(what)]);
    expect(await find('managed')).toEqual([]);
  });

  it.each([
    [`project/${name}.json`, '{"plugin": ["./x.js"]}', 'does not know: plugin;'],
    [`project/inner/${folder}/${name}.json`, '{"plugins": ["./x.js"]}', 'does not know: plugins;'],
    [`project/inner/${folder}/plugin/x.js`, '', 'it is code that runs inside of'],
    [`project/${folder}/tools/x.ts`, '', 'it is code that runs inside of'],
  ])('%s with %j is open, with or without --managed', async (path, text, what) => {
    write(path, text);
    expect(await find()).toEqual([expect.stringContaining(what)]);
    expect(await find('managed')).toEqual(await find());
  });

  it("the user's own settings, and settings that turn nothing on, are not reported", async () => {
    write(`${folder}/plugin/own.js`, '');
    write(`project/${name}.json`, '{"formatter": false, "lsp": {}, "mcp": {}, "plugin": [], "shell": "/bin/bash"}');
    write(`project/inner/${folder}/plugin/notes.md`, '');
    expect(await find()).toEqual([]);
  });

  it('a variable that leaves our plugin out is reported', async () => {
    expect(await find('user', { [`${family.prefix}_PURE`]: '1' })).toEqual([
      expect.stringContaining('leaves the plugin out'),
    ]);
  });

  it('the settings of the machine name the plugin, and uninstalling restores the earlier settings', () => {
    const [file] = planFamily(family, places('managed')).files;
    const original = '{\n  "formatter": {"x": {"command": ["own"]}},\n  "plugin": ["own"]\n}\n';
    const now = file?.apply(original);
    if (file === undefined || now?.ok !== true) throw new Error('it cannot be applied');
    expect(file.path).toBe(`${family.machine}/${name}.json`);
    expect(JSON.parse(now.value)).toMatchObject({
      shell: '/opt/ape-shell/dist/bin/ape-shell',
      formatter: false,
      lsp: false,
      plugin: ['own', `file://${family.machine}/plugin/ape-shell.js`],
    });
    expect(file.apply(now.value)).toEqual(now);
    const back = file.strip(now.value, original);
    expect(back.ok && JSON.parse(back.value)).toEqual(JSON.parse(original));
  });
});
