/** `ape-shell`, `apes` and every verb print their help without a server, a key or a terminal. */
import type { Command } from 'commander';
import { afterAll, describe, expect, test } from 'vitest';
import type { CliContext } from '../../src/cli/context.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { Stage } from './stage.ts';

const stage = new Stage();
afterAll(() => stage.close());

const helps = new Map<string, Awaited<ReturnType<Stage['run']>>>();

/** Returns the result of `--help`, which runs once for each verb. */
async function helpOf(path: string) {
  const known = helps.get(path) ?? (await stage.run(`${path} --help`));
  helps.set(path, known);
  return known;
}

const uncalled = { version: '0', settle: () => async () => undefined } as unknown as CliContext;

/** Lists the calls of all verbs below a command, also of the verbs that the help hides. */
const verbsBelow = (command: Command, path: string): readonly string[] =>
  command.commands.flatMap((inner) => {
    const own = `${path} ${inner.name()}`;
    return [own, ...verbsBelow(inner, own)];
  });

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
    // `apes help --help` prints the help of `apes`.
    const verbs = verbsBelow(buildProgram(uncalled), 'apes').filter((verb) => verb !== 'apes help');
    const some = ['up', 'grants approve', 'owner key create', 'plan wait', 'hooks gate', 'sessions silent'];
    expect(verbs).toEqual(expect.arrayContaining(some.map((verb) => `apes ${verb}`)));
    expect(verbs.length).toBeGreaterThan(90);
    const wrong: string[] = [];
    for (const verb of verbs) {
      const { status, out, err } = await helpOf(verb);
      if (status !== 0 || err !== '' || !out.startsWith(`Usage: ${verb}`)) wrong.push(verb);
    }
    expect(wrong).toEqual([]);
  });

  test('the help of apes groups the verbs, shows examples, and names the manual pages', async () => {
    const { out } = await helpOf('apes');
    const groups = [...out.matchAll(/^([A-Z][\w ,]+):\n {2}[a-z]/gm)].map(([, group]) => group);
    expect(groups.length).toBeGreaterThan(5);
    expect(out).not.toMatch(/^Commands:$/m);
    expect(out).toMatch(/^Examples:\n {2}apes up {2,}\S/m);
    expect(out).toMatch(/; man apes-VERB shows it as a manual page\.\n$/);
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
