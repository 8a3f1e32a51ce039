/**
 * The table of wrappers. A wrapper is a program or a builtin that runs another command. The table has the options of each wrapper, and
 * says where the command is.
 * Sources: the manuals of coreutils 9, findutils 4.9, util-linux 2.38, sudo 1.9, OpenSSH 9, strace 6, procps 4, docker 27,
 * kubectl 1.30, and bash 5.2. An option that is not listed makes the command opaque.
 */
import type { ReasonCode } from '../reasons/reason.ts';
import type { Lookup, Setting, SettingKind } from './unwrapping.ts';

/**
 * Where the command is:
 * - `words`: the words after options and operands
 * - `joined`: the words after options and operands; the wrapper joins the words with blanks, and a shell reads the result
 * - `text`: the value of the option with the meaning `text`; a shell reads this value
 */
type CommandForm = 'words' | 'joined' | 'text';

/**
 * Entries with the same name are tried in the order of the table.
 * @property verbs     the words that must follow the name
 * @property first     the word after the verbs must be one of these options
 * @property options   in the notation of `optionTable`; an option can have one of the meanings below. A scope for the inner command sees no
 *   option of the wrapper. Therefore an option that has none of these meanings must not change what the command does, where the command
 *   runs, or as which user. Options that make such a change, and for which no meaning fits, are left out (examples: the port of ssh,
 *   the group of sudo). The meanings are:
 *   - `user`, `host`, `container`, `directory`: the setting of that name
 *   - `clean`, `login`: the settings `clean environment` and `login shell`
 *   - `writes`, `reads`: a file that the wrapper writes or reads
 *   - `text`: the command, as a text for a shell
 *   - `words`: the form of the command becomes `words`
 *   - `describes`: the wrapper runs nothing
 *   - `unset`: a variable that the command does not get
 *   - `assigns`: `NAME=VALUE`, a variable that the command gets
 *   - `replaces`: a mark; in the words of the command, the wrapper replaces this mark with input
 *   - `counts`: how much input one run of the command gets; a call with both `counts` and `replaces` is opaque
 *   - `filter`: the value must match `FILTERS`
 *   - `follows`: if the option is given twice, the wrapper writes one file for each process
 *   - `terminal`: the command gets a terminal
 *   - `plain`: the command gets no terminal
 *   - `background`: the wrapper may end before the command
 * @property operands  form and meaning of the operands between the options and the command
 * @property permutes  whether options can follow operands. With `permutes` and no `separator`, operands can be missing
 * @property assigns   whether `NAME=VALUE` words can be in front of the command
 * @property separator the word in front of the command; a call without this word has no command
 * @property splits    matches the first word if it is the option -S of env; env splits the value of -S into words
 * @property dashC     whether `-c TEXT` can be in place of the words of the command
 * @property given     settings that apply if no operand and no option gives a setting of the same kind
 * @property terminal  when the command gets a terminal: `always`, or `usually` (unless the call has an option with the meaning `plain`)
 * @property isLeftRunning whether the wrapper may end before the command, whatever the options are
 * @property alone     what a call without an inner command is: `plain` for an ordinary command, else the reason why the call is opaque
 * @property lookup    how the name of the inner command is looked up
 * @property builtin   `bash`: the wrapper is a builtin of bash only. `sh`: a builtin of every POSIX shell. Absent: the wrapper is a file
 */
export interface Wrapper {
  readonly name: string;
  readonly verbs?: readonly string[];
  readonly first?: readonly string[];
  readonly options: string;
  readonly operands?: readonly Operand[];
  readonly permutes?: true;
  readonly assigns?: true;
  readonly separator?: '--';
  readonly splits?: RegExp;
  readonly dashC?: true;
  readonly given?: readonly Setting[];
  readonly terminal?: 'always' | 'usually';
  readonly isLeftRunning?: true;
  readonly form: CommandForm;
  readonly alone: 'plain' | NoCommand;
  readonly lookup: Lookup;
  readonly builtin?: 'bash' | 'sh';
}

/** Why a wrapper without a command is opaque. */
type NoCommand = Extract<
  ReasonCode,
  | 'starts-shell'
  | 'opens-remote-shell'
  | 'no-command-as-user'
  | 'no-command-to-watch'
  | 'no-command-to-trace'
  | 'no-command-in-container'
  | 'no-dashes-before-command'
>;

interface Operand {
  readonly looksLike: RegExp;
  readonly means?: SettingKind | 'writes';
}

const ANY = /^[^-]/;
const DURATION = /^\d+(?:\.\d+)?[smhd]?$/;
const setting = (kind: SettingKind, value: string | null = null): Setting => ({ kind, value });
const REPEATED = [setting('repeated')];
const ROOT = [setting('user', 'root')];
const SHELL_TEXT = { form: 'text', lookup: 'sh' } as const;
const WORDS = { form: 'words', lookup: 'file' } as const;
const NO_COMMAND = 'starts-shell';
const CONTAINER_OPTIONS =
  '-d:background --detach:background -i --interactive -t:terminal --tty:terminal -u=:user --user=:user -w=:directory --workdir=:directory -e=:assigns --env=:assigns';

export const WRAPPERS: readonly Wrapper[] = [
  {
    name: 'env',
    options:
      '-:clean -i:clean --ignore-environment:clean -0 --null -v --debug -u=:unset --unset=:unset -C=:directory --chdir=:directory --block-signal[=] --default-signal[=] --ignore-signal[=]',
    assigns: true,
    splits: /^(?:-S|--split-string)(?:=?(.*))$/s,
    alone: 'plain',
    ...WORDS,
  },
  {
    name: 'timeout',
    // With --foreground, timeout ends only the command. Processes that the command has started go on.
    options: '-s= --signal= -k= --kill-after= -f:background --foreground:background -p --preserve-status -v --verbose',
    operands: [{ looksLike: DURATION }],
    alone: 'plain',
    ...WORDS,
  },
  { name: 'nice', options: '-n= --adjustment= -#', alone: 'plain', ...WORDS },
  { name: 'ionice', options: '-c= --class= -n= --classdata= -t --ignore', alone: 'plain', ...WORDS },
  {
    name: 'chrt',
    options: '-b --batch -f --fifo -i --idle -o --other -r --rr -R --reset-on-fork -v --verbose',
    operands: [{ looksLike: /^\d+$/ }],
    alone: 'plain',
    ...WORDS,
  },
  {
    name: 'taskset',
    options: '-a --all-tasks -c --cpu-list',
    operands: [{ looksLike: /^[0-9a-fx,:-]+$/i }],
    alone: 'plain',
    ...WORDS,
  },
  { name: 'stdbuf', options: '-i= --input= -o= --output= -e= --error=', alone: 'plain', ...WORDS },
  { name: 'nohup', options: '', alone: 'plain', ...WORDS },
  {
    name: 'setsid',
    options: '-c:terminal --ctty:terminal -f --fork -w --wait',
    // setsid forks even without -f if setsid leads a process group. Each command of an interactive shell leads a process group.
    isLeftRunning: true,
    alone: 'plain',
    ...WORDS,
  },
  {
    name: 'time',
    options: '-p --portability -v --verbose -q --quiet -a --append -f= --format= -o=:writes --output=:writes',
    alone: 'plain',
    ...WORDS,
  },
  { name: 'chronic', options: '-v -e', alone: 'plain', ...WORDS },
  { name: 'eatmydata', options: '', alone: 'plain', ...WORDS },
  { name: 'unbuffer', options: '-p', terminal: 'always', alone: 'plain', ...WORDS },
  { name: 'caffeinate', options: '-d -i -m -s -u -t=', alone: 'plain', ...WORDS },
  {
    name: 'command',
    options: '-v:describes -V:describes',
    form: 'words',
    lookup: 'builtin or file',
    alone: 'plain',
    builtin: 'sh',
  },
  { name: 'builtin', options: '', form: 'words', lookup: 'builtin', alone: 'plain', builtin: 'bash' },
  { name: 'exec', options: '-c:clean', alone: 'plain', builtin: 'sh', ...WORDS },
  {
    name: 'xargs',
    options:
      '-0 --null -r --no-run-if-empty -t --verbose -p --interactive -x --exit -o:terminal --open-tty:terminal -a=:reads --arg-file=:reads -d= --delimiter= -E= -L=:counts --max-lines[=]:counts -n=:counts --max-args=:counts -P= --max-procs= -s= --max-chars= -I=:replaces',
    given: REPEATED,
    alone: 'plain',
    ...WORDS,
  },
  {
    name: 'flock',
    options:
      '-s --shared -x --exclusive -e -u --unlock -n --nb --nonblock -w= --timeout= --wait= -E= --conflict-exit-code= -o --close -F --no-fork --verbose',
    operands: [{ looksLike: ANY, means: 'writes' }],
    dashC: true,
    alone: 'plain',
    ...WORDS,
  },
  {
    name: 'chroot',
    options: '--userspec=:user --skip-chdir',
    operands: [{ looksLike: ANY, means: 'root directory' }],
    alone: NO_COMMAND,
    ...WORDS,
  },
  {
    name: 'sudo',
    options:
      '-u=:user --user=:user -n --non-interactive -H --set-home -S --stdin -k --reset-timestamp -b:background --background:background -p= --prompt= -B --bell -N --no-update -D=:directory --chdir=:directory -T= --command-timeout= -C= --close-from=',
    assigns: true,
    given: ROOT,
    alone: 'no-command-as-user',
    ...WORDS,
  },
  { name: 'doas', options: '-u=:user -n', given: ROOT, alone: 'no-command-as-user', ...WORDS },
  {
    name: 'runuser',
    first: ['-u', '--user'],
    options: '-u=:user --user=:user',
    alone: NO_COMMAND,
    ...WORDS,
  },
  ...['su', 'runuser'].map(
    (name): Wrapper => ({
      name,
      options: '-c=:text --command=:text -:login -l:login --login:login',
      operands: [{ looksLike: /^[A-Za-z_][\w.@-]*\$?$/, means: 'user' }],
      permutes: true,
      given: ROOT,
      alone: NO_COMMAND,
      ...SHELL_TEXT,
    }),
  ),
  {
    name: 'script',
    options:
      '-a --append -e --return -f --flush -q --quiet -c=:text --command=:text -E= --echo= -I=:writes --log-in=:writes -O=:writes --log-out=:writes -B=:writes --log-io=:writes -T=:writes --log-timing=:writes',
    operands: [{ looksLike: ANY, means: 'writes' }],
    permutes: true,
    terminal: 'always',
    alone: NO_COMMAND,
    ...SHELL_TEXT,
  },
  {
    name: 'watch',
    options:
      '-b --beep -c --color -d[=]:filter --differences[=]:filter -e --errexit -g --chgexit -n= --interval= -p --precise -q= --equexit= -r --no-rerun -t --no-title -w --no-wrap -x:words --exec:words',
    given: REPEATED,
    alone: 'no-command-to-watch',
    form: 'joined',
    lookup: 'sh',
  },
  {
    name: 'strace',
    options:
      '-f:follows -q -r -t -T -v -x -y -c -C -d -i -k -w -z -Z -n --follow-forks:follows -e=:filter -s= --string-limit= -S= -a= -X= -o=:writes --output=:writes',
    alone: 'no-command-to-trace',
    ...WORDS,
  },
  {
    name: 'ltrace',
    options: '-f -c -C -S -i -r -t -T -e=:filter -n= -s= -o=:writes --output=:writes',
    alone: 'no-command-to-trace',
    ...WORDS,
  },
  {
    name: 'unshare',
    options:
      '-r --map-root-user -c --map-current-user -m --mount -n --net -p --pid -u --uts -i --ipc -U --user -C --cgroup -T --time -f --fork --mount-proc --kill-child',
    given: [setting('namespace')],
    alone: NO_COMMAND,
    ...WORDS,
  },
  {
    name: 'ssh',
    options:
      '-4 -6 -a -C -f:background -k -n -q -t:terminal -T -v -x -b= -B= -c= -e= -i=:reads -l=:user -m= -o=:filter',
    operands: [{ looksLike: /^(?!-)[A-Za-z0-9._@:[\]-]+$/, means: 'host' }],
    alone: 'opens-remote-shell',
    form: 'joined',
    lookup: 'sh',
  },
  ...['docker', 'podman', 'nerdctl'].flatMap((name): Wrapper[] =>
    [['exec'], ['container', 'exec'], ['compose', 'exec']].map((verbs) => ({
      name,
      verbs,
      options: `${CONTAINER_OPTIONS}${verbs[0] === 'compose' ? ' -T:plain --no-TTY:plain' : ' --detach-keys='}`,
      operands: [{ looksLike: ANY, means: 'container' }],
      ...(verbs[0] === 'compose' ? { terminal: 'usually' as const } : {}),
      alone: 'no-command-in-container',
      ...WORDS,
    })),
  ),
  {
    name: 'kubectl',
    verbs: ['exec'],
    options: '-i --stdin -t:terminal --tty:terminal -q --quiet',
    operands: [{ looksLike: ANY, means: 'container' }],
    permutes: true,
    separator: '--',
    alone: 'no-dashes-before-command',
    ...WORDS,
  },
];

/** For each wrapper, the harmless values of options with the meaning `filter`. Other values may run a program or change a process. */
export const FILTERS: Readonly<Record<string, RegExp>> = {
  strace: /^(?:(?:trace|signal|status|abbrev|verbose|quiet)=)?[\w,%!]+$/,
  ltrace: /^[\w,+*-]+$/,
  /** In some versions of watch, `-dx` is `-d` with the value `x`; in other versions, `-dx` is `-d -x`. */
  watch: /^permanent$/,
  ssh: /^(?:(?:BatchMode|ConnectTimeout|ConnectionAttempts|IdentitiesOnly|LogLevel|PasswordAuthentication|PreferredAuthentications|ServerAliveCountMax|ServerAliveInterval)[= ][\w,.-]+|RequestTTY[= ](?:no|auto)|StrictHostKeyChecking[= ](?:yes|ask))$/i,
};

/**
 * Programs that start other commands in ways that unwrapping does not model. A call of such a program is opaque, even if a rule file
 * describes the call.
 */
export const NOT_MODELLED: ReadonlySet<string> = new Set(
  `abduco at batch bwrap busybox toybox crontab cpulimit daemonize dbus-launch dbus-run-session distrobox dtach entr expect faketime
  fakechroot fakeroot firejail flatpak gdb hyperfine ifne lldb machinectl mosh nix-shell openvt pkexec proot proxychains proxychains4
  prlimit reptyr rlwrap run-parts runcon schroot screen sem setarch setpriv socat start-stop-daemon systemd-nspawn systemd-run tmux
  toolbox torsocks tsocks valgrind xvfb-run zellij nsenter zsudo linux32 linux64 i386 x86_64 setuidgid chpst envdir softlimit su-exec gosu
  s6-setuidgid capsh aa-exec numactl perf ld.so`.split(/\s+/),
);
