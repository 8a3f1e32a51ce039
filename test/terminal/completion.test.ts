// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are bash
/**
 * TAB and similar keys, with bash-completion loaded: the screen afterwards is the same as in plain bash, although other code
 * completes (src/pty/completion.bash), because bash's own completion evaluates typed text.
 */
import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { gatedBash, makePlace, type Place, plainBash } from '../fixtures/terminal/start-host.ts';
import { runScenario, screenOf } from './scenario.ts';

const PREPARE = [
  'mkdir sub "a b" .hid; touch fone ftwo "a b/q" a:b eq=al "it\'s" sub/inner archive.tar; ln -s sub lnk',
  'printf "all:\\n\\ninstall:\\n\\ntest-this:\\n" >Makefile',
  'git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x && git branch feature-one',
  'mkdir -p ../h/.ssh ../h/folder && printf "Host alpha-host\\n" >../h/.ssh/config && touch ../h/.hidden-file',
].join('; ');

/** Keys, and the screen text that shows their effect. A `%` is typed after them. */
type Keys = readonly (readonly [string, RegExp])[];

const LIST = '\t\t';
const CASES: Readonly<Record<string, Keys>> = {
  'a file': [['ls ft\t', /ftwo $/]],
  'a beginning, then a list': [[`ls f${LIST}`, /fone {2}ftwo[\s\S]*U# ls f$/]],
  'a name with a space': [['ls a\\ \t', /a\\ b\/$/]],
  'in double quotes': [['ls "a \t', /"a b"?\/$/]],
  'in single quotes': [["ls 'a \t", /'a b'?\/$/]],
  'a name with a quote': [['ls it\t', /it\\'s $/]],
  'a name with a break character': [['ls eq\t', /eq\\=al $/]],
  'after an equals sign': [['dd if=fo\t', /if=fone $/]],
  'the home directory by ~': [['cat ~/.hidden\t', /~\/\.hidden-file $/]],
  'the home directory by $HOME': [['cat $HOME/.hidden\t', /\$HOME\/\.hidden-file $/]],
  'a directory with cd': [['cd su\t', /sub\/$/]],
  'only directories with cd': [['cd ~/fol\t', /folder\/$/]],
  'the parent directory': [['ls ..\t', /\.\.\/$/]],
  'a redirection': [['cat <fo\t', /fone $/]],
  'a second command': [['true; ls ft\t', /ftwo $/]],
  'a pipe': [['cat x | grep --files-with-m\t', /--files-with-matches $/]],
  'a command': [['systemctl\t', /systemctl $/]],
  'a builtin': [['dirnam\t', /dirname $/]],
  'a variable': [['echo $HISTFILESI\t', /HISTFILESIZE $/]],
  'a variable that is a directory': [['ls $HOM\t', /ls \$HOM[\s\S]*E/]],
  'a variable in braces': [['echo ${HISTFILESI\t', /HISTFILESIZE\} ?$/]],
  'a user': [['ls ~roo\t', /~root\/$/]],
  'a verb of git': [['git chec\t', /git check/]],
  'a branch of git': [['git checkout fea\t', /feature-one $/]],
  'a list of git': [[`git che${LIST}`, /cherry-pick[\s\S]*U# git che$/]],
  'a target of make': [['make tes\t', /test-this $/]],
  'targets of make': [[`make ${LIST}`, /test-this[\s\S]*U# make $/]],
  'an option': [['ls --auth\t', /--author $/]],
  'a host of ssh': [['ssh alpha\t', /alpha-host $/]],
  'a unit verb': [['systemctl daemon-rel\t', /daemon-reload $/]],
  'a signal': [['kill -SEG\t', /-SEGV/]],
  'an owner': [['chown roo\t', /root/]],
  'a package verb': [['apt-get dist-up\t', /dist-upgrade $/]],
  'a manual page': [['man bashbu\t', /bashbug/]],
  'an archive': [['tar xf arch\t', /archive\.tar $/]],
  'a name to unset': [['unset HISTFILESI\t', /HISTFILESIZE $/]],
  'a specification without a function': [['type dirnam\t', /dirname $/]],
  'M-? lists': [['ls f\x1b?', /ftwo[\s\S]*U# ls f$/]],
  'M-* inserts all': [['ls f\x1b*', /fone ftwo $/]],
  'after a comment and a newline': [['# note\x16\nls ft\t', /wo/]],
  'in the middle of a line': [['ls ft x\x1b[D\x1b[D\t', /wo/]],
  'what is not there': [['ls nosuchthing\t', /nosuchthing\x07?$/]],
};

/** The cases that differ from plain bash, each with its reason. */
const DIFFERENT: Readonly<Record<string, string>> = {
  'a variable that is a directory':
    'Variables are completed without asking bash-completion, so a directory gets its slash.',
  'a variable in braces': 'Variables are completed without asking bash-completion, so no space follows the brace.',
};

const STARTUP = "PS1='U# '\n. /usr/share/bash-completion/bash_completion\n";

async function shown(keys: Keys, start: (place: Place) => ReturnType<typeof plainBash>): Promise<string> {
  const place = makePlace(STARTUP);
  execFileSync('bash', ['-c', PREPARE], { cwd: place.work });
  const outcome = await runScenario(
    async (session) => {
      for (const [typed, seen] of keys) {
        session.type(typed);
        await session.see(seen);
        // The shell handles keys in their order, so the effect of this key comes after that of all other keys.
        session.type('\x05%');
        await session.see(/%$/);
      }
    },
    start(place),
    place,
  );
  return (await screenOf(outcome, place)) + (/<no .*>/.exec(outcome.bytes)?.[0] ?? '');
}

describe.concurrent('TAB completes as in plain bash with bash-completion', () => {
  test.for(Object.entries(CASES))(
    'shows the same screen as plain bash, or a listed difference: %s',
    { timeout: 120_000 },
    async ([name, keys], { expect }) => {
      const [plain, gated] = await Promise.all([shown(keys, plainBash), shown(keys, gatedBash)]);
      expect(plain).not.toContain('<no ');
      if (Object.hasOwn(DIFFERENT, name)) expect(gated, `${name} is the same: take it off the list`).not.toBe(plain);
      else expect(gated).toBe(plain);
    },
  );
});

/** Here bash-completion puts a backslash before the `$`, or completes nothing. */
test.for([
  ['cat "$HOME/.hidden', 'cat "$HOME/.hidden-file" '],
  ['cat "${HOME}/.hidden', 'cat "${HOME}/.hidden-file" '],
  ["cat $HOME'/.hidden", "cat $HOME'/.hidden-file' "],
] as const)(
  'A name behind a variable and a quote is completed: %s',
  { timeout: 120_000 },
  async ([typed, whole], { expect }) => {
    expect(await shown([[`${typed}\t`, /hidden-file["'] $/]], gatedBash)).toContain(`U# ${whole}%`);
  },
);

test('Each listed difference is a case, and has a reason', () => {
  for (const [name, why] of Object.entries(DIFFERENT)) {
    expect(Object.keys(CASES)).toContain(name);
    expect(why).toMatch(/^[A-Z].{20,}\.$/);
  }
});
