// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are bash
/**
 * Approved lines may change bash's own state, but that never lets an unapproved line run. The session either works on with its gate,
 * or ends with a message; it never floods the terminal with messages, and never hangs without a prompt.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { BASH, gatedBash, makePlace } from '../fixtures/terminal/start-host.ts';
import { SETUP_TEXT } from '../fixtures/texts-for-bash.ts';
import { Keyboard } from '../terminal/keyboard.ts';

const PROMPT = /U# (?:\x1b\[\d*G)?$/;
const SENTENCE = /ape-shell: this bash cannot be gated any more: [^\r\n]+; the session ends/;
/** The time limit for an answer that may not come. The last answer comes, or the session ends with its message. */
const SHORT_MS = 2_500;
const LONG_MS = 60_000;
/** The largest output of a session after one attack: a screen or two. */
const MAX_BYTES = 8_000;
/** A line that is never approved. It makes a file if bash runs it as a command, and also if bash evaluates it as a number. */
const DENIED = 'a[$(touch forbidden-mark)]';

const lines = (...words: readonly string[]): readonly string[] =>
  execFileSync(BASH, words, { encoding: 'utf8' }).split('\n').filter(Boolean);

const FUNCTIONS = new Set(
  [...SETUP_TEXT.matchAll(/^ *(?:builtin eval ")?(__ape_[a-z0-9_]+)\(\) \{/gm)].map(([, name]) => name),
);
/** All variables of the set-up text, read from the text itself. */
const OWN = [
  ...new Set([...SETUP_TEXT.matchAll(/(?<![\w\\])(__ape_[a-z0-9_]+|_[AB]_)\b/g)].map(([, name]) => name ?? '')),
]
  .filter((name) => !FUNCTIONS.has(name))
  .sort();
const BASHS_OWN = 'IFS PS0 PS1 PS2 PROMPT_COMMAND HISTIGNORE HISTFILE TMOUT IGNOREEOF FUNCNEST REPLY'.split(' ');
/** Names of bash on which the set-up text does not depend, and names that users may have. */
const OTHERS =
  'HISTCONTROL HISTTIMEFORMAT SRANDOM RANDOM PS4 line text name prompt token rc all i more frame seen body word words keys';
const ATTRIBUTES = ['-r', '-i', '-u', '-l', '-a', '-x', '-n'];
const OPTIONS = lines('-c', 'set -o | while read -r o _; do echo $o; done');
const SHOPTS = lines('-c', 'shopt | while read -r o _; do echo $o; done');
const BUILTINS = lines('-c', 'compgen -b');

/** An approved line that changes the session, and the line that undoes the change, if the change can be undone. */
type Attack = readonly [string, (string | undefined)?];

const ATTACKS: readonly Attack[] = [
  ...['i', 'u', 'l', 'x'].map(
    (attribute): Attack => [`declare -${attribute} ${OTHERS}`, `declare +${attribute} ${OTHERS}`],
  ),
  ...['i', 'u', 'l', 'x'].flatMap((attribute) =>
    BASHS_OWN.map((name): Attack => [`declare -${attribute} ${name}`, `declare +${attribute} ${name}`]),
  ),
  // bash assigns these three itself.
  ...['i', 'u', 'l'].flatMap((attribute) =>
    ['_', 'SHELLOPTS', 'BASHOPTS'].map(
      (name): Attack => [`declare -${attribute} ${name}`, `declare +${attribute} ${name}`],
    ),
  ),
  ['FUNCNEST=1; declare -i _', 'FUNCNEST='],
  ['declare -i _; enable -n declare', 'enable declare'],
  // bash assigns the last word of each command to the variable that the nameref `_` names.
  ...['RANDOM', 'SECONDS', 'IFS', '__ape_text', '__ape_typed'].map((name): Attack => [`declare -n _=${name}`]),
  ["declare -n _='q[0]'; declare -ai q"],
  ['declare -n _=RANDOM; enable -n unset declare'],
  ["PROMPT_COMMAND='declare -n _=SECONDS'"],
  ["trap 'declare -n _=SECONDS' DEBUG"],
  ...['PS2', 'HISTIGNORE'].flatMap((name): Attack[] => [
    [`builtin unset ${name}; declare -n ${name}=__ape_typed`],
    [`builtin unset ${name}; declare -n ${name}=RANDOM`],
  ]),
  [`shopt -s localvar_inherit; declare -i ${OTHERS} IFS`, `shopt -u localvar_inherit; declare +i ${OTHERS} IFS`],
  [`unset ${BASHS_OWN.join(' ')} ${OTHERS}; PS1='U# '`],
  [`readonly ${OTHERS}`],
  ...BASHS_OWN.map((name): Attack => [`readonly ${name}`]),
  ...OPTIONS.flatMap((name): Attack[] => [
    [`set -o ${name}`, `set +o ${name}`],
    [
      `set +o ${name}`,
      /emacs|history|braceexpand|hashall|histexpand|monitor|interactive/.test(name) ? `set -o ${name}` : undefined,
    ],
  ]),
  ...SHOPTS.flatMap((name): Attack[] => [[`shopt -s ${name}`, `shopt -u ${name}`]]),
  ...BUILTINS.flatMap((name): Attack[] => [
    [`enable -n ${name}`, `enable ${name}`],
    ...(SETUP_TEXT.includes(`builtin ${name} `) ? [[`${name}() { :; }`, `unset -f ${name}`] as const] : []),
  ]),
  ...['DEBUG', 'ERR', 'RETURN', 'EXIT'].map(
    (name): Attack => [`set -ET; trap 'x=1' ${name}`, `set +ET; trap - ${name}`],
  ),
  ["declare -a IFS; IFS=('s' 's')", 'unset IFS'],
  ["declare -A IFS; IFS=([0]='s' [x]='y')", 'unset IFS'],
  ['declare -a IFS; IFS[0x736e6d]=s; enable -n unset', 'enable unset; unset IFS'],
  ['ulimit -S -f 0'],
  ['ulimit -S -t 1; for ((;;)); do :; done'],
  ['FUNCNEST=1', 'unset FUNCNEST'],
  ['FUNCNEST=2', 'unset FUNCNEST'],
  ['set -k', 'set +k'],
  ['set -a; shopt -s nocasematch localvar_inherit', 'set +a; shopt -u nocasematch localvar_inherit'],
  ...OWN.map((name, at): Attack => [`declare ${ATTRIBUTES[at % ATTRIBUTES.length]} ${name}`]),
  ...ATTRIBUTES.flatMap((attribute) =>
    ['__ape_typed', '__ape_line', '__ape_text'].map((name): Attack => [`declare ${attribute} ${name}`]),
  ),
  ...OWN.filter((_, at) => at % 8 === 0).map((name): Attack => [`unset ${name}`]),
  ['readonly FUNCNEST=1'],
  ...['builtin', 'exec', 'eval', 'enable', 'unset', 'printf', '['].map(
    (name): Attack => [`function ${name} { echo mine; }; readonly -f ${name}`],
  ),
  ...['241', '242', '243', '244', '245', '246', '247'].map((fd): Attack => [`exec ${fd}>&-`]),
  ["PROMPT_COMMAND='exec </dev/tty; exec() { :; }'"],
  ['enable -n builtin enable unset exit; builtin() { :; }'],
];

const SKIPS = "shopt -s extdebug; trap 'false' DEBUG";
const STILL = 'echo still-$((40+2))';
const APPROVED = [...new Set(ATTACKS.flat().filter((text) => text !== undefined)), STILL];

class Attacked {
  readonly place = makePlace("PS1='U# '\nbind 'set enable-bracketed-paste off'\n");
  readonly #keys = new Keyboard(gatedBash(this.place, false, APPROVED));
  #from = 0;

  start = () => this.#keys.see(PROMPT, LONG_MS);
  close = () => this.#keys.close();
  end = () => this.#keys.ended(LONG_MS);
  get printed(): string {
    return this.#keys.printed.slice(this.#from);
  }

  /** Makes an attack, and then types an unapproved and an approved line. Returns whether the session goes on. */
  async survives(attack: string): Promise<boolean> {
    this.#from = this.#keys.printed.length;
    for (const [text, answer, maxWaitMs] of [
      [attack, /U# (?:\x1b\[\d*G)?$/, SHORT_MS],
      [DENIED, /refused: a\[[^\n]*\n[\s\S]*# /, SHORT_MS],
      [STILL, new RegExp(`\\nstill-42[\\s\\S]*# |${SENTENCE.source}`), LONG_MS],
    ] as const) {
      this.#keys.type(`${text}\r`);
      await this.#keys.see(answer, maxWaitMs).catch(() => null);
      if (SENTENCE.test(this.printed)) return false;
    }
    return /\nstill-42/.test(this.printed);
  }

  async undo(undo: string): Promise<void> {
    this.#keys.type(`${undo}\r`);
    await this.#keys.see(PROMPT, SHORT_MS).catch(() => undefined);
  }
}

/** Makes the attacks in one session until it ends, and the others in new sessions. */
async function faultsOf(attacks: readonly Attack[]): Promise<readonly string[]> {
  const faults: string[] = [];
  let session: Attacked | null = null;
  for (const [attack, undo] of attacks) {
    if (session === null) {
      session = new Attacked();
      await session.start();
    }
    const goesOn = await session.survives(attack);
    const exit = goesOn ? null : await session.end();
    const { printed, place } = session;
    const tail = JSON.stringify(printed.slice(-300));
    if (existsSync(path.join(place.work, 'forbidden-mark'))) faults.push(`${attack}: an unapproved line ran`);
    if (!goesOn && !SENTENCE.test(printed))
      faults.push(`${attack}: neither goes on nor says that it ends: ${tail} ${JSON.stringify(exit)}`);
    if (printed.length > MAX_BYTES) faults.push(`${attack}: ${printed.length} bytes: ${tail}`);
    if (goesOn && undo !== undefined) await session.undo(undo);
    if (goesOn && (undo !== undefined || attack.startsWith('unset'))) continue;
    session.close();
    session = null;
  }
  session?.close();
  return faults;
}

const PARTS = 4;
const size = Math.ceil(ATTACKS.length / PARTS);

describe.concurrent('A line that changes the state of bash', () => {
  test.for([...Array(PARTS).keys()])(
    'leaves the session gated, or ends it with a reason: part %i',
    { timeout: 600_000 },
    async (part, { expect }) => {
      expect(await faultsOf(ATTACKS.slice(part * size, (part + 1) * size))).toEqual([]);
    },
  );
});

test('with FUNCNEST set, bash shows no second prompt (PS2)', async () => {
  const session = new Attacked();
  await session.start();
  expect(await session.survives('FUNCNEST=1')).toBe(true);
  expect(session.printed).toContain('still-42');
  expect(session.printed).not.toMatch(/^> /m);
  session.close();
});

test.concurrent.each([
  ['typed', false, ''],
  ['in a start-up file', false, SKIPS],
  ['in a start-up file of a login shell', true, SKIPS],
])(
  'a DEBUG trap that skips every command, %s, ends the session with a message, without a key',
  { timeout: LONG_MS },
  async (_title, isLogin, startUp) => {
    const place = makePlace(`PS1='U# '\nbind 'set enable-bracketed-paste off'\n${startUp}\n`);
    const keys = new Keyboard(gatedBash(place, isLogin, [SKIPS]));
    if (startUp === '') {
      await keys.see(PROMPT, LONG_MS);
      keys.type(`${SKIPS}\r`);
    }
    await keys.see(SENTENCE, 20_000);
    expect((await keys.ended(LONG_MS))?.status).toBe(70);
    expect(keys.printed.length).toBeLessThan(MAX_BYTES);
    keys.close();
  },
);

test('a line that reads from a socket of its own, without a key, does not end the session', {
  timeout: LONG_MS,
}, async () => {
  const server = createServer((socket) => void setTimeout(() => socket.end('from-far\n'), 6_000));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const line = `read far </dev/tcp/127.0.0.1/${port}; echo "got-$far"`;
  const keys = new Keyboard(gatedBash(makePlace("PS1='U# '\nbind 'set enable-bracketed-paste off'\n"), false, [line]));
  await keys.see(PROMPT, LONG_MS);
  keys.type(`${line}\r`);
  await keys.see(/\ngot-from-far/, LONG_MS);
  keys.close();
  server.close();
});

test('a prompt that contains the typed text does not expand it', async () => {
  const attack = 'unset PS1; declare -n PS1=__ape_typed';
  const place = makePlace("PS1='U# '\nbind 'set enable-bracketed-paste off'\n");
  const keys = new Keyboard(gatedBash(place, false, [attack, STILL]));
  await keys.see(PROMPT, LONG_MS);
  for (const text of [attack, DENIED, DENIED, STILL]) {
    keys.type(`${text}\r`);
    await keys.quiet(400);
  }
  expect(keys.printed).toMatch(/\nstill-42/);
  expect(existsSync(path.join(place.work, 'forbidden-mark')), keys.printed).toBe(false);
  keys.close();
});

test('a session survives an IFS that is an array', async () => {
  const lists = ['IFS=(s s)', 'declare -A IFS; IFS=([0]=s [x]=y)', 'IFS[0x736e6d]=s', 'IFS=(s s); enable -n unset'];
  const plain = ["IFS='c^#'", 'unset IFS', "declare -a IFS; IFS=('c^#' 'c^#')", 'unset IFS', 'IFS=s', 'unset IFS'];
  const place = makePlace("PS1='U# '\nbind 'set enable-bracketed-paste off'\n");
  const keys = new Keyboard(gatedBash(place, false, [...plain, ...lists, STILL]));
  await keys.see(PROMPT, LONG_MS);
  for (const list of lists)
    for (const text of [
      ...plain.map((line) => `${line}\r`),
      `${list}\r`,
      `${DENIED}\r`,
      '\x03',
      `x ${DENIED}\x03`,
      '\r',
    ]) {
      keys.type(text);
      await keys.see(PROMPT, SHORT_MS).catch(() => null);
    }
  keys.type(`${STILL}\r`);
  await keys.see(/\nstill-42/, LONG_MS);
  expect(keys.printed).not.toMatch(/syntax error/);
  expect(existsSync(path.join(place.work, 'forbidden-mark')), keys.printed).toBe(false);
  keys.close();
});

test('an alias for a word of the set-up text does not run when bash runs the set-up text', async () => {
  const words = 'builtin enable exec eval export jobs kill printf set trap unset local'.split(' ');
  const place = makePlace("PS1='U# '\nbind 'set enable-bracketed-paste off'\nshopt -s checkjobs\n");
  const keys = new Keyboard(gatedBash(place));
  await keys.see(PROMPT, LONG_MS);
  for (const text of [
    `alias ${words.map((word) => `${word}='touch hidden; ${word}'`).join(' ')}`,
    "\\trap 'n+=x' DEBUG",
    "\\trap 'n+=x' INT",
    '\\enable -n hash',
    'false',
    'true | false',
    'echo "${PIPESTATUS[@]}"',
    'fc -s echo',
    'abc\x03',
    '\\set -x',
    'false',
    'sleep 9 &',
    'exit',
  ]) {
    keys.type(text.endsWith('\x03') ? text : `${text}\r`);
    await keys.see(PROMPT, LONG_MS);
  }
  expect(existsSync(path.join(place.work, 'hidden')), keys.printed).toBe(false);
  keys.close();
});

test('every variable of the set-up text is in the table', () => {
  expect(OWN.length).toBeGreaterThan(70);
  for (const name of ['__ape_text', '__ape_typed', '__ape_line', '__ape_token', '_A_']) expect(OWN).toContain(name);
});

test('a start-up file may leave `set -a` on: a line then exports the variables that it sets, and none of ours', async () => {
  const keys = new Keyboard(gatedBash(makePlace("PS1='U# '\nbind 'set enable-bracketed-paste off'\nset -a\n")));
  await keys.see(PROMPT, LONG_MS);
  keys.type('exported=1; echo "<$(env | grep -c ^exported=1),$(env | grep -c __ape),$-"\r');
  const [shown] = await keys.see(/<\d+,\d+,\w+>?\r\n/, LONG_MS);
  expect(shown).toMatch(/<1,0,a/);
  keys.close();
});
