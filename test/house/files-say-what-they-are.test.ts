/** Each TypeScript file begins with a sentence that says what the file is for; in a test, what it tests. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** Whether the text begins with a comment of more than one word that is not only a type, after an optional `#!` line. */
function saysWhatItIs(text: string): boolean {
  const [, block, line] = /^(?:#!.*\n)?(?:\/\*([\s\S]*?)\*\/|\/\/(.*))/.exec(text) ?? [];
  const words = (block ?? line ?? '').split(/[\s*]+/).filter((word) => word !== '');
  return words.length > 1 && !words[0]?.startsWith('@');
}

it.each(['src', 'test', 'scripts'])('each file in %s begins with a sentence that says what it is for', (room) => {
  const files = readdirSync(path.join(ROOT, room), { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.m?ts$|\.mjs$/.test(name),
  );
  expect(files.length).toBeGreaterThan(50);
  const silent = files.filter((name) => !saysWhatItIs(readFileSync(path.join(ROOT, room, name), 'utf8')));
  expect(silent).toEqual([]);
});

it('the check finds a file without a sentence', () => {
  expect(
    ["import 'x';", '/** */\nlet a;', '/** @type {x} */', '/* Word */', '#!/usr/bin/env node\nlet a;'].filter(
      saysWhatItIs,
    ),
  ).toEqual([]);
  expect(saysWhatItIs('/** Two words. */')).toBe(true);
  expect(saysWhatItIs('/**\n * Two words. */')).toBe(true);
  expect(saysWhatItIs('#!/usr/bin/env node\n// Two words.')).toBe(true);
});
