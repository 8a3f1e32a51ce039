/**
 * Takes the wrappers off the commands of a line, to find the commands that really run: `timeout 5 sudo -u www git log` runs
 * `git log` as www. The line becomes opaque if a command has more than `MAX_LAYERS` wrappers, or a wrapper that we do not understand.
 * Such a command stays in the list of commands. It keeps the wrappers that were not taken off.
 */
import { because, type Reason } from '../reasons/reason.ts';
import { directoriesOf, directoryIn } from './directories.ts';
import { unwrapFind } from './find-call.ts';
import { type CommandCall, type InnerCommand, opaqueStep, PLAIN, type Step } from './inner-command.ts';
import { unwrapParallel } from './parallel-call.ts';
import { type Parse, parseText } from './parse-text.ts';
import { withParameters } from './positional.ts';
import { literal } from './read-options.ts';
import type { Opacity, ParsedText, Redirection, SimpleCommand, Word } from './reading.ts';
import { isShell, unwrapShell } from './shell-call.ts';
import type { ActualCommand, ActualCommands, Layer } from './unwrapping.ts';
import { unwrapByTable, wrapperOf } from './wrapper-call.ts';
import { NOT_MODELLED } from './wrapper-table.ts';

/** The most wrappers that are taken off one command. */
export const MAX_LAYERS = 4;
/** The most entries in `ActualCommands.commands`. A line with more entries is opaque. */
const MAX_COMMANDS = 1_000;
const SHOWN_CHARACTERS = 80;

/** @param parse parses each text that the line gives to a shell */
export function unwrap(reading: ParsedText, parse: Parse): ActualCommands {
  const unwrapper = new Unwrapper(parse);
  unwrapper.takeAll(reading.commands, { lookup: 'bash', through: [], directory: '' });
  const { commands, opaque, texts } = unwrapper;
  return { commands, opaque: [...reading.opaque, ...opaque], texts };
}

/** An `ActualCommand` without its command: the directory, the lookup and the wrappers. */
type Start = Omit<ActualCommand, 'command'>;

class Unwrapper {
  readonly commands: ActualCommand[] = [];
  readonly opaque: Opacity[] = [];
  readonly texts: string[] = [];
  readonly #parse: Parse;

  constructor(parse: Parse) {
    this.#parse = parse;
  }

  takeAll(commands: readonly SimpleCommand[], start: Start): void {
    const directories = directoriesOf(commands, start.directory);
    for (const [at, command] of commands.entries())
      this.take(command, { ...start, directory: directories[at] ?? null });
  }

  take(command: SimpleCommand, start: Start): void {
    const step = this.#step(command, start);
    if (step.kind === 'opaque') this.#refuse(step, step.source);
    if (step.kind !== 'inner') {
      this.#keep({ command, ...start });
      return;
    }
    // If the wrapper gives the command a terminal, the command may start a pager there. A key press in the pager can run any program. So no
    // scope may cover the command.
    if (step.layer.hasTerminal) this.#refuse(because('gives-terminal', step.layer.name), command.source);
    const { assignments, within, source } = command;
    const redirections = [...command.redirections, ...filesOf(step.layer), ...outputOf(step.layer, command)];
    if (redirections.length + assignments.length > 0)
      this.#keep({ command: { words: [], redirections, assignments, within, source }, ...start });
    const before = this.commands.length + this.opaque.length;
    if (step.outer !== null)
      this.#keep({ command: { ...command, words: step.outer, redirections: stdinOf(command) }, ...start });
    const through = [...start.through, step.layer];
    const directory = directoryIn(start.directory, step.layer.settings);
    const outer: SimpleCommand =
      step.layer.isLeftRunning === true ? { ...command, within: [...within, 'background'] } : command;
    for (const inner of step.inner) this.#inner(inner, outer, { lookup: 'file', through, directory });
    // A wrapper without an inner command must not disappear: `ssh HOST ''` opens a shell on the host.
    if (this.commands.length + this.opaque.length === before) this.#refuse(because('wraps-no-command'), source);
  }

  #step(command: SimpleCommand, { lookup, through }: Start): Step {
    const [program, ...rest] = command.words;
    if (program === undefined) return PLAIN;
    if (program.kind !== 'literal') return opaqueStep(because('program-name-unknown'), program.source);
    const name = wrapperName(program.value);
    if (name === null) return PLAIN;
    const step = stepOf({ name, program, arguments: rest, lookup });
    return step.kind === 'inner' && through.length >= MAX_LAYERS
      ? opaqueStep(because('wrapped-too-deep', String(MAX_LAYERS)), command.source)
      : step;
  }

  #inner(inner: InnerCommand, outer: SimpleCommand, start: Start): void {
    if (inner.kind === 'words') {
      const { words, assignments, lookup } = inner;
      const source = shown(words.map((word) => word.source).join(' '));
      const { within, input } = outer;
      const command = { words, assignments, redirections: stdinOf(outer), within, source };
      this.take(input === undefined ? command : { ...command, input }, { ...start, lookup });
      return;
    }
    const { text, dialect, parameters } = inner;
    const reading = parseText(text, this.#parse, dialect);
    this.texts.push(text);
    this.opaque.push(...reading.opaque);
    const commands = withParameters(reading.commands, parameters).map((command) => ({
      ...command,
      within: [...outer.within, ...command.within],
      redirections: [...stdinOf(outer), ...command.redirections],
    }));
    this.takeAll(commands, { ...start, lookup: dialect === 'bash' ? 'bash' : 'sh' });
  }

  #keep(command: ActualCommand): void {
    if (this.commands.length < MAX_COMMANDS) this.commands.push(command);
    else if (this.commands.length === MAX_COMMANDS)
      this.#refuse(because('too-many-commands', String(MAX_COMMANDS)), command.command.source);
  }

  #refuse(reason: Reason, source: string): void {
    this.opaque.push({ ...reason, source: shown(source) });
  }
}

const shown = (source: string): string =>
  source.length > SHOWN_CHARACTERS ? `${source.slice(0, SHOWN_CHARACTERS)}…` : source;

/** Returns a redirection for each file that the wrapper itself opens. */
const filesOf = ({ writes, reads }: Layer): readonly Redirection[] => [
  ...writes.map((target): Redirection => ({ operator: '>>', descriptor: null, target })),
  ...reads.map((target): Redirection => ({ operator: '<', descriptor: null, target })),
];

/**
 * If standard output is a terminal, `nohup` writes the command's output to `nohup.out` in the working directory. If that file cannot be
 * opened, `nohup` uses `nohup.out` in the home directory. Returns a redirection to each of these two files. The list is empty for another
 * wrapper. The list is also empty if the command itself redirects standard output to a file that is certainly no terminal.
 */
function outputOf({ name }: Layer, { redirections }: SimpleCommand): readonly Redirection[] {
  if (name !== 'nohup') return [];
  const last = redirections.findLast(
    ({ operator, descriptor }) => operator.startsWith('&>') || (descriptor ?? (operator.startsWith('>') ? 1 : 0)) === 1,
  );
  const isFile =
    last !== undefined &&
    /^(?:>|>>|>\||&>|&>>)$/.test(last.operator) &&
    last.target.kind === 'literal' &&
    (last.target.value === '/dev/null' || !MAY_BE_TERMINAL.test(last.target.value));
  const targets = isFile ? [] : [literal('nohup.out'), IN_HOME];
  return targets.map((target) => ({ operator: '>>', descriptor: null, target }));
}

/** Matches paths in /dev and /proc, and names of terminals: an earlier `cd /dev` may have changed the directory. */
const MAY_BE_TERMINAL =
  /(?:^|\/)(?:dev|proc)\/|(?:^|\/)(?:tty\w*|console|ptmx|stdin|stdout|stderr|(?:pts|fd)\/\d+|\d+)$/;

const IN_HOME: Word = {
  kind: 'runtime',
  why: 'tilde',
  prefix: '',
  isOne: true,
  source: '~/nohup.out',
  spellings: [{ isHome: true, pieces: [{ kind: 'text', value: '/nohup.out' }] }],
};

/** Returns the redirections of standard input. The inner command gets only these redirections of the outer command. */
const stdinOf = ({ redirections }: SimpleCommand): readonly Redirection[] =>
  redirections.filter(({ operator, descriptor }) => operator.startsWith('<') && (descriptor ?? 0) === 0);

/**
 * Returns the name of a program without its system directory. Returns null for a path in any other directory: `./timeout` may be another
 * program than the wrapper.
 */
function wrapperName(value: string): string | null {
  const [, name] = /^(?:\/(?:usr\/)?(?:local\/)?s?bin\/)?([^/]+)$/.exec(value) ?? [];
  return name ?? null;
}

/** Programs that take options in front of `exec`. With such options, the table of wrappers does not find the inner command. */
const CONTAINER_TOOLS: ReadonlySet<string> = new Set(['docker', 'podman', 'nerdctl', 'kubectl']);

function stepOf(call: CommandCall): Step {
  const source = call.program.source;
  if (call.name === 'find') return unwrapFind(call);
  if (call.name === 'parallel') return unwrapParallel(call);
  if (isShell(call.name)) return unwrapShell(call);
  if (NOT_MODELLED.has(call.name)) return opaqueStep(because('starter-not-modelled'), source);
  const found = wrapperOf(call);
  if (found === null)
    return CONTAINER_TOOLS.has(call.name) &&
      call.arguments.some((word) => word.kind !== 'literal' || word.value === 'exec')
      ? opaqueStep(because('container-not-modelled'), source)
      : PLAIN;
  const needs = found.wrapper.builtin;
  if (needs !== undefined && !isBuiltinHere(needs, call)) return opaqueStep(because('builtin-without-shell'), source);
  // `builtin NAME` runs only builtins. This wrapper is a program.
  if (needs === undefined && call.lookup === 'builtin') return opaqueStep(because('builtin-missing'), source);
  return unwrapByTable(call, found.wrapper, found.words);
}

const isBuiltinHere = (needs: 'bash' | 'sh', call: CommandCall): boolean =>
  call.program.kind === 'literal' &&
  !call.program.value.includes('/') &&
  call.lookup !== 'file' &&
  (needs === 'sh' || call.lookup !== 'sh');
