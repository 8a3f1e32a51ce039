/** Lines that a tool reads differently than a careless rule file would. With grants for everyday commands each line waits and changes no file. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GatedStage } from './gated-stage.ts';

const stage = new GatedStage();
const here = (command: string): string => `cd "$SCRATCH/work/repo" && ${command}`;
const CANARY = '"$SCRATCH/work/canary"';

/** Asks for a line, and approves the proposal of that name for always. */
async function grant(line: string, proposal: string): Promise<void> {
  const asked = await stage.run(here(`ape-shell -c ${quoted(line)}`));
  const id = /g_[a-z2-7]{26}/.exec(asked.err)?.[0] ?? '';
  const given = await stage.run(`apes grants approve ${id} --term always --as ${proposal}`);
  if (asked.status !== 75 || given.status !== 0) throw new Error(`${line}: ${asked.err} ${given.err}`);
}

const quoted = (line: string): string => `'${line.replaceAll("'", `'\\''`)}'`;

beforeAll(async () => {
  await stage.open();
  const made = await stage.run(
    [
      'mkdir -p "$SCRATCH/work/repo" && cd "$SCRATCH/work/repo" && git init -q . && echo one > a && echo a > list',
      'git add . && git -c user.name=u -c user.email=u@x commit -qm first',
      'mkdir "$SCRATCH/work/other" build && echo secret > "$SCRATCH/work/other/v.o" && ln -s "$SCRATCH/work/other" build/out',
      'echo keep > ../victim && echo print\\(1\\) > a.py',
      'echo b > a && git -c user.name=u -c user.email=u@x stash -q',
    ].join(' && '),
  );
  if (made.status !== 0) throw new Error(made.err);
  await grant('git status', 'reading');
  await grant('ls -la', 'reading-any');
  await grant('git stash drop', 'operation');
  await grant("find build -name '*.o' -delete", 'operation');
  await grant('python3 a.py', 'operation');
});
afterAll(() => stage.close());

it('the lines that the grants are meant for run', async () => {
  for (const line of [
    'git log --oneline -3',
    'git diff -U5 --stat',
    'git config --get core.bare',
    'python3 a.py',
    'xxd -l 4 a',
  ])
    expect([line, await stage.run(here(`ape-shell -c ${quoted(line)}`))]).toMatchObject([line, { status: 0 }]);
});

describe('a line waits for approval, and changes no file', () => {
  it.each([
    ['a value that git takes for an option', `git log -1 -s -U --output=../victim --format=tformat:x`],
    [
      'a value that git takes for an option, in a bundle of options',
      `git show -s -pU --output=../victim --format=tformat:x`,
    ],
    ['a value that git takes for an option, behind --unified', `git diff --unified --output=../victim HEAD`],
    ['a setting that is written', `git config credential.helper '--default=x;touch ${CANARY};'`],
    ['a setting of the user that is written', 'git config --global core.sshCommand --default=x'],
    ['options behind --', `git pull -- '--upload-pack=touch ${CANARY};' .`],
    ['a terminal for a pager', `printf '!touch ${CANARY}\\n\\nq' | script -qc 'git log' /dev/null`],
    ['a session with a terminal', 'setsid -c git log'],
    ['another subcommand', 'git stash clear'],
    ['a program on standard input', `echo 'open("../canary", "w")' | python3 -`],
    ['the file of standard input as the program', `python3 /dev/stdin <<< 'open("../canary", "w")'`],
    ['options in a file', 'strings @list'],
    ['the files that a list of checksums names', 'sha256sum -c list'],
    ['a copy of a file with secrets', 'cat .env~'],
    ['a key under another name', 'head -1 deploy/id_rsa.old'],
    ['a history of what was typed', 'tail -5 .psql_history'],
    ['a second operand', 'xxd a -p'],
    ['a bundle of which the tool reads only one letter', 'xxd -pl ../victim'],
    ['links that are followed', "find build -follow -name '*.o' -delete"],
    ['a question to a registry', 'npm outdated'],
    ['a question to a daemon', 'docker ps'],
  ])('that has %s', async (_what, line) => {
    const asked = await stage.run(here(`ape-shell -c ${quoted(line)}`));
    expect(asked.err).toContain('NOT RUN YET');
    expect(asked.status).toBe(75);
    const after = await stage.run(
      here(
        `cat ../victim ../other/v.o; git stash list | wc -l; git config --get-all credential.helper; ls "$SCRATCH/home" -A; ls ${CANARY} -- -p 2>/dev/null; true`,
      ),
    );
    expect(after.out).toBe('keep\nsecret\n1\n');
  });
});
