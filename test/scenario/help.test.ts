/** `ape-shell`, `apes` and every verb print their help without a server, a key or a terminal. */
import { afterAll, describe, expect, test } from 'vitest';
import { Stage } from './stage.ts';

const stage = new Stage();
afterAll(() => stage.close());

/** No verb has more words than `apes owner key create`. */
const MAX_WORDS = 4;

const helps = new Map<string, Awaited<ReturnType<Stage['run']>>>();

/** Returns the result of `--help`, which runs once for each verb. */
async function helpOf(path: string) {
  const known = helps.get(path) ?? (await stage.run(`${path} --help`));
  helps.set(path, known);
  return known;
}

/**
 * Returns the verbs below `path`, read from its help, so that a new verb is tested without a change here. The usage of a verb without
 * such verbs has no `[command]`. Its help lists arguments in the same form, and a call with an argument would run something.
 */
async function verbsBelow(path: string): Promise<readonly string[]> {
  const { out } = await helpOf(path);
  if (!/^Usage: .*\[command\]$/m.test(out)) return [];
  if (path.split(' ').length >= MAX_WORDS) throw new Error(`deeper than expected: ${path}`);
  const [listed = ''] = out.split('\nExamples:');
  const names = [...listed.matchAll(/^ {2}([a-z][a-z-]*)(?:\|[a-z]+)?(?: |$)/gm)].flatMap((found) => found[1] ?? []);
  const verbs: string[] = [];
  for (const verb of names.filter((name) => name !== 'help').map((name) => `${path} ${name}`))
    verbs.push(verb, ...(await verbsBelow(verb)));
  return verbs;
}

describe('ape-shell', () => {
  test.each(['--help', '-V', '--version'])('answers %s', async (option) => {
    const { status, out, err } = await stage.run(`ape-shell ${option}`);
    expect({ status, err }).toEqual({ status: 0, err: '' });
    expect(out).toMatch(option === '--help' ? /^ape-shell: .*\n/ : /^ape-shell \d+\.\d+\.\d+\n$/);
  });

  test('refuses an unknown option in one line', async () => {
    const { status, err } = await stage.run('ape-shell --hepl');
    expect(status).toBe(64);
    expect(err).toMatch(/^ape-shell: unknown option --hepl; [^\n]*\n$/);
  });
});

describe('apes', () => {
  test('every verb has a help', async () => {
    const verbs = await verbsBelow('apes');
    expect(verbs).toEqual(expect.arrayContaining(['apes up', 'apes grants approve', 'apes owner key create']));
    expect(verbs.length).toBeGreaterThan(45);
    const wrong: string[] = [];
    for (const verb of verbs) {
      const { status, out, err } = await helpOf(verb);
      if (status !== 0 || err !== '' || !out.startsWith(`Usage: ${verb}`)) wrong.push(verb);
    }
    expect(wrong).toEqual([]);
  });

  test.each(['up', 'grants', 'grants approve', 'owner', 'owner key', 'owner key create'])(
    '`apes help %s` prints what its --help prints',
    async (verb) => {
      expect(await stage.run(`apes help ${verb}`)).toEqual(await helpOf(`apes ${verb}`));
    },
  );

  test.each([
    ['apes help foo', 'apes: there is no verb foo; see apes --help\n'],
    ['apes help grnats', 'apes: there is no verb grnats; did you mean grants?\n'],
    ['apes help grants aprove', 'apes: there is no verb grants aprove; did you mean approve?\n'],
  ])('%s says what is wrong', async (call, said) => {
    const { status, out, err } = await stage.run(call);
    expect({ status, out, err }).toEqual({ status: 64, out: '', err: said });
  });

  test.each(['version', '--version', '-V'])('apes %s prints the version', async (word) => {
    expect((await stage.run(`apes ${word}`)).out).toMatch(/^apes \d+\.\d+\.\d+\n$/);
  });

  test('`apes session list` and `apes sessions list` print the same', async () => {
    expect((await stage.run('apes session list')).out).toBe((await stage.run('apes sessions list')).out);
  });
});
