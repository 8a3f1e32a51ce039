/** Which skills and agents of the user `apes hooks check claude-code` reports for hooks in their heads. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { removeDirectory } from '../../scripts/remove-directory.mjs';
import { findOpenings } from '../../src/harness/claude-code/openings.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'ape-claude-'));
});
afterEach(() => removeDirectory(home));

function found(text: string): readonly string[] {
  const skill = join(home, '.claude/skills/x');
  mkdirSync(skill, { recursive: true });
  writeFileSync(join(skill, 'SKILL.md'), text);
  return findOpenings({
    scope: 'user',
    home,
    project: home,
    dist: '/opt/ape-shell/dist',
    shims: join(home, 'shims'),
    environment: new Map(),
  });
}

it.each([
  '---\nname: x\nhooks:\n  PreToolUse: []\n---\n',
  '---\r\nname: x\r\nhooks:\r\n---\r\n',
  '---\n"hooks":\n---\n',
  "---\n'hooks' :\n---\n",
  '---\nhooks : {}\n---\n',
  '\ufeff---\nhooks:\n---\n',
  '--- \nhooks:\n---\n',
  '---\n{name: x, hooks: {}}\n---\n',
  '---\n? hooks\n: {}\n---\n',
  '---\n"\\x68ooks": {}\n---\n',
  '---\n!!str "h\\x6foks": {}\n---\n',
  '---\n&a "h\\x6foks": {}\n---\n',
  '---\nname: &a x\n!!str hooks: {}\n---\n',
  '---\nname: x\n<<: {hooks: {}}\n---\n',
  '---\n  name: x\n  "h\\x6foks": {}\n---\n',
  '---\nname: x\rhooks: {}\n---\n',
  '---\nname: x\nhooks:\n',
])('the head %j has hooks', (text) => {
  expect(found(text)).toEqual([expect.stringContaining('has hooks of its own')]);
});

it.each([
  '---\nname: x\ndescription: about hooks\n---\nhooks:\n',
  'hooks:\n',
  '# x\n---\nhooks:\n---\n',
  '---\nname: x\ndescription: >-\n  about hooks:\n\n  all of them\nallowed-tools:\n- Read\n- Bash(git add:*)\n# hooks\nargument-hint: "[x]"\n---\nhooks:\n',
  '---\r\nname: x\r\n---\r\nText\r\n',
])('the head %j has none', (text) => {
  expect(found(text)).toEqual([]);
});
