/** Which variables a line may set without changing what commands mean or do. */
import { isMattering } from '../environment-that-matters.ts';
import type { Assignment, Opacity } from './reading.ts';

/** bash's own, and what tools take servers, credentials and programs from. */
const NAMES: ReadonlySet<string> = new Set(
  `PROMPT_COMMAND PS0 PS1 PS2 PS3 OPTARG OPTIND OPTERR HISTFILE HISTCONTROL HISTIGNORE HISTSIZE HISTFILESIZE HISTTIMEFORMAT
  TMOUT FUNCNEST IGNOREEOF INPUTRC FIGNORE histchars HOSTFILE MAILPATH MAILCHECK MAIL SECONDS RANDOM SRANDOM EPOCHSECONDS
  EPOCHREALTIME LINENO DIRSTACK FUNCNAME GROUPS HOSTNAME PIPESTATUS PPID UID EUID PWD OLDPWD REPLY MAPFILE TERM TERMINFO
  TERMCAP USER LOGNAME PARALLEL GZIP XZ_OPT ZIPOPT UNZIP MANOPT GREP_OPTIONS DISPLAY WAYLAND_DISPLAY LOCALDOMAIN RES_OPTIONS
  HOSTALIASES no_proxy NO_PROXY FORMAT PRELOAD`.split(/\s+/),
);
const PREFIXES =
  /^(?:BASH|COMP_|READLINE_|PG|MYSQL|AWS_|AZURE_|GOOGLE_|GCLOUD|CLOUDSDK_|KUBE|DOCKER_|CONTAINER|PODMAN|GH_|GITHUB_|GITLAB_|SSL_|SSH_|GPG|XDG_|DBUS_|SUDO|APE|CODEX_|CLAUDE|OPENCLAW|TF_|HELM_|VAULT_|REDIS|MONGO|HG|SVN|NODE_(?!ENV$)|__)/i;
const SUFFIXES =
  /_(?:PAGER|EDITOR|COMMAND|CMD|OPTS?|OPTIONS?|ARGS|SHELL|BROWSER|ASKPASS|PATH|HOME|ROOT|DIR|CONFIG|CONF|RC|FILE|PRELOAD|HOOKS?|PROXY|RSH|SSH|EXEC|PLUGINS?|FLAGS|WRAPPER|PROGRAM|PROG|LIBRARY|LIB|TOOL|CC|COMPILER|HOST|URL|REGISTRY|SERVER)$/i;

/** Whether setting this variable may change what runs, or where; a name that merely might counts. */
export const decidesWhatRuns = (name: string): boolean =>
  isMattering(name) || NAMES.has(name) || PREFIXES.test(name) || SUFFIXES.test(name);

/** A name bash takes for a variable and nothing else: no index, which it would evaluate. */
export const isVariableName = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);

/** Why a human has to look at these assignments; empty when they are harmless. */
export const assignmentOpacities = (assignments: readonly Assignment[]): readonly Opacity[] =>
  assignments
    .filter(({ name }) => decidesWhatRuns(name))
    .map(({ name }) => ({ reason: 'sets a variable that may decide what runs', source: name }));
