/** The text of a request for file operations, and the diff in it. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FileOperation } from '../../src/core/files/file-operation.ts';
import { fileRequestText, MAX_SHOWN, type ShownOperation } from '../../src/core/files/file-text.ts';
import { splitLines, stepsBetween, unifiedDiff } from '../../src/core/files/line-diff.ts';
import { replaceTexts } from '../../src/core/files/text-replacement.ts';
import { utf8Length } from '../../src/core/text/utf8-length.ts';

const anyLines = fc.array(fc.constantFrom('a\n', 'b\n', 'c\n', '\n', 'aa\n', '+a\n', '@@\n'), { maxLength: 25 });
const anyText = fc.tuple(anyLines, fc.constantFrom('', 'end')).map(([lines, end]) => lines.join('') + end);

const shown = (
  content: ShownOperation['content'],
  path = '/p/a',
  verb: FileOperation['verb'] = 'write',
): ShownOperation => ({
  operation: { verb, path, askedPath: path, digest: 'd', resultDigest: null, bytes: 3, danger: null },
  state: { kind: 'new' },
  content,
});
const written = (after: string, path?: string) => shown({ kind: 'texts', before: null, after }, path);

describe('a diff', () => {
  it('makes the new text from the old text, and the old text from the new text', () => {
    fc.assert(
      fc.property(anyText, anyText, (before, after) => {
        const steps = stepsBetween(splitLines(before), splitLines(after));
        const side = (mark: string) =>
          steps
            .filter((step) => step.mark === ' ' || step.mark === mark)
            .map(({ line }) => line)
            .join('');
        expect(side('-')).toBe(before);
        expect(side('+')).toBe(after);
      }),
      { numRuns: 1_000 },
    );
  });

  it('is as short as possible', () => {
    const changes = (before: string, after: string) =>
      stepsBetween(splitLines(before), splitLines(after)).filter(({ mark }) => mark !== ' ').length;
    expect(changes('a\nb\nc\na\nb\nb\na\n', 'c\nb\na\nb\na\nc\n')).toBe(5); // the example of Myers' paper
    expect(changes('a\nb\n', 'a\nx\nb\n')).toBe(1);
  });

  it('has headers that count its lines, and three lines around each change', () => {
    const before = Array.from({ length: 30 }, (_, at) => `${at}\n`).join('');
    const after = before.replace('\n5\n', '\nfive\n').replace('\n25\n', '\n');
    expect(unifiedDiff(before, after)).toBe(
      '@@ -3,7 +3,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n@@ -23,7 +23,6 @@\n 22\n 23\n 24\n-25\n 26\n 27\n 28\n',
    );
    expect(unifiedDiff('a', 'a\n')).toBe('@@ -1,1 +1,1 @@\n-a\n\\ No newline at the end\n+a\n');
    expect(unifiedDiff('', 'a\n')).toBe('@@ -0,0 +1,1 @@\n+a\n');
  });

  it('of two large texts without a common line is made at once', () => {
    const lines = (name: string) => Array.from({ length: 50_000 }, (_, at) => `${name}${at}\n`).join('');
    const startedMs = performance.now();
    expect(unifiedDiff(lines('a'), lines('b')).length).toBeGreaterThan(600_000);
    expect(performance.now() - startedMs).toBeLessThan(10_000);
  });
});

describe('the text of a file request', () => {
  it('has one line for each operation, which no content can imitate', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { minLength: 1, maxLength: 4 }), (contents) => {
        const text = fileRequestText(contents.map((after, at) => written(after, `/p/${at}`)));
        const heads = text.split('\n').filter((line) => /^(read|search|write|edit|delete) /.test(line));
        const bodies = contents.length === 1 ? 0 : contents.length;
        expect(heads).toHaveLength(contents.length + bodies);
      }),
    );
    const hostile = fileRequestText([written('x\ndelete /etc/passwd (3 bytes)\n')]);
    expect(hostile).toBe('write /p/a (new file, writes 3 bytes)\n+x\n+delete /etc/passwd (3 bytes)\n');
  });

  it('keeps a path on one line, whatever characters it has', () => {
    const text = fileRequestText([written('x\n', '/p/a\ndelete /b\u202e\u001b[31m')]);
    expect(text.split('\n')[0]).toBe('write /p/a␊delete /b\\u{202e}␛[31m (new file, writes 3 bytes)');
  });

  it('says exactly how many bytes are not shown', () => {
    fc.assert(
      fc.property(fc.constantFrom('x', 'é', '😀', 'ab\n'), fc.integer({ min: 1, max: 40 }), (unit, more) => {
        const content = unit.repeat(Math.ceil(MAX_SHOWN / unit.length) + more);
        const text = fileRequestText([written(content)]);
        const left = Number(/… (\d+) more bytes\n$/.exec(text)?.[1]);
        const kept = text.slice(text.indexOf('\n') + 1, text.lastIndexOf('…'));
        const marks = unit === 'ab\n' ? 4 : 1;
        const body = unit === 'ab\n' ? content.length / 3 : 0;
        const whole = utf8Length(content) + (unit === 'ab\n' ? body : marks + '\n\\ No newline at the end\n'.length);
        expect(utf8Length(kept.replace(/(?<=[^\n])\n$/, unit === 'ab\n' ? '\n' : '')) + left).toBe(whole);
      }),
      { numRuns: 20 },
    );
  });

  it('shares the available length among all files', () => {
    const large = 'y\n'.repeat(MAX_SHOWN / 3);
    const text = fileRequestText([written(large, '/1'), written(large, '/2'), written('small\n', '/3')]);
    expect(text.length).toBeLessThan(MAX_SHOWN + 1_000);
    expect(text).toContain('\nwrite /3');
    expect(text.match(/more bytes/g)).toHaveLength(2);
  });
});

describe('text replacements', () => {
  const one = (oldText: string, newText: string, isEverywhere = false) => [{ oldText, newText, isEverywhere }];
  it('insert a dollar sign unchanged', () => {
    expect(replaceTexts('a b', one('a', '$&$1$$'))).toBe('$&$1$$ b');
  });
  it('are unknown if the tool would fail or guess', () => {
    expect(replaceTexts('a', one('b', 'c'))).toBeNull();
    expect(replaceTexts('a a', one('a', 'c'))).toBeNull();
    expect(replaceTexts('a a', one('a', 'c', true))).toBe('c c');
    expect(replaceTexts('a', one('', 'c'))).toBeNull();
    expect(replaceTexts('', one('', 'c'))).toBe('c');
  });
  it('are made one after another', () => {
    expect(replaceTexts('a', [...one('a', 'b'), ...one('b', 'c')])).toBe('c');
  });
});
