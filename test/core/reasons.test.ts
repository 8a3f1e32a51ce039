/** The advice that an agent gets depends only on the code of a reason, not on the text of a line or the wording of a sentence. */
import { parse } from 'unbash';
import { describe, expect, it } from 'vitest';
import { assessLine } from '../../src/core/effects/assess-line.ts';
import { normalizePath } from '../../src/core/effects/command-context.ts';
import type { Lookups } from '../../src/core/effects/host-facts.ts';
import { programOf } from '../../src/core/effects/program.ts';
import { commandsIn } from '../../src/core/reading/commands-in.ts';
import { LineReading } from '../../src/core/reading/line-reading.ts';
import { namesToAsk } from '../../src/core/reading/names-to-ask.ts';
import { parseLine } from '../../src/core/reading/parse-line.ts';
import { adviceFor, type Reason } from '../../src/core/reasons/reason.ts';
import { allRules } from './rule-effects.ts';

const lookups: Lookups = {
  home: '/home/u',
  hasSearchedCd: false,
  resolveName: (name) => ({ kind: 'file', path: `/bin/${name}`, realPath: `/bin/${name}`, ownerUid: 0, writable: [] }),
  resolvePath: normalizePath,
  recordsOf: () => [],
  hasHooks: () => false,
  addsRepository: () => false,
  projectOf: () => null,
  repositoryOf: () => '/w',
  hasLinksOut: () => false,
  isBareRepository: () => false,
  matchesOf: () => [],
  sensitiveBelow: () => [],
};
const opaque = (line: string) =>
  assessLine(commandsIn(parseLine(line, parse), parse), 'agrees', { cwd: '/w', rules: allRules, lookups }).opaque;

describe('the advice', () => {
  it.each(['function', 'loop', 'operand', 'index', 'arithmetic', 'question', 'backslash'])(
    'for a line without rules is the same when a name in it is %s',
    (word) => {
      const [reason] = opaque(`${word}-tool x`);
      expect(reason).toMatchObject({
        code: 'tool-without-rules',
        reason: `is ${word}-tool, for which there are no rules`,
      });
      expect(reason?.advice).toBe('ask for each command by itself');
      expect(opaque(`git log --${word}x`)[0]?.advice).toBe('ask for each command by itself');
    },
  );

  it('for a redefined name is the same for an alias and a function', () => {
    const program = (kind: 'alias' | 'function') => programOf('git', 'bash', { kind, text: 'x' }, false) as Reason;
    expect(program('function').reason).toBe('is redefined by this shell (function)');
    for (const kind of ['alias', 'function'] as const)
      expect(adviceFor(program(kind).code)).toBe('call the program by its full path');
  });

  it('for a missing program does not depend on the wording of the host', () => {
    const missing = (reason: string) => programOf('x', 'bash', { kind: 'not found', reason }, false) as Reason;
    for (const words of ['is nowhere in PATH', 'anything else'])
      expect(adviceFor(missing(words).code)).toBe('check the name: bash does not find a program of this name');
    expect(missing('anything else').reason).toBe('anything else');
  });
});

describe('the shell is asked', () => {
  it.each([
    ['git log', []],
    ["$'\\x63at' f", ['cat']],
    ['$x f', ['*']],
    // The reader did not read the words of these lines, so any name may be among them.
    ["$'\\x63at' f; if", ['*']],
    ["x=`echo \\`$'\\x63at' f\\``", ['*']],
    [`${'p; '.repeat(501)} $'\\x63at' f`, ['*']],
    ["$'\\x63at' f \\", ['*']],
  ])('about the names in %j that the reader does not see itself', (line, names) => {
    expect(namesToAsk(new LineReading(line, parse), parse)).toEqual(names);
  });
});
