/** What `apes explain` says about a line, as text and as JSON. */
import { describe, expect, test } from 'vitest';
import { explanationJson } from '../../src/cli/grants/explanation-json.ts';
import { explanationText } from '../../src/cli/grants/explanation-text.ts';
import { lookUpLine } from '../../src/gate/facts/look-up.ts';

const around = (entries: Record<string, string> = {}) => ({
  cwd: '/tmp',
  entries: new Map(Object.entries({ PATH: '/usr/bin:/bin', ...entries })),
});
const explain = async (line: string, entries: Record<string, string> = {}) =>
  await lookUpLine(line, around(entries), '/bin/bash', null);

describe('apes explain', () => {
  test('gives for each command its meaning, its starting directory and its wrapper', async () => {
    const explanation = await explain('cd /srv && X=1 timeout 5 env ls -l "$Y" > out');
    const text = explanationText(explanation);
    expect(explanation.bash).toBe('agrees');
    expect(explanation.opaque).toEqual([]);
    for (const part of [
      'reading   complete',
      'ls -l <variable: "$Y">',
      'through    timeout: /usr/bin/timeout',
      'directory  /srv',
      'sets       X = 1',
      'opens      > out',
    ])
      expect(text).toContain(part);
  });

  test('the JSON keeps the names of the first version, because programs read them', async () => {
    const json = explanationJson(await explain('ls -l src'));
    expect(Object.keys(json).sort()).toEqual(
      ['bash', 'commands', 'demands', 'folded', 'opaque', 'risk', 'text', 'texts'].sort(),
    );
    expect(Object.keys(json.commands[0] ?? {})).toEqual([
      'command',
      'lookup',
      'through',
      'directory',
      'meaning',
      'wrappers',
      'resolution',
      'judgement',
    ]);
  });

  test('bash disagrees with a line that has a syntax error, whatever our parser says; without a bash to ask, the answer is unknown', async () => {
    for (const line of ['ls (', 'echo ${x', 'cat <<E']) expect((await explain(line)).bash, line).toBe('disagrees');
    expect((await lookUpLine('ls', around(), '/no/such/bash', null)).bash).toBe('unknown');
  });

  test('bash is also asked about each text that the line passes to another shell', async () => {
    expect((await explain("bash -c 'ls ('")).bash).toBe('disagrees');
  });

  test('says if the variables of this shell make the line opaque, as they would in a request', async () => {
    for (const [name, value, code] of [
      ['LC_ALL', 'zh_TW.BIG5', 'odd-character-set'],
      ['BASH_ENV', '/tmp/x', 'shell-steered'],
    ] as const) {
      const { opaque, risk } = await explain('ls -l', { [name]: value });
      expect([name, opaque.map((each) => each.code), risk]).toEqual([name, [code], null]);
    }
  });

  test('each reason why a line is opaque comes with advice what to do instead', async () => {
    const { opaque } = await explain('eval "$X"; PATH=/x ls; source y; $Z; timeout $T ls; select a in b; do :; done');
    expect(opaque.length).toBeGreaterThan(4);
    for (const { advice, reason } of opaque) expect(advice, reason).toMatch(/^[a-z].{10,}/);
  });

  test('a name that the session has redefined is shown as an alias or a function', async () => {
    const { commands } = await explain('ls -l; grep x', { 'alias ls': 'rm', 'function grep': 'rm -rf /' });
    expect(commands.map(({ resolution }) => resolution?.kind)).toEqual(['alias', 'function']);
  });

  test('what runs on another host is not looked up here, and what another user would find is not certain', async () => {
    expect((await explain('ssh host ls')).commands[0]?.resolution).toBeNull();
    expect((await explain('docker exec web ls')).commands[0]?.resolution).toBeNull();
    for (const line of ['sudo ls', 'env -i ls', "bash -lc 'ls'"])
      expect((await explain(line)).commands.at(-1)?.resolution, line).toMatchObject({ kind: 'unsure' });
  });

  test('a program is looked up in the PATH that the prelude of a harness sets', async () => {
    const prelude = `export PATH="\${OPENCLAW_PREPEND_PATH}\${PATH:+:$PATH}"; unset OPENCLAW_PREPEND_PATH; `;
    const { commands, folded } = await explain(`${prelude}ls`, { PATH: '/none', OPENCLAW_PREPEND_PATH: '/usr/bin' });
    expect(folded?.harness).toBe('openclaw');
    expect(commands[0]?.resolution).toMatchObject({ kind: 'file', path: '/usr/bin/ls' });
    // If OPENCLAW_PREPEND_PATH is not set, PATH begins with an empty entry, which means the working directory.
    const unset = await explain(`${prelude}ls`, { PATH: '/usr/bin' });
    expect(unset.commands[0]?.resolution).toMatchObject({ kind: 'unsure' });
  });

  test('control characters and invisible characters of the line reach the terminal only as escapes', async () => {
    const text = explanationText(await explain("ls '\u202e\u001b[2J' $'\\x1b' \u200b; \u001bx"));
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b\u202e]/);
    expect(text).toContain('\\u{202e}');
  });
});
