/** The effects of a command with its context: directory, wrappers, redirections. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { textualContext } from '../../src/core/effects/command-context.ts';
import { effectsOf } from '../../src/core/effects/effects-of.ts';
import type { Permission } from '../../src/core/effects/permission.ts';
import { readRule } from '../../src/core/rules/read-rule.ts';
import type { ToolRule } from '../../src/core/rules/rule.ts';
import { understand } from './reading/reading-fixture.ts';

const byName = new Map<string, ToolRule>();
const folder = fileURLToPath(new URL('../../src/rules/', import.meta.url));
for (const file of readdirSync(folder).filter((name) => /^(?:cat|rm|ls|git|cp|echo|cd)\.toml$/.test(name))) {
  const { match: _match, not_match: _notMatch, ...table } = parseToml(readFileSync(folder + file, 'utf8'));
  const rule = readRule(table);
  if (rule.ok) for (const name of rule.value.names) byName.set(name, rule.value);
}
const context = textualContext({ find: (name) => byName.get(name) ?? null }, '/proj', '/home/u');

const lastOf = (line: string, hasSearchedCd = false): Permission | string => {
  const last = understand(line).commands.at(-1);
  if (last === undefined) throw new Error('no command');
  const judged = effectsOf(last, { context, hasSearchedCd });
  return judged.kind === 'understood' ? judged.permission : judged.reason;
};
const pathsOf = (line: string, hasSearchedCd = false) => {
  const judged = lastOf(line, hasSearchedCd);
  return typeof judged === 'string'
    ? judged
    : judged.resources.filter(({ kind }) => kind === 'path').map(({ value }) => value);
};
const operationOf = (line: string) => {
  const judged = lastOf(line);
  return typeof judged === 'string' ? judged : judged.operation;
};

const sentenceOf = (line: string): string => {
  const judged = lastOf(line);
  return typeof judged === 'string' ? judged : judged.sentence;
};

test('the card says what the shell itself does', () => {
  expect(sentenceOf('echo hello')).toBe('Prints its words.');
  expect(sentenceOf('echo hello > x')).toMatch(/^Prints its words\. Opens files in the shell\./);
  expect(sentenceOf('cd a')).toBe('Goes to another directory.');
  expect(sentenceOf('umask')).toBe('Runs umask, a builtin of the shell.');
  expect(sentenceOf('x=1')).toBe('Assigns variables in the shell.');
  expect(sentenceOf('x=1 > y')).toMatch(/^Assigns variables in the shell\. Opens files in the shell\./);
  expect(sentenceOf('> y')).toMatch(/^Opens files in the shell\./);
  expect(sentenceOf('for x in a b; do true; done; for y in a; do :; done')).not.toContain('Assigns');
});

describe('the context of a command', () => {
  test('decides where its files are', () => {
    expect(pathsOf('cat x')).toEqual(['/proj/x']);
    expect(pathsOf('cd /a && cat x')).toEqual(['/a/x']);
    expect(pathsOf('cd a && cat x')).toEqual(['/proj/a/x']);
    expect(pathsOf('timeout 5 env -C a cat x')).toEqual(['/proj/a/x']);
    expect(pathsOf('cd /a; cat x')).not.toEqual(['/a/x']);
    expect(pathsOf('cd a && cat x', true)).not.toEqual(['/proj/a/x']);
    expect(pathsOf('cd /a && cat x', true)).toEqual(['/a/x']);
  });

  test('makes the command another operation, in another place or as another user', () => {
    expect(operationOf('timeout 5 nice cat x')).toBe('cat');
    expect(operationOf("bash -lc 'cat x'")).toBe('cat');
    expect(operationOf('sudo cat /x')).toBe('as root: cat');
    expect(operationOf('sudo -u "$U" cat /x')).toBe('as (only known at run time): cat');
    expect(operationOf('ssh web sudo cat /x')).toBe('on web: as root: cat');
    expect(operationOf('docker exec -u www web cat /x')).toMatch(/^in web: as www: cat$|^as www: in web: cat$/);
    expect(operationOf('chroot /mnt cat /x')).toBe('under /mnt: cat');
  });

  test('makes a file on another host no file on this host', () => {
    for (const line of ['ssh web cat /proj/x', 'docker exec web cat /proj/x', 'chroot /mnt cat /proj/x'])
      for (const path of pathsOf(line)) expect(path, line).not.toMatch(/^\//);
  });

  test('never lowers the risk', () => {
    const order = ['low', 'medium', 'high', 'critical'];
    const riskOf = (line: string) => {
      const judged = lastOf(line);
      return typeof judged === 'string' ? 4 : order.indexOf(judged.risk);
    };
    for (const inner of ['cat /proj/x', 'rm -rf /proj/x', 'git log', 'rm -rf /', 'cp a b'])
      for (const wrapper of [
        'timeout 5',
        'sudo',
        'ssh web',
        'docker exec web',
        'env -i',
        'xargs',
        'nice',
        'chroot /mnt',
      ])
        expect(riskOf(`${wrapper} ${inner}`), `${wrapper} ${inner}`).toBeGreaterThanOrEqual(riskOf(inner));
  });
});
