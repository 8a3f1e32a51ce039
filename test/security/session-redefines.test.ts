/** Threat: an approved line redefines names in the session, so that a standing grant would cover another command than its approver meant. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { programPath } from '../fixtures/programs.ts';
import { Keyboard } from '../terminal/keyboard.ts';
import { GatedStage } from './gated-stage.ts';

const gated = new GatedStage();
const PROMPT = /U# $/;
let keyboard: Keyboard | null = null;

beforeAll(async () => {
  await gated.open();
  await gated.run(
    `mkdir -p bin other; printf '#!/bin/sh\\necho the-good-one\\n' > bin/some-tool; printf '#!/bin/sh\\necho the-other-one\\n' > other/some-tool; chmod +x */some-tool; echo 'PS1="U# "; bind "set enable-bracketed-paste off"' > ../home/.bashrc`,
  );
});
afterAll(() => {
  keyboard?.type(Buffer.from('\u0003\u0004'));
  gated.close();
});

async function open(): Promise<Keyboard> {
  const path = (await gated.run('echo $PWD/bin:$PATH')).out.trim();
  const shell = new Keyboard({
    argv: [programPath('ape-shell')],
    cwd: `${gated.scratch}/work`,
    environment: {
      HOME: `${gated.scratch}/home`,
      APES_HOME: gated.apesHome,
      PATH: path,
      TERM: 'xterm',
      LC_ALL: 'C.UTF-8',
    },
  });
  await shell.see(PROMPT);
  return shell;
}

/** Types a line that has to wait, and approves it. */
async function approve(shell: Keyboard, text: string, term: string): Promise<void> {
  shell.type(`${text}\r`);
  const id = (await shell.see(/g_[a-z2-7]{26}/))[0];
  await gated.run(`apes grants approve ${id} --term ${term}`);
  await shell.see(PROMPT);
}

test('after an approved `hash -p` has changed the file of a name, a line with this name needs an approval again', async () => {
  keyboard = await open();
  await approve(keyboard, 'some-tool', 'always');
  expect(keyboard.printed).toContain('the-good-one');
  keyboard.type('some-tool\r'); // bash has hashed the name, but its file has not changed, so the line is covered
  await keyboard.see(/the-good-one\r\n[^\n]*U# $/);
  await approve(keyboard, 'hash -p $PWD/other/some-tool some-tool', 'once');
  keyboard.type('some-tool\r');
  await keyboard.see(/Waiting for approval|the-other-one/);
  expect(keyboard.printed).not.toContain('the-other-one');
});

test.each([
  ['a name with a blank', "hash -p $PWD/bin/some-tool 'a b'", "'a b' x", "hash -p $PWD/other/some-tool 'a b'"],
  ['a name in a variable', 'n=some-tool', '$n x', 'hash -p $PWD/other/some-tool some-tool'],
  ['a builtin in a variable', 'n=pwd', '$n -P', 'enable -n pwd'],
])(
  'after an approved line has changed what %s means, a line with it needs an approval again',
  async (_what, first, line, change) => {
    const shell = await open();
    await approve(shell, first, 'once');
    await approve(shell, line, 'always');
    shell.type(`${line}\r`);
    await shell.see(/(?:the-good-one|\/work)\r\n[^\n]*U# $/);
    await approve(shell, change, 'once');
    const before = shell.printed.length;
    shell.type(`${line}\r`);
    await shell.see(/Waiting for approval|(?:the-other-one|\/work)\r\n[^\n]*U# $/);
    expect(shell.printed.slice(before)).toContain('Waiting for approval');
    shell.type('\u0003');
  },
);

test('after `set -k`, with which any word of a line may be an assignment, a covered line needs an approval again', async () => {
  const shell = await open();
  await approve(shell, 'printf "%s-\\n" SOME=word', 'always');
  shell.type('printf "%s-\\n" SOME=word\r');
  await shell.see(/SOME=word-\r\n[^\n]*U# $/);
  await approve(shell, 'set -k', 'once');
  const before = shell.printed.length;
  shell.type('printf "%s-\\n" SOME=word\r');
  await shell.see(/Waiting for approval|\r\n-\r\n/);
  expect(shell.printed.slice(before)).toContain('Waiting for approval');
  shell.type(Buffer.from('\u0003\u0004'));
});

test('bash never reads the terminal itself, even if an approved line switched off its line editor and PROMPT_COMMAND', async () => {
  const shell = await open();
  await approve(shell, 'unset PROMPT_COMMAND; set +o emacs', 'once');
  shell.type('echo unap""proved\r');
  await shell.see(/Waiting for approval|unapproved/);
  expect(shell.printed).not.toContain('unapproved');
  shell.type('\u0003');
});

let isStanding = false;

/** Opens a shell in which a standing grant covers `echo standing-by`. */
async function openWithStanding(): Promise<Keyboard> {
  const shell = await open();
  if (!isStanding) await approve(shell, 'echo standing-by', 'always');
  isStanding = true;
  await covered(shell);
  return shell;
}

async function covered(shell: Keyboard): Promise<void> {
  shell.type('echo standing-by\r');
  await shell.see(/standing-by\r\nstanding-by\r\n[^\n]*U# $/);
}

async function asksAgain(shell: Keyboard): Promise<void> {
  shell.type('echo standing-by\r');
  await shell.see(/echo standing-by\r\nWaiting for approval/);
  shell.type('\u0003');
}

test('after a line that changes how words are split, a covered line needs an approval again', async () => {
  const shell = await openWithStanding();
  await approve(shell, 'IFS=y', 'once');
  await asksAgain(shell);
});

test('a line is approved with the link through which the session reached its directory', async () => {
  await gated.run('mkdir -p real/sub way out && ln -sfn $PWD/real/sub way/link && ln -sfn $PWD/real/sub out/link');
  const shell = await open();
  const up = 'cd .. && mkdir -p made; pwd';
  await approve(shell, `cd ${gated.scratch}/work/way/link; :`, 'once');
  await approve(shell, up, 'always');
  expect(shell.printed).toMatch(/work\/way\r\n[^\n]*U# $/);
  await approve(shell, `cd ${gated.scratch}/work/out/link; :`, 'once');
  shell.type(`${up}\r`);
  await shell.see(/Waiting for approval|work\/out\r\n/);
  expect(shell.printed).not.toMatch(/work\/out\r\n/);
  shell.type('\u0003');
});

test.each(['PWD', 'OLDPWD', 'LINES', 'COLUMNS', 'REPLY'])(
  'after a line that makes %s, which bash itself sets, a reference to PATH, a covered line needs an approval again',
  async (name) => {
    const shell = await openWithStanding();
    await approve(shell, `declare -n ${name}=PATH`, 'once');
    await asksAgain(shell);
    shell.type(Buffer.from('\u0003\u0004'));
  },
);

test('a line that goes to OLDPWD is approved with its value', async () => {
  const shell = await open();
  await approve(shell, 'OLDPWD=/usr; :', 'once');
  await approve(shell, 'cd - && mkdir -p made', 'always');
  await approve(shell, `cd ${gated.scratch}/work; OLDPWD=/usr/bin`, 'once');
  shell.type('cd - && mkdir -p made\r');
  await shell.see(/Waiting for approval|\/usr\/bin\r\n/);
  expect(shell.printed).not.toMatch(/\n\/usr\/bin\r\n/);
  shell.type('\u0003');
});

/** Types a line, and returns whether it has to wait for an approval. */
async function waits(shell: Keyboard, text: string): Promise<boolean> {
  const before = shell.printed.length;
  shell.type(`${text}\r`);
  await shell.see(/Waiting for approval|U# $/);
  const isWaiting = shell.printed.slice(before).includes('Waiting for approval');
  if (isWaiting) {
    shell.type('\u0003');
    await shell.see(PROMPT);
  }
  return isWaiting;
}

test.each([
  ['[[ v -eq 1 ]]; :', ['v=7'], `v='a[$(touch evaluated)]'`],
  ['[[ $v -eq 1 ]]; :', ['v=w w=7'], `w='a[$(touch evaluated)]'`],
  ['[[ $p$q -eq 1 ]]; :', ['p=x q=y other=plain', 'other=another'], `xy='a[$(touch evaluated)]'`],
  ['mkdir -p $target', ['target=made-one'], 'target=made-two'],
  ['((count = count + 1)); mkdir -p made', ['count=1', 'count=2'], `count='a[$(touch evaluated)]'`],
  ['say; :', ['say() { ((v)); }; v=1'], `v='a[$(touch evaluated)]'`],
])(
  'a line `%s` is approved with the variables that it uses, also if they are not exported',
  async (line, usual, other) => {
    const shell = await open();
    await gated.run('rm -f evaluated');
    for (const [at, set] of usual.entries()) {
      await approve(shell, `${set}; : ${at}`, 'once');
      if (at === 0) await approve(shell, line, 'always');
      expect([set, await waits(shell, line)]).toEqual([set, false]);
    }
    await approve(shell, `${other}; :`, 'once');
    expect(await waits(shell, line)).toBe(true);
    expect((await gated.run('ls')).out).not.toContain('evaluated');
    shell.type(Buffer.from('\u0004'));
  },
);

test.each(['popd && mkdir -p made', 'cd ~1 && mkdir -p made', 'pushd +1 && mkdir -p made'])(
  'a line `%s` is approved with the stack of directories',
  async (line) => {
    const shell = await open();
    await approve(shell, `cd ${gated.scratch}/work; pushd /usr/lib; pushd ${gated.scratch}/work; :`, 'once');
    const plain = `mkdir -p made; : ${line.length}`;
    await approve(shell, plain, 'always');
    await approve(shell, line, 'always');
    await approve(shell, `dirs -c; cd ${gated.scratch}/work; pushd ..; pushd ${gated.scratch}/work; :`, 'once');
    expect(await waits(shell, line)).toBe(true);
    expect(await waits(shell, plain)).toBe(false);
    shell.type(Buffer.from('\u0004'));
  },
);

test('a variable that a trap sets while the next line is typed is bound', async () => {
  const shell = await openWithStanding();
  await approve(shell, "trap 'export GIT_SSH_COMMAND=other' USR1", 'once');
  await covered(shell);
  await approve(shell, 'echo pid-$$', 'once');
  const pid = Number(/pid-(\d+)\r\n/.exec(shell.printed)?.[1]);
  process.kill(pid, 'SIGUSR1');
  await asksAgain(shell);
});

/** Approves the trap, sends its signal while a line waits for its approval, then approves the line. Returns what the shell prints from then on. */
async function trapWhileWaiting(shell: Keyboard, action: string, text: string): Promise<string> {
  await approve(shell, `trap '${action}' USR1`, 'once');
  await approve(shell, 'echo pid-$$', 'once');
  const pid = Number(/pid-(\d+)\r\n/.exec(shell.printed)?.[1]);
  shell.type(`${text}\r`);
  const id = (await shell.see(/g_[a-z2-7]{26}/))[0];
  process.kill(pid, 'SIGUSR1');
  const from = shell.printed.length;
  await gated.run(`apes grants approve ${id} --term once`);
  await shell.see(PROMPT);
  return shell.printed.slice(from);
}

test.each([
  ['sets another variable', 'export GIT_SSH_COMMAND=other; echo trap-ran'],
  // The two variables have the same place in the list of exported variables.
  ['exchanges a variable that bash itself changes for another one', 'unset SECONDS; export SECRET=other'],
])('a line does not run if a trap %s while the line waits', async (_what, action) => {
  const shell = await open();
  await approve(shell, 'export SECONDS', 'once');
  const printed = await trapWhileWaiting(shell, action, 'echo ran-""anyway');
  expect(printed).toContain('ape-shell: a trap changed');
  expect(printed).not.toContain('ran-anyway');
});

/** `$$`: for a line with `$`, bash also sends the variables that are not exported. */
test.each(['echo ran-""anyway', 'echo ran-""anyway $$'])(
  'a line `%s` runs if a trap changes nothing while the line waits, although bash changes its own variables',
  async (line) => {
    const shell = await open();
    const names = 'SECONDS RANDOM SRANDOM EPOCHSECONDS EPOCHREALTIME LINENO HISTCMD BASHPID BASH_COMMAND BASH_SUBSHELL';
    await approve(shell, `export ${names}; readonly SECONDS RANDOM`, 'once');
    expect(await trapWhileWaiting(shell, 'sleep 1.1; : $RANDOM', line)).toContain('ran-anyway');
  },
);

test('a variable that a completion function sets while the next line is typed stays in its own process', async () => {
  const shell = await openWithStanding();
  await approve(shell, '_c() { export GIT_SSH_COMMAND=other; COMPREPLY=(completed); }; complete -F _c echo', 'once');
  await covered(shell);
  shell.type('echo \t');
  await shell.see(/echo completed $/);
  shell.type('\u0015');
  await covered(shell);
});

test('a variable that the second prompt of a line sets is bound', async () => {
  const shell = await openWithStanding();
  shell.type('echo \\\r');
  await shell.see(/> $/);
  await approve(shell, 'two-lines', 'always');
  const secondPrompt = `PS2='\${CDPATH:=other}> '`;
  await approve(shell, secondPrompt, 'once');
  shell.type('echo \\\r');
  await shell.see(/other> $/);
  shell.type('two-lines\r');
  await shell.see(/Waiting for approval/);
  shell.type('\u0003');
});

test('a control command does not ask a server that the session exported', async () => {
  const shell = await open();
  await approve(shell, 'export APES_SERVER_URL=http://127.0.0.1:9 APES_SERVER_CA_FILE=/nowhere', 'once');
  shell.type('apes whoami\r');
  await shell.see(
    /\(requester s_[^)]*\) at http:\/\/127\.0\.0\.1:(?!9\b)\d+, key [A-Z2-7-]+\r\n[^\n]*U# $|cannot be asked|Waiting/,
  );
  expect(shell.printed).toMatch(/\(requester s_[^)]*\) at http:\/\/127\.0\.0\.1:(?!9\b)\d+/);
});

test.each(['/usr/bin/env', 'command'])('a function that is named %s is not run by a control command', async (name) => {
  const shell = await open();
  await approve(shell, `${name}() { echo hijack""ed; }`, 'once');
  shell.type('apes whoami\r');
  await shell.see(/hijacked|\(requester s_|Waiting/);
  expect(shell.printed).toContain('(requester s_');
  expect(shell.printed).not.toContain('hijacked');
});

let isWide = false;

test.each([
  ['an integer', `declare -i RI_PAGER=1; cat='a[$(touch evaluated)]'`, 'nothing ran'],
  ['an integer without a value', `declare -i RI_PAGER; cat='a[$(touch evaluated)]'`, /\n\.\/\r\n/],
  ['a reference', `declare -n ACK_PAGER='a[$(touch evaluated)]'`, 'nothing ran'],
  ['an array, which no child gets', 'GLAB_PAGER=(less)', 'nothing ran'],
  ['read-only', 'declare -r GLAB_PAGER', 'nothing ran'],
])('before a line that a scope covers, nothing evaluates a pager variable that is %s', async (_title, line, then) => {
  const shell = await open();
  if (!isWide) {
    shell.type('ls -d .\r');
    const id = (await shell.see(/g_[a-z2-7]{26}/))[0];
    await gated.run(`apes grants approve ${id} --as reading --term always`);
    await shell.see(PROMPT);
    isWide = true;
  }
  shell.type('ls -d ./\r');
  await shell.see(/\n\.\/\r\n[^\n]*U# $/);
  await approve(shell, line, 'once');
  await gated.run('rm -f evaluated');
  const before = shell.printed.length;
  shell.type('ls -d ./\r');
  await shell.see(/ls[^\n]*\n[\s\S]*U# $/);
  expect(shell.printed.slice(before)).toMatch(then);
  expect((await gated.run('ls')).out).not.toContain('evaluated');
  shell.type(Buffer.from('\u0004'));
});

test('in each spelling, a name that a function or alias of the session redefines needs an approval again', async () => {
  const shell = await open();
  await gated.run('echo from-the-file > some-file');
  shell.type('cat some-file\r');
  const id = (await shell.see(/g_[a-z2-7]{26}/))[0];
  await gated.run(`apes grants approve ${id} --as reading --term always`);
  await shell.see(PROMPT);
  const spellings = ['cat', '"cat"', 'c\\at', '\\cat', "$'\\x63at'", "c''at", "$'c'at"];
  const usual = ['command cat', "command $'\\x63at'"];
  const answers = async (spelling: string): Promise<string> => {
    const before = shell.printed.length;
    shell.type(`${spelling} some-file\r`);
    await shell.see(/Waiting for approval|\n(?:from-the-file|hijack-\d+)\r\n[^\n]*U# $/);
    const text = shell.printed.slice(before);
    if (text.includes('Waiting')) {
      shell.type('\u0003');
      await shell.see(PROMPT);
    }
    return /\nhijack-/.test(text) ? 'hijacked' : text.includes('Waiting') ? 'asks' : 'runs';
  };
  for (const spelling of [...spellings, ...usual])
    expect([spelling, await answers(spelling)]).toEqual([spelling, 'runs']);
  await approve(shell, 'cat() { echo hijack-$((40+2)); }', 'once');
  for (const spelling of spellings) expect([spelling, await answers(spelling)]).toEqual([spelling, 'asks']);
  for (const spelling of usual) expect(['runs', 'asks']).toContain(await answers(spelling));
  await approve(shell, 'unset -f cat; alias cat="echo hijack-42"', 'once');
  expect(await answers('cat')).toBe('asks');
  for (const spelling of [...spellings.slice(1), ...usual]) expect(['runs', 'asks']).toContain(await answers(spelling));
  shell.type(Buffer.from('\u0004'));
});

test('a grant for one directory is not used in another one, if the names of both are not UTF-8', async () => {
  const shell = await open();
  await gated.run(`mkdir -p $'one\\xff' $'one\\xfe'`);
  await approve(shell, `cd $'one\\xff'`, 'once');
  shell.type('>made\r');
  await shell.see(/not UTF-8|Waiting/);
  expect(shell.unseen + shell.printed).not.toContain('>made\r\nWaiting');
  shell.type('exit\r');
  expect((await shell.ended())?.status).toBe(65);
});
