/**
 * Each tool that writes a tree was examined: whether it brings files whose names the approver does not see. The tool of a new rule file fails
 * here, until it is in `IMPORTERS` or in one of these lists.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'smol-toml';
import { expect, it } from 'vitest';
import { dangerOfTree } from '../../src/core/sensitive/dangerous-resource.ts';

const folder = new URL('../../src/rules/', import.meta.url);
const TREE = { kind: 'path', access: 'write', value: '/p', isExact: false } as const;

/** Tools that rewrite files which exist, or write files with names of their own. */
const OWN_NAMES = 'apt black chown gh helm journalctl pre-commit ruff sort split systemctl terraform tsc yq'.split(' ');
/** Tools that write packages into directories of packages: the cache of the user, `node_modules`, `vendor`. */
const PACKAGES = ['go', 'npm', 'uv'];
/** `dangerOfTree` compares the names of the sources. */
const COMPARED = ['cp', 'ln', 'mv'];

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => (/^(?:not_)?match$/.test(key) ? [] : textsIn(inner)));
}

/** Whether a command writes a tree and runs no code of the project. Such code has a confinement of its own anyway. */
const writesTree = (command: unknown): boolean => {
  const texts = textsIn(command);
  return texts.some((text) => text.startsWith('write tree')) && !texts.some((text) => /^execute tree (?!~)/.test(text));
};
const writers = readdirSync(folder).flatMap((file) => {
  const { command = [], ...own } = parse(readFileSync(new URL(file, folder), 'utf8'));
  return [own, ...(command as readonly unknown[])].some(writesTree) ? [String(own['tool'])] : [];
});
const isImporter = (tool: string): boolean =>
  dangerOfTree({ tool, operation: tool, options: [], resources: [TREE], risk: 'low', sentence: '' }) !== null;

it('each tool that writes a tree brings files, or was examined', () => {
  expect(writers.length).toBeGreaterThan(20);
  expect(writers.filter((tool) => !isImporter(tool)).sort()).toEqual([...OWN_NAMES, ...PACKAGES, ...COMPARED].sort());
});
