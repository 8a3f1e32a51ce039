/** Which values options and arguments may have, and the messages for refused values. */
import { expect, it } from 'vitest';
import { newProgram, ValueFault } from '../../src/cli/commander.ts';
import type { CliContext } from '../../src/cli/context.ts';
import { lifetimeOption, type TermOptions, termOf, termOption } from '../../src/cli/grants/term.ts';
import { choiceArgument, choiceOption, countOf, durationOf, portOf, timeoutOf } from '../../src/cli/option-values.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { sessionName } from '../../src/cli/sessions/session-name.ts';
import { allVerbs, readVerbs } from '../../src/cli/verb-tree.ts';
import { failure, failureText } from '../../src/core/failure.ts';

/** Returns the value, or the line that the user reads. */
function read<T>(parse: (text: string) => T, text: string): T | string {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof ValueFault) return failureText(error.failure);
    throw error;
  }
}

const PORT = (text: string) => `--port is ${text}; write a whole number from 0 to 65535`;
it.each([
  ['0', 0],
  ['65535', 65_535],
  ['65536', PORT('65536')],
  ['-1', PORT('-1')],
  ['', PORT('')],
  ['1e3', PORT('1e3')],
  ['0x10', PORT('0x10')],
  [' 80', PORT(' 80')],
  ['99999999999999999999', PORT('99999999999999999999')],
])('the port %j is read as %j', (text, port) => {
  expect(read(portOf('--port'), text)).toBe(port);
});

it.each([
  ['1', 1],
  ['200', 200],
  ['0', '--limit is 0; write a whole number from 1 to 200'],
  ['201', '--limit is 201; write a whole number from 1 to 200'],
  ['1.5', '--limit is 1.5; write a whole number from 1 to 200'],
])('the count %j is read as %j', (text, count) => {
  expect(read(countOf('--limit', 1, 200), text)).toBe(count);
});

it.each([
  ['90s', 90_000],
  ['1h', 3_600_000],
  ['soon', '--timeout is soon; write a duration such as 90s, 15m or 1h'],
  ['0', '--timeout is 0; write a duration such as 90s, 15m or 1h'],
  ['-5m', '--timeout is -5m; write a duration such as 90s, 15m or 1h'],
])('the duration %j is read as %j', (text, duration) => {
  expect(read(durationOf('--timeout'), text)).toBe(duration);
});

it('the duration of a timer is at most 24 days, because a longer timer of Node would end at once', () => {
  expect(read(timeoutOf('--timeout'), '24d')).toBe(24 * 86_400_000);
  for (const text of ['24d1s', '365d', 'soon'])
    expect(read(timeoutOf('--timeout'), text)).toBe(
      `--timeout is ${text}; write a duration such as 90s, 15m or 1h, at most 24d`,
    );
});

it.each(['', 'a/b', '../up', 's_abc', 'x'.repeat(65), 'two words', 'a\nb'])('%j is no name of a session', (text) => {
  expect(read(sessionName, text)).toMatch(/^--name is .*; write up to 64 letters/);
});

it('what a user wrote is one visible line in the message', () => {
  expect(read(durationOf('--timeout'), '\u001b[2J\n\u202e')).not.toMatch(/[\u001b\n\u202e]/);
});

/** Calls the parsers as commander does: for every option and argument of a verb, in a tree of verbs. */
async function called(...words: readonly string[]): Promise<unknown> {
  const wrong = (text: string) => failure('usage', `there is no ${text}`, 'write red or blue');
  const program = newProgram('x')
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  let seen: unknown = null;
  program
    .command('paint')
    .exitOverride()
    .addArgument(choiceArgument('<colour>', 'which', ['red', 'blue'], wrong))
    .addOption(choiceOption('--edge <colour>', 'which', ['red', 'blue'], wrong))
    .action((colour: string, options: object) => {
      seen = { colour, ...options };
    });
  try {
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    if (error instanceof ValueFault) return failureText(error.failure);
    throw error;
  }
  return seen;
}

it("a choice is exactly one of its words; the caller gets a fault without commander's own words", async () => {
  expect(await called('paint', 'red', '--edge', 'blue')).toEqual({ colour: 'red', edge: 'blue' });
  for (const text of ['green', 'Red', '', 'constructor', 'toString', ' red'])
    for (const words of [
      ['paint', text],
      ['paint', 'red', '--edge', text],
      ['paint', 'red', `--edge=${text}`],
    ])
      expect(await called(...words)).toBe(`there is no ${text}; write red or blue`);
});

async function terms(...words: readonly string[]): Promise<unknown> {
  const verb = newProgram('x').exitOverride().addOption(termOption('a term')).addOption(lifetimeOption('how long'));
  try {
    await verb.parseAsync(words, { from: 'user' });
  } catch (error) {
    if (error instanceof ValueFault) return failureText(error.failure);
    throw error;
  }
  const { term = 'once', for: lifetimeMs } = verb.opts<TermOptions>();
  const read = termOf(term, lifetimeMs, 1000);
  return read.ok ? read.value : failureText(read.failure);
}

it.each([
  [['--term', 'once'], { kind: 'once' }],
  [['--term', 'always'], { kind: 'always' }],
  [['--term', 'timed', '--for', '15m'], { kind: 'timed', untilMs: 901_000 }],
  [['--for', '15m'], { kind: 'timed', untilMs: 901_000 }],
  [['--term', 'timed'], '--term timed needs --for; write --for 15m, 1h or 8h'],
  [['--for', 'soon'], '--for needs a duration, and soon is no duration; write --for 15m, 1h or 8h'],
  [['--term', 'once', '--for', '1h'], '--for goes with --term timed, not with once'],
  [['--for', '1h', '--term', 'always'], '--for goes with --term timed, not with always'],
  [['--term', 'forever'], 'there is no term forever; write once, timed or always'],
  [['--term', ''], 'there is no term ; write once, timed or always'],
])('the term of %j is %j', async (words, term) => {
  expect(await terms(...words)).toEqual(term);
});

const uncalled = { version: '0', settle: () => async () => undefined } as unknown as CliContext;

it('the completions offer exactly the words that commander takes', () => {
  const verbs = new Map(allVerbs(readVerbs(buildProgram(uncalled))).map((verb) => [verb.path.join(' '), verb]));
  const optionWords = (verb: string, long: string) =>
    verbs.get(verb)?.options.find((option) => option.long === long)?.value?.values;
  const argumentWords = (verb: string) => verbs.get(verb)?.arguments[0]?.values;
  expect(optionWords('grants list', '--state')).toEqual([
    'pending',
    'approved',
    'denied',
    'withdrawn',
    'used',
    'revoked',
    'expired',
  ]);
  for (const verb of ['run', 'grants approve'])
    expect(optionWords(verb, '--term')).toEqual(['once', 'timed', 'always']);
  for (const verb of ['send', 'nudge']) expect(optionWords(verb, '--via')).toEqual(['api', 'keys']);
  expect(argumentWords('completion')).toEqual(['bash', 'zsh', 'fish']);
  expect(argumentWords('owner passkey-above')).toEqual(['none', 'low', 'medium', 'high', 'critical']);
  expect(argumentWords('workflow show')).toContain('async-grant');
  for (const verb of ['install', 'remove', 'check']) expect(argumentWords(`hooks ${verb}`)).toContain('claude-code');
  expect(optionWords('grants list', '--before')).toBe('grants');
});

it('every word that a completion offers for an option or an argument is accepted by its parser', () => {
  const program = buildProgram(uncalled);
  const withChoices = (command: typeof program): { argChoices?: string[]; parseArg?: unknown }[] => [
    ...command.options,
    ...command.registeredArguments,
    ...command.commands.flatMap(withChoices),
  ];
  const choosing = withChoices(program).filter(({ argChoices }) => argChoices !== undefined);
  expect(choosing.length).toBeGreaterThan(8);
  for (const { argChoices = [], parseArg } of choosing) {
    const parse = parseArg as (text: string) => unknown;
    for (const word of argChoices) expect(parse(word)).toBeTruthy();
    expect(() => parse('no such word')).toThrow(ValueFault);
  }
});
