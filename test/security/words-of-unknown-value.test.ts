/**
 * A word whose value is not known before the line runs counts as every name that it could become. Everyday standing grants for a
 * project must not cover these lines: each of them could read or write outside of the project, or write a file that runs later.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GatedStage } from './gated-stage.ts';

const stage = new GatedStage();

/** Runs the line, unchanged, as an agent would call it. */
function runLine(line: string, before = '') {
  stage.file('line', line);
  return stage.run(`${before} cd "$SCRATCH/work/repo" && ape-shell -c "$(cat ../line)"`);
}

const SETUP = `
cd "$SCRATCH" && echo secret-outside > outside.txt && echo alpha > work/victim.txt && mkdir -p "$HOME/.ssh" && echo KEY > "$HOME/.ssh/id_rsa"
mkdir -p work/repo && cd work/repo && git init -q . && git config user.name u && git config user.email u@x
mkdir -p src a/b/c d tmpl/.claude bare/objects bare/refs dashes plain
echo one > src/a.ts && echo two > src/b.ts && echo three > c.ts && echo text > x.md && cp c.ts f && cp c.ts evil.txt
echo '{}' > tmpl/.claude/settings.json && cp c.ts tmpl/x
git add -A && git commit -qm first && git checkout -q -b evil && mkdir .claude && echo '{}' > .claude/settings.json
ln -s ../../outside.txt glink && git add -A && git commit -qm evil && git format-patch -q -1 --stdout > ../evil.patch && git checkout -q - 
echo 'ref: refs/heads/main' > bare/HEAD
printf '[core]\\nrepositoryformatversion = 0\\nbare = false\\nworktree = ..\\nfsmonitor = "touch %s; true"\\n' "$SCRATCH/canary" > bare/config
echo x > 'dashes/-ovictim' && echo y > dashes/z && echo 1 > plain/one && echo 2 > plain/two
cp ../evil.patch p.diff
`;

/** Made after the approvals: with a link that leads out of the directory, a scope for `split` is not offered. */
const LINKS = `
cd "$SCRATCH/work/repo" && ln -s ../../../../../outside.txt a/b/c/deep && ln -s /etc lnk && ln -s ../../../outside.txt d/evil.txt
ln -s ../../outside.txt src/out
`;

/** Everyday approvals for always: the line that was asked for, and the proposal that was approved. */
const GRANTS: readonly (readonly [string, string])[] = [
  ['ls -la', 'reading-any'],
  ['echo hi > out.txt', 'operation'],
  ['echo x | tee out2.txt', 'operation'],
  ['sed -i s/a/b/ f', 'operation'],
  ['chmod 644 f', 'operation'],
  ['cp f g', 'operation'],
  ['mv g h', 'operation'],
  ['mkdir -p new', 'operation'],
  ['ln -s x.md l1', 'operation'],
  ['split -l 1 f', 'operation'],
  ['git checkout -b other', 'operation'],
];

beforeAll(async () => {
  await stage.open();
  const made = await stage.run(`set -e\n${SETUP}`);
  if (made.status !== 0) throw new Error(made.err);
  for (const [line, proposal] of GRANTS) {
    const asked = await runLine(line);
    const id = /g_[a-z2-7]{26}/.exec(asked.err)?.[0];
    if (asked.status !== 75 || id === undefined) throw new Error(`${line}: ${asked.status} ${asked.err}`);
    const given = await stage.run(`apes grants approve ${id} --term always --as ${proposal}`);
    if (given.status !== 0) throw new Error(`${line}: ${given.err}`);
  }
  const linked = await stage.run(`set -e\n${LINKS}`);
  if (linked.status !== 0) throw new Error(linked.err);
});
afterAll(() => stage.close());

/** Expects that the line waits for approval, and has not run. */
async function expectAsked(line: string, before = ''): Promise<void> {
  const asked = await runLine(line, before);
  expect(asked.out, line).not.toMatch(/secret-outside|KEY|hunter2/);
  expect(asked.err, line).toContain('NOT RUN YET');
  expect(asked.status, line).toBe(75);
  const state = await stage.run(
    'cd "$SCRATCH"; cat outside.txt work/victim.txt; ls canary work/repo/.envrc work/repo/.claude work/repo/z3 2>/dev/null; git -C work/repo config --get core.fsmonitor; true',
  );
  expect(state.out, line).toBe('secret-outside\nalpha\n');
}

describe('a line that stays in the project runs at once', () => {
  it.each([
    'cat src/a.ts',
    'ls *.ts',
    'wc -l plain/*',
    'cat src/{a,b}.ts',
    'cat ./*.md',
    'find src -type f -exec head -1 {} +',
    'cd plain && sort *',
    'echo *.ts && [ -f src/a.ts ] && cat x.md',
    'chmod 644 src/?.ts',
    "sed -i 's/x/x/' ./*.md",
    'mkdir -p new',
    'cp src/a.ts new && cat new/a.ts',
    'echo "$HOME" $? > new/z',
  ])('%s runs', async (line) => {
    const ran = await runLine(line);
    expect(ran.err).not.toContain('NOT RUN YET');
    expect(ran.status).toBe(0);
  });
});

describe('a line with a word that may become a path outside of the project', () => {
  it.each([
    'cat src/{.,}./{.,}./{.,}./outside.txt',
    'cat src/{.,}./../{.,}./outside.txt',
    'cat -- ~root/.*',
    'cat ~+/../../outside.txt',
    'cat -- ~-/*',
    "printf '../../outside.txt' | xargs -I{} cat ./{}",
    "printf '../../outside.txt' | xargs -I '*' timeout 5 cat './*'",
    'parallel cat ./{} ::: ../../outside.txt',
    "find . -name deep -exec cat {} ';'",
    "find a -name 'dee?' -exec cat {} +",
    'find .. -name victim.txt -exec sed -i s/a/b/ {} +',
    "find ../ -name victim.txt -exec cp c.ts {} ';'",
    "find . -name c.ts -exec cat .{}/../../../outside.txt ';'",
    'sed -i s/s/S/ src/{.,}./{.,}./{.,}./outside.txt',
    'echo ../../outside.txt | xargs -I{} tee ./{}',
    'parallel tee ./{} ::: ../../outside.txt',
    'cat src/ou?',
    'cat src/*',
    'cat lnk/host*',
  ])('%s waits for an approver', (line) => expectAsked(line));
});

describe('a line with a word that may become a sensitive path', () => {
  it.each([
    'printf \'[core]\\nfsmonitor = "touch x; true"\\n\' >> .gi?/config',
    "sed -i 's/^.core.$/[core]\\n\\tfsmonitor=touch x/' .gi?/config",
    'echo hooked | tee .gi?/description',
    'echo hooked | tee .[g]it/description',
    'echo hooked | tee {.git,y}/description',
    'chmod 640 .gi?/config',
    'echo x | tee ./{.envrc,y}',
    'echo x > .{env,}rc',
  ])('%s waits for an approver', (line) => expectAsked(line));
});

describe('a line in which a program may take a file name for an option', () => {
  it.each(['cd dashes && sort *', 'cd dashes && sort ?ovictim', 'echo x > ./-ovictim && sort *'])(
    '%s waits for an approver',
    (line) => expectAsked(line),
  );
});

describe('a line with a repository that is not called .git', () => {
  it.each([
    'git -C bare status',
    'cd bare && git status',
    'cd bare && git log',
    'mkdir -p new/objects new/refs && echo x > new/HEAD && cd new && git status',
    'cp -r bare copied2 && git -C copied2 status',
  ])('%s waits for an approver', (line) => expectAsked(line));
});

describe('a line that uses a link which it may make itself', () => {
  it.each([
    'git checkout -q evil && cat glink',
    "git checkout -q evil && echo 'touch /tmp/pwned' > glink",
    'git checkout -q -b new evil && cat glink',
    'cd a/b/c && ln -s ../../outside.txt ../../../z3 && cat ../../../z3',
    'cd a/b/c && ln -sfn ../../outside.txt ../../../z3',
    'ln -s x.md z3 && cat z3',
    'ln -s a/b/c z && cat z/../f',
    'ln -s a/b/c z && cat ./z/./../f',
    'ln -s a/b/c z && cat z/../{f,g}',
    'ln -s a/b/c z && cd z && cat ../f',
    'ln -s a/b z && echo x >> z/../f',
    'cp -a src moved && cat moved/b/../../f',
    'cp -a src moved && cat moved/out',
  ])('%s waits for an approver', (line) => expectAsked(line));
});

describe('a line that writes a tree, which counts as a write to every path in it, old and new', () => {
  it.each([
    'cp evil.txt d',
    'cp -t d evil.txt',
    'cp -r src d',
    'cd d && split -l 1 ../f evil.',
    'cp -rT tmpl .',
    'cp -r tmpl/. .',
    'cp -r tmpl/{.claude,x} .',
    'cp -r tmpl/.cl* .',
    'cp -r tmpl d2',
    'git apply p.diff',
    'git checkout evil',
    'git merge evil',
    'git restore -s evil .',
    'git stash pop',
    'chmod -R u+w .',
  ])('%s waits for an approver', (line) => expectAsked(line));
});

describe('a line with which the shell itself reads or prints a secret', () => {
  it.each([
    'echo ~/.ssh/*',
    'echo /etc/ssh/*',
    'printf "%s\\n" ~/.ss?/id*',
    '[ -f /etc/shadow ]',
    'test -r "$HOME/.ssh/id_rsa"',
    'echo $SECRET_TOKEN',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: bash's own
    'echo "x${SECRET_TOKEN:0:3}"',
    'cat <<< "$SECRET_TOKEN"',
    'for each in $SECRET_TOKEN; do echo "$each"; done',
    'other=$SECRET_TOKEN; echo "$other"',
  ])('%s waits for an approver', (line) => expectAsked(line, 'export SECRET_TOKEN=hunter2;'));
});

it('the settings that decide what runs are unchanged', () => {
  const config = readFileSync(join(stage.scratch, 'work/repo/.git/config'), 'utf8');
  expect(config).not.toContain('fsmonitor');
});
