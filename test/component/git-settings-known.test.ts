/** Every setting that the installed git lists has a reason why a covered line may run with it. A new setting of git fails here. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { COVERED_VARIABLES } from '../../src/core/covered-variables.ts';
import type { HookKind } from '../../src/core/effects/command-context.ts';
import { hasHooks } from '../../src/gate/facts/git-hooks.ts';

const settings = spawnSync('git', ['help', '--config'], { encoding: 'utf8' }).stdout.split('\n');
const listed = [...new Set(settings.filter((line) => /^[\w<]+(?:[.-][^ ]+)+$/.test(line)))];
/** Settings that the list of git does not have. */
const HIDDEN = [
  'gc.recentObjectsHook',
  'trailer.<name>.command',
  'trailer.<name>.cmd',
  'hook.<name>.command',
  'remote.<name>.pruneTags',
];

/** The settings that the variables of a covered line replace. */
const parameters = COVERED_VARIABLES.find(([name]) => name === 'GIT_CONFIG_PARAMETERS')?.[1] ?? '';
const replaced = new Set([...parameters.matchAll(/'([\w.]+)=/g)].map(([, name = '']) => name.toLowerCase()));
/** Programs for which a covered line has a variable that takes precedence. */
const BY_VARIABLE = /^(?:core\.(?:editor|pager)|pager\..*|sequence\.editor)$/;

/** The settings that the host looks for, with a value that must be found. */
const LOOKED_FOR: readonly (readonly [HookKind, RegExp, string?])[] = [
  ['record', /^(?:core\.(?:alternaterefscommand|askpass|gitproxy|sshcommand)|credential\.(?:<url>\.)?helper)$/],
  ['record', /^(?:diff|filter|merge)\.<driver>\.(?:command|textconv|clean|smudge|process|driver)$|^diff\.external$/],
  [
    'record',
    /^gpg\.(?:<format>\.)?program$|^gpg\.ssh\.defaultkeycommand$|^interactive\.difffilter$|^trailer\.<name>\./,
  ],
  [
    'record',
    /^remote\.<name>\.vcs$|^branch\.<name>\.mergeoptions$|^pull\.(?:octopus|twohead)$|^submodule\.<name>\.update$/,
  ],
  ['record', /^hook\.<name>\.command$|^gc\.recentobjectshook$/],
  ['refspec', /^remote\.<name>\.(?:push|fetch|mirror|prune|prunetags)$|^push\.default$/],
  ['sort', /^(?:branch|tag)\.sort$/],
  ['upstream', /^push\.autosetupremote$/, 'true'],
  ['url', /^url\.<base>\.(?:push)?insteadof$|^fetch\.bundleuri$|^transfer\.bundleuri$/],
  ['remote', /^remote\.<name>\.(?:push)?url$|^branch\.<name>\.(?:push)?remote$|^remote\.pushdefault$/],
];

/** Settings that other code looks at: the settings files themselves, and where the work tree is. */
const ELSEWHERE = /^(?:include(?:if\.<condition>)?\.path|core\.(?:bare|worktree)|extensions\..*)$/;
/** Settings of commands that no rule covers: other programs and servers, and commands that open a tool. */
const NOT_COVERED =
  /^(?:alias|browser|bundle|completion|credentialcache|credentialstore|daemon|difftool|fastimport|gitcvs|gitweb|gui|guitool|help|imap|instaweb|lsrefs|mailinfo|man|mergetool|receive|scalar|sendemail|uploadarchive|uploadpack|uploadpackfilter|web)\./;
/** Sections whose settings choose no program, no ref and no host: how git shows, stores and checks. */
const HARMLESS_SECTION =
  /^(?:add|advice|am|apply|attr|author|blame|checkout|clean|color|column|commitgraph|committer|feature|format|fsck|fsmonitor|gc|grep|http|i18n|index|init|log|mailmap|maintenance|notes|pack|pretty|protocol|rerere|repack|revert|safe|showbranch|sparse|splitindex|ssh|stash|status|tag|tar|trace2|user|versionsort|worktree)\./;
const HARMLESS: Readonly<Record<string, RegExp>> = {
  branch: /^(?:<name>\.(?:description|merge|rebase)|autosetuprebase)$/,
  clone: /^(?:defaultremotename|filtersubmodules|rejectshallow)$/,
  commit: /^(?:cleanup|gpgsign|status|template|verbose)$/,
  core: /^(?:abbrev|alternaterefsprefixes|attributesfile|autocrlf|bigfilethreshold|check\w+|comment\w+|commitgraph|\w*compression|createobject|deltabasecachelimit|eol|excludesfile|filemode|filesreflocktimeout|fsmonitorhookversion|fsync\w*|hidedotfiles|ignorecase|ignorestat|logallrefupdates|lockfilepid|maxtreedepth|multipackindex|notesref|packed\w+|precomposeunicode|prefersymlinkrefs|preloadindex|protect\w+|quotepath|repositoryformatversion|restrictinheritedhandles|safecrlf|sharedrepository|sparsecheckout\w*|splitindex|symlinks|trustctime|unsetenvvars|untrackedcache|usereplacerefs|warnambiguousrefs|whitespace)$/,
  credential: /^(?:<url>\.\*|interactive|protectprotocol|sanitizeprompt|usehttppath|username)$/,
  diff: /^(?:<driver>\.(?:algorithm|binary|cachetextconv|trustexitcode|wordregex|xfuncname)|(?!external)\w+)$/,
  fetch:
    /^(?:all|bundlecreationtoken|fsck\..*|fsckobjects|negotiationalgorithm|output|parallel|showforcedupdates|unpacklimit|writecommitgraph)$/,
  gpg: /^(?:format|mintrustlevel|ssh\.(?:allowedsignersfile|revocationfile))$/,
  interactive: /^singlekey$/,
  merge:
    /^(?:<driver>\.(?:name|recursive)|autostash|branchdesc|conflictstyle|defaulttoupstream|directoryrenames|ff|guitool|log|rename\w+|renormalize|stat|suppressdest|tool|verbosity|verifysignatures)$/,
  pull: /^(?:ff|rebase)$/,
  push: /^(?:gpgsign|negotiate|pushoption|usebitmaps|useforceifincludes)$/,
  rebase:
    /^(?:abbreviatecommands|autosquash|autostash|backend|forkpoint|instructionformat|maxlabellength|missingcommitscheck|rebasemerges|reschedulefailedexec|stat)$/,
  remote:
    /^<name>\.(?:followremotehead|partialclonefilter|promisor|proxy|proxyauthmethod|receivepack|serveroption|skipdefaultupdate|skipfetchall|tagopt|uploadpack)$/,
  remotes: /^<group>$/,
  submodule:
    /^(?:<name>\.(?:active|branch|fetchrecursesubmodules|ignore|url)|active|alternate\w+|fetchjobs|propagatebranches)$/,
  transfer: /^(?:advertise\w+|credentialsinurl|fsckobjects|hiderefs|unpacklimit)$/,
};

function reasonFor(setting: string): string | null {
  const name = setting.toLowerCase();
  const [section = '', ...rest] = name.split('.');
  if (replaced.has(name) || BY_VARIABLE.test(name)) return 'replaced';
  if (LOOKED_FOR.some(([, pattern]) => pattern.test(name))) return 'looked for';
  if (ELSEWHERE.test(name)) return 'looked for elsewhere';
  if (NOT_COVERED.test(name)) return 'of a command that is not covered';
  return HARMLESS_SECTION.test(name) || HARMLESS[section]?.test(rest.join('.')) === true ? 'harmless' : null;
}

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'ape-git-settings-'));
  mkdirSync(join(directory, 'home'));
  mkdirSync(join(directory, 'repo/.git'), { recursive: true });
  writeFileSync(join(directory, 'repo/.git/HEAD'), 'ref: refs/heads/main\n');
});
afterAll(() => rmSync(directory, { recursive: true }));

function isFound(kind: HookKind, text: string): boolean {
  writeFileSync(join(directory, 'repo/.git/config'), text);
  return hasHooks(join(directory, 'repo'), kind, new Map([['HOME', join(directory, 'home')]]));
}

it('git lists settings, and each one has a reason', () => {
  expect(listed.length).toBeGreaterThan(500);
  expect(listed.filter((setting) => reasonFor(setting) === null)).toEqual([]);
});

it('the host finds each setting that it has to look for', () => {
  const missed = [...listed, ...HIDDEN].flatMap((setting) => {
    const [kind, , value = '../x'] = LOOKED_FOR.find(([, pattern]) => pattern.test(setting.toLowerCase())) ?? [];
    const [section = '', key = ''] = [setting.split('.')[0], setting.split('.').at(-1)];
    const parts = setting
      .split('.')
      .slice(1, -1)
      .map((part) => part.replace(/[<>]/g, ''));
    const header = parts.length === 0 ? `[${section}]` : `[${section} "${parts.join('.')}"]`;
    return kind === undefined || isFound(kind, `${header}\n\t${key} = ${value}\n`) ? [] : [setting];
  });
  expect(missed).toEqual([]);
});

it.each([
  '[filter "lfs"]\n\tclean = git-lfs clean -- %f\n\tsmudge = git-lfs smudge -- %f\n\tprocess = git-lfs filter-process\n',
  '[filter "x"]\n\tclean = "\\"git-crypt\\" clean"\n\trequired = true\n',
  '[credential]\n\thelper = cache --timeout=3600\n[credential "https://github.com"]\n\thelper =\n\thelper = !/usr/bin/gh auth git-credential\n',
  '[credential]\n\thelper = !/opt/homebrew/bin/gh auth git-credential\n\thelper = /opt/gcm/git-credential-manager\n',
  '[core]\n\tsshCommand = ssh -i ~/.ssh/id_work -o IdentitiesOnly=yes\n\tpager = ./less\n\teditor = ./vi\n',
  '[gpg]\n\tformat = ssh\n[gpg "ssh"]\n\tprogram = /opt/1Password/op-ssh-sign\n\tdefaultKeyCommand = ssh-add -L\n',
  '[alias]\n\tclean = !./x\n[difftool "x"]\n\tcmd = ./x\n[mergetool "x"]\n\tcmd = code --wait $MERGED\n[fetch]\n\tprune = true\n',
  '[filter "x"]\n\tclean = cat ; ./x\n[user]\n\tname = "[filter]" # clean = ./x \\\n\temail = x\n',
  '[filter "x"]\n\tclean = git-\\\nlfs "clean"\n[other "filter"]\n\tclean = ./x\n',
  '[constructor]\n\tname = x\n[pull]\n\trebase = true\n[submodule "x"]\n\tupdate = none\n',
  '[diff "gpg"]\n\ttextconv = gpg --no-tty --decrypt\n[interactive]\n\tdiffFilter = delta --color-only\n[gpg]\n\tprogram = gpg2\n',
])('no program of the project is in %j', (text) => {
  expect([isFound('record', text), isFound('refspec', text)]).toEqual([false, false]);
});

it.each([
  '[filter "x"]\n\tclean = node tools/x.js\n',
  ...[
    'ssh-keygen -D',
    'ssh-add -s',
    'gpg --options',
    'gpg --agent-program',
    'gpg2 --homedir',
    'delta --pager',
    'delta --config',
  ].map((words) => `[filter "x"]\n\tclean = ${words} /home/u/project/x\n`),
  '[delta]\n\tpager = ./x\n',
  '[filter "x"]\n\tclean = git-lfs "clean; ./x"\n',
  '[filter "x"]\n\tclean = git-lfs clean -- ./x\n',
  '[filter "x"] clean = ./x\n',
  '[filter "a=b"] clean = ./x\n',
  '[filter "x[y"]\n\tclean = ./x\n',
  '# \\\n[filter "x"]\n\tclean = ./x\n',
  '[user]\n\tname = x\\\\\n[filter "x"]\n\tclean = sh ./x\n',
  '[user]\n\tname = "#"\n\temail = x\\\\\r\n[filter "x"]\n\tclean = sh ./x\n',
  ...[...'\r\u2028\u2029\t\v'].map((odd) => `[filter "x"]\n\tclean = cat${odd}|| sh ./x\n`),
  '[filter "x"]\n\tclean = cat\\n sh ./x\n',
  '[filter "x"]\n\tclean = "cat; sh ./x"\n',
  '[filter "x"]\n\tclean = cat "|" sh ./x\n',
  '[filter.x]\n\tclean = sh ./x\n',
  '\ufeff[filter "x"]\n\tclean = sh ./x\n',
  '[filter "x"]\n\tclean\n',
  '[user\n\tname = x\n',
  '[gc]\n\trecentObjectsHook = ./x\n',
  '[lfs "extension.x"]\n\tclean = ./x\n',
  '[lfs "customtransfer.x"]\n\tpath = ./x\n',
  '[filter "x"]\n\tclean = /usr/../home/u/p/cat\n',
  '[core]\n\tsshCommand = ssh -F x\n',
  '[credential]\n\thelper = !./x\n',
  '[pull]\n\ttwohead = mine\n',
])('a program of the project is possibly in %j', (text) => {
  expect(isFound('record', text)).toBe(true);
});
