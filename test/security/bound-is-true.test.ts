/**
 * Threat: bash reports one thing about a line to the gate and then does another, because an earlier approved line replaced the
 * variable that holds the answer, or because a trap of the user ran while the line waited.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { gatedBash, makePlace, type Place } from '../fixtures/terminal/start-host.ts';
import { Keyboard } from '../terminal/keyboard.ts';

async function open(approved: readonly string[]): Promise<{ readonly place: Place; readonly keys: Keyboard }> {
  const place = makePlace();
  const keys = new Keyboard(gatedBash(place, false, approved));
  await keys.see(/U# $/);
  return { place, keys };
}

async function run(keys: Keyboard, line: string): Promise<void> {
  keys.type(`${line}\r`);
  await keys.see(/\n[^\n]*U# $/);
}

interface Asked {
  readonly asked?: string;
  readonly environment?: readonly { readonly name: string; readonly value: string }[];
}

/** Returns the environment that was sent with the last request for this line. */
const sentWith = (place: Place, line: string): Asked['environment'] =>
  readFileSync(place.log, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((entry) => JSON.parse(entry) as Asked)
    .findLast(({ asked }) => asked === line)?.environment;

const isMarked = (place: Place): boolean => existsSync(path.join(place.work, 'pwned'));

test.concurrent('an alias is shown as bash will expand it, whatever BASH_ALIASES says', async () => {
  const set = `unset BASH_ALIASES; declare -A BASH_ALIASES=([ll]='ls -l'); alias ll='touch it'\\''s; echo '`;
  const { place, keys } = await open([set]);
  try {
    await run(keys, set);
    await run(keys, 'll');
    expect(sentWith(place, 'll')).toContainEqual({ name: 'alias ll', value: "touch it's; echo " });
  } finally {
    keys.close();
  }
});

test.concurrent.each([`'`, `''`, `a'`, `'a`, `\\'`, `'\\''`, 'a=b', '\n', '$(touch pwned)'])(
  'the alias %j is shown unchanged',
  async (text) => {
    const set = `alias ll=$'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`;
    const { place, keys } = await open([set]);
    try {
      await run(keys, set);
      await run(keys, 'll');
      expect(sentWith(place, 'll')).toContainEqual({ name: 'alias ll', value: text });
      expect(isMarked(place)).toBe(false);
    } finally {
      keys.close();
    }
  },
);

test.concurrent('bash does not evaluate a typed name as an index', async () => {
  const set = `unset BASH_ALIASES; declare -a BASH_ALIASES; alias ll='ls -l'; ll='a[$(touch pwned)]'`;
  const { place, keys } = await open([set]);
  try {
    await run(keys, set);
    await run(keys, 'll');
    expect(isMarked(place)).toBe(false);
    expect(sentWith(place, 'll')).toContainEqual({ name: 'alias ll', value: 'ls -l' });
  } finally {
    keys.close();
  }
});

const ASKING_PROMPT = "title() { :; }\nPROMPT_COMMAND=title\nPS1='$(title)U# '\n";

test.concurrent.each([
  `$'title=touch pwned; :'`,
  `'title=touch pwned; :' $x`,
  `"title=touch pwned" \${x}`,
  `command 'title=touch pwned; :' *`,
  `env 'title=touch pwned; :' $x`,
  `time 'title=touch pwned; :' $x`,
  `read $'title=touch pwned' 'title=touch pwned; :'`,
])('the question to bash about the names in %s sets no alias', async (line) => {
  const place = makePlace(ASKING_PROMPT);
  const keys = new Keyboard(gatedBash(place, false, []));
  try {
    await keys.see(/U# $/);
    await run(keys, line);
    await run(keys, 'ls');
    expect(isMarked(place)).toBe(false);
  } finally {
    keys.close();
  }
});

test.concurrent('a function with `=` in its name is bound', async () => {
  const define = 'function a=b { :; }';
  const line = `'a=b' $x`;
  const { place, keys } = await open([define]);
  try {
    await run(keys, line);
    const before = sentWith(place, line);
    await run(keys, define);
    await run(keys, line);
    expect(sentWith(place, line)?.find(({ name }) => name === 'function *')).toBeDefined();
    expect(sentWith(place, line)).not.toEqual(before);
  } finally {
    keys.close();
  }
});

test.concurrent.each([
  ['alias x}=:', 'x}', 'alias x}'],
  ['function x} { :; }', 'x}', 'function x}'],
  ['function ./x=y { :; }', './x=y', 'function *'],
  ['eval "function $HOME/x { :; }"', '~/x', 'function *'],
])('after `%s`, the meaning of `%s` is sent', async (define, line, name) => {
  const { place, keys } = await open([define]);
  try {
    await run(keys, define);
    await run(keys, line);
    expect(sentWith(place, line)?.map((entry) => entry.name)).toContain(name);
  } finally {
    keys.close();
  }
});

test.concurrent('an alias is sent with the meanings of its words, even if aliases lead to each other', async () => {
  const set = `alias ll='ls -d' ls='first x' first='"second"; ls' ; second() { :; }`;
  const { place, keys } = await open([set]);
  try {
    await run(keys, set);
    await run(keys, 'll .');
    const names = sentWith(place, 'll .')?.map(({ name }) => name) ?? [];
    expect(names).toEqual(expect.arrayContaining(['alias ll', 'alias ls', 'alias first', 'function second']));
    expect(new Set(names).size).toBe(names.length);
  } finally {
    keys.close();
  }
});

/** bash reads a nameref (`declare -n`) as the variable whose name it holds, and evaluates an index in that name. */
test.concurrent.each(
  [
    '-nx r',
    '-n r',
    '-nx LESSOPEN',
    '-n LESSOPEN',
    '-n PERL5LIB',
    '-n LANG',
    '-n PAGER',
    '-n HISTFILE',
    '-n OLDPWD',
    '-n DIRSTACK',
  ].map((declared) => `a=(1); declare ${declared}='a[$(touch pwned)]'`),
)('after `%s` bash evaluates no index when the gate reads the variables', async (set) => {
  const { place, keys } = await open([set]);
  try {
    await run(keys, set);
    for (const line of ['ls', 'git log', 'ls']) await run(keys, line);
    expect(isMarked(place)).toBe(false);
  } finally {
    keys.close();
  }
});

/** The set-up text reads these variables at each prompt. With these attributes bash evaluates a text when it reads or assigns them. */
test.concurrent.each(
  ['FUNCNEST', 'histchars', 'HISTIGNORE', 'IFS', 'PS0', 'PS1', 'PS2', 'PWD', 'REPLY'].flatMap(
    (name): readonly (readonly [string, string])[] => [
      [name, `declare -n ${name}='a[$(echo x >> pwned)]'`],
      [name, `declare -n other='a[$(echo x >> pwned)]' ${name}=other`],
      [name, `declare -rn ${name}='a[$(echo x >> pwned)]'`],
      ...(name.startsWith('PS')
        ? [] // bash expands the text of a prompt
        : ([
            [name, `v='a[$(echo x >> pwned)]'; declare -i v; declare -n ${name}=v`],
            [name, `${name}='a[$(echo x >> pwned)]'; declare -i ${name}`],
          ] as const)),
    ],
  ),
)('%s: after `%s` a prompt evaluates nothing', async (name, set) => {
  const line = `unset -v ${name} && unset -n ${name}; ${set}`;
  const { place, keys } = await open([line]);
  const marks = () => (isMarked(place) ? readFileSync(path.join(place.work, 'pwned'), 'utf8').length : 0);
  try {
    keys.type(`${line}\r`);
    await keys.quiet(600);
    const atLine = marks();
    for (const next of ['ls', 'git log', 'ls']) {
      keys.type(`${next}\r`);
      await keys.quiet(400);
    }
    expect(marks()).toBe(atLine);
  } finally {
    keys.close();
  }
});

const WAITING = '>ran; : slowapprove';

test.concurrent.each([
  ['cd ..', true],
  ['readonly PWD; cd .. 2>/dev/null', true],
  ['export BASH_ENV=$((++n))', true],
  ['PATH=/nowhere', true],
  ["alias :='touch pwned; :'", true],
  ['export LD_LIBRARY_PATH=.', true],
  ['hash -p /bin/true other', false],
  ['count=$((count + 1))', false],
  ['(exit 3)', false],
])('if a trap runs `%s` while a line waits, the line is refused: %s', async (trap, isRefused) => {
  const set = `trap ${JSON.stringify(trap).replaceAll('$', '\\$')} CHLD`;
  const { place, keys } = await open([set, 'sleep 1 &', WAITING]);
  try {
    await run(keys, set);
    await run(keys, 'sleep 1 &');
    keys.type(`${WAITING}\r`);
    await keys.see(/waiting/);
    await sleep(2_500);
    writeFileSync(place.permit, '');
    await keys.see(/U# $/);
    expect(keys.printed.includes('nothing ran'), keys.printed).toBe(isRefused);
    expect([place.work, path.dirname(place.work)].some((folder) => existsSync(path.join(folder, 'ran')))).toBe(
      !isRefused,
    );
    expect(isMarked(place)).toBe(false);
  } finally {
    keys.close();
  }
});
