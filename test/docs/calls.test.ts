/** The program has each verb and option of every call of `apes` in the documents. */
import { expect, it } from 'vitest';
import { callsOf, faultOf, helpOf } from './apes-calls.ts';
import { readDocument, readDocuments } from './markdown.ts';

it('every verb and option in the documents exists', () => {
  const calls = readDocuments().flatMap(callsOf);
  expect(calls.length).toBeGreaterThan(100);
  expect(new Set(calls.flatMap(({ options }) => options)).size).toBeGreaterThan(15);
  expect(calls.map((call) => faultOf(call, helpOf)).filter((fault) => fault !== null)).toEqual([]);
});

it('every verb of the program is named in the documents', () => {
  const named = new Set(
    readDocuments()
      .flatMap(callsOf)
      .map(({ words: [verb = '', below = ''] }) => `${verb === 'session' ? 'sessions' : verb} ${below}`.trim()),
  );
  const verbs = helpOf([]).verbs.filter((verb) => verb !== 'help' && verb !== 'session'); // `session` is an alias of `sessions`
  const whole = verbs.flatMap((verb) => {
    const below = helpOf([verb]).verbs.filter((name) => name !== 'help');
    return below.length === 0 ? [verb] : below.map((name) => `${verb} ${name}`);
  });
  expect(whole.length).toBeGreaterThan(30);
  expect(whole.filter((call) => ![...named].some((name) => `${name} `.startsWith(`${call} `)))).toEqual([]);
});

it('the check finds a wrong verb, a wrong alternative and a wrong option', () => {
  const text = [
    '`apes gone` `apes grants list | gone ID` `apes grants show ID [--gone]` `apes up`',
    '| `apes grants list \\| also` | x |',
    '```sh',
    'cd x && apes grants approve g_1 --ass reading   # and so on',
    '```',
    '```console',
    '$ apes run --wait --never -- ls --color',
    'apes gone, says the output',
    '```',
  ].join('\n');
  const faults = callsOf(readDocument('X.md', text)).map((call) => faultOf(call, helpOf));
  expect(faults.filter((fault) => fault !== null).map((fault) => fault.replace(/.*: /, ''))).toEqual([
    'no verb gone',
    'no verb grants gone',
    'no option --gone of apes grants show',
    'no verb grants also',
    'no option --ass of apes grants approve',
    'no option --never of apes run',
  ]);
});
