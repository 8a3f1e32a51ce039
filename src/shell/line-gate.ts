/**
 * Decides about the lines of an interactive session. A person uses the session and can wait. So the shell itself waits until the request
 * of a line is decided.
 */

import { constants } from 'node:os';
import { confinementText } from '../core/confinement/confinement-text.ts';
import { type Failure, failure } from '../core/failure.ts';
import type { Permit } from '../core/grant/authorization.ts';
import { decide, looksLikeControl, plainWords } from '../core/grant/decision.ts';
import { singleQuoted } from '../core/grant/own-call.ts';
import { type ExecutionRequest, inOrderOfNames } from '../core/grant/request.ts';
import { filesOfShell } from '../core/reading/files-of-shell.ts';
import { ADVICE } from '../core/reasons/advice.ts';
import { failed, type Result, success } from '../core/result.ts';
import { pauseNotice, serverNotice } from '../core/server-notice.ts';
import { isLoaderVariable } from '../core/start-environment.ts';
import { matchSuffix } from '../core/text/match-text.ts';
import { visibleLine } from '../core/text/visible-text.ts';
import { changedAttributes } from '../core/variables/attributes.ts';
import { shownValue } from '../core/variables/bound-variables.ts';
import { changedOptions } from '../core/variables/shell-options.ts';
import { type Authorization, authorize, type Gate, permitExempt } from '../gate/authorize.ts';
import { reportEvent } from '../grants/report.ts';
import { profileFor } from '../platform/confinement.ts';
import { isOwnControl } from '../platform/own-program.ts';
import { checkHeldPlaceUnchanged, identityOf } from '../platform/place-identity.ts';
import { isStaticProgram } from '../platform/static-program.ts';
import { currentHost, currentUser, unreadableDirectory } from '../platform/surroundings.ts';
import { setIdWarning } from '../run/granted-text.ts';
import { type LineGate, type LineRequest, type LineVerdict, refusalVerdict } from './line-verdict.ts';
import { META_HELP } from './meta-commands.ts';

/**
 * @property openGate   called for each line until a call succeeds, because a person can repair the fault while the shell runs
 * @property statusText what `:status` prints
 * @property onWaiting  called with the id of a request when a line begins to wait for this request; called with null after the wait
 * @property control    the variables for our own `apes`, each with its value at the start of the session; null: it was not set then
 */
export interface LineGateParts {
  readonly sessionId: string;
  readonly dist: string;
  readonly openGate: () => Promise<Result<Gate, Failure>>;
  readonly statusText: () => Promise<string>;
  readonly onWaiting: (grantId: string | null) => void;
  readonly control: readonly (readonly [string, string | null])[];
}

/**
 * Printed when the server is lost. After Ctrl-C, the prompt appears before the request is withdrawn. So this text says in advance when the
 * request is withdrawn.
 */
const LEAVING = ' (Ctrl-C ends the wait; the request is withdrawn when the server answers again)';

/** The value of `$?` after Ctrl-C at a prompt, as in bash. */
const INTERRUPTED_STATUS = 128 + constants.signals.SIGINT;

export function openLineGate(parts: LineGateParts): LineGate {
  let gate: Gate | null = null;
  const currentGate = async (): Promise<Result<Gate, Failure>> => {
    if (gate !== null) return success(gate);
    const opened = await parts.openGate();
    if (opened.ok) gate = opened.value;
    return opened;
  };
  return {
    decide: async (line, print, cancelled) => {
      const meta = await metaCommand(line.text, parts);
      if (meta !== null) return meta;
      const exempt = exemptText(line, parts);
      const opened = await currentGate();
      if (exempt !== null) return runExempt(exempt, line, opened);
      if (!opened.ok) return refusalVerdict(opened.failure);
      const unreadable = unreadableDirectory(line.cwd);
      if (unreadable !== null) return refusalVerdict(unreadable);
      const before = identityOf(line.cwd);
      const outcome = await authorize(opened.value, toRequest(line), {
        ...(line.reading === undefined ? {} : { line: line.reading }),
        waitOptions: {
          timeoutMs: Number.POSITIVE_INFINITY,
          cancelled,
          withdrawsOnCancel: true,
          whyChanged: () => checkHeldPlaceUnchanged(before, line.cwd),
          onPending: (grant, isNew) => {
            parts.onWaiting(grant.id);
            print(waitingText(`${grant.url}${matchSuffix(grant)}`, line.text, isNew));
          },
          onBeat: () => undefined,
          onServer: (isThere, newPage) => print(`${serverNotice(isThere, newPage)}${isThere ? '' : LEAVING}\n`),
          onPause: (isPaused) => print(`${pauseNotice(isPaused)}\n`),
        },
      });
      parts.onWaiting(null);
      return verdictOf(outcome, line, print, parts.dist);
    },
    finished: (report) => {
      if (gate === null) return;
      const { status, wasInterrupted } = report;
      gate.journal({ event: 'line.finished', sessionId: parts.sessionId, status, interrupted: wasInterrupted });
      void reportEvent(gate.client, { event: 'line.finished', sessionId: parts.sessionId, status });
    },
  };
}

/** Answers `:help`, `:status`, `:reset` and an unknown `:WORD`, each alone on its line. Returns null for every other line. */
async function metaCommand(text: string, parts: LineGateParts): Promise<LineVerdict | null> {
  switch (text.trim()) {
    case ':help':
      return { kind: 'answered', output: META_HELP, status: 0 };
    case ':status':
      return { kind: 'answered', output: await parts.statusText(), status: 0 };
    case ':reset':
      return { kind: 'reset' };
    default:
      return unknownMeta(text.trim());
  }
}

/** `:` alone is a builtin of bash. A longer word that begins with `:` is probably one of our commands, but mistyped. */
const unknownMeta = (text: string): LineVerdict | null =>
  /^:[A-Za-z][\w-]*$/.test(text)
    ? { kind: 'answered', output: `ape-shell: there is no ${text}; :help lists these commands\n`, status: 127 }
    : null;

/** Returns the text to run for a line that never needs a grant; null for any other line. */
function exemptText(line: LineRequest, parts: LineGateParts): string | null {
  const words = plainWords(line.text);
  const name = words?.[0];
  if (words === null || name === undefined) return null;
  const entry = (wanted: string) => line.environment.find((each) => each.name === wanted);
  const isRedefined = ['alias', 'function', 'disabled'].some((what) => entry(`${what} ${name}`) !== undefined);
  const decision = decide({
    words,
    isOurs: looksLikeControl(words) && isOwnControl(name, shownValue(entry('PATH')) ?? '', line.cwd, parts.dist),
    isRedefined,
  });
  if (decision.kind === 'leave') return line.text;
  return decision.kind === 'self-control' && !isLoaderSteered(line, parts.dist)
    ? controlText(decision.args, parts)
    : null;
}

/**
 * Returns a line that runs our own program by its real path. The line passes the variables of `control` with their values, and our program
 * sets these variables (`take_variables` in `bin/launcher.c`). Without this, an approved `export APES_SERVER_URL=…` would make a later
 * `apes grants list` send its token to another server. A function can have the name of the program. So the line uses `command`, which runs
 * the file. The backslashes keep bash from expanding an alias that is named `builtin` or `command`. Each word is in quotes: after `set -k`,
 * bash takes an unquoted NAME=VALUE anywhere in a line as an assignment.
 */
function controlText(args: readonly string[], { control, dist }: LineGateParts): string {
  const variables = control.map(([name, value]) => `--variable=${name}${value === null ? '' : `=${value}`}`);
  const words = [`${dist}/bin/apes`, ...variables, ...args];
  return ['\\builtin', '\\command', ...words.map(singleQuoted)].join(' ');
}

/** Whether a variable of the line steers the dynamic linker of our program. If so, an approver must decide about the line. */
const isLoaderSteered = ({ environment }: LineRequest, dist: string): boolean =>
  environment.some(({ name }) => isLoaderVariable(name)) && !isStaticProgram(`${dist}/bin/apes`);

/**
 * Runs an exempt line (`exit`, or our own control program), even if the gate cannot be opened. Refuses the line if the gate is open and the
 * journal entry cannot be written.
 */
function runExempt(text: string, line: LineRequest, opened: Result<Gate, Failure>): LineVerdict {
  if (!opened.ok) return { kind: 'run', text, profile: null };
  const permit = permitExempt(opened.value.journal, toRequest(line));
  return permit.ok ? { kind: 'run', text, profile: null } : refusalVerdict(permit.failure);
}

const toRequest = (line: LineRequest): ExecutionRequest => ({
  kind: 'line',
  text: line.text,
  argv: [],
  cwd: line.cwd,
  host: currentHost(),
  user: currentUser(),
  environment: inOrderOfNames(line.environment),
});

function verdictOf(
  outcome: Authorization,
  line: LineRequest,
  print: (text: string) => void,
  dist: string,
): LineVerdict {
  switch (outcome.kind) {
    case 'permitted': {
      if (outcome.permit.request.text !== line.text)
        return refusalVerdict({ code: 'software', message: 'the permit is for another line' });
      const profile = profileOf(outcome.permit, dist);
      if (!profile.ok) return refusalVerdict(profile.failure);
      const apart = outcome.permit.isWide ? mustRunApart(line) : success(false);
      if (!apart.ok) return refusalVerdict(apart.failure);
      if (outcome.hasWaited) print('approved, continuing\n');
      return {
        kind: 'run',
        text: outcome.permit.request.text,
        profile: profile.value,
        isWide: outcome.permit.isWide,
        isApart: apart.value,
      };
    }
    case 'cancelled':
      return {
        kind: 'refused',
        message: `ape-shell: withdrawn (grant ${outcome.grant.id})`,
        status: INTERRUPTED_STATUS,
      };
    case 'pending':
      return refusalVerdict({
        code: 'software',
        message: `internal error: the shell did not wait for grant ${outcome.grant.id}`,
      });
    case 'refused':
      return refusalVerdict(outcome.failure);
  }
}

/**
 * Call for a line that a scope or the reading policy covers. Returns whether the line has to run in a subshell. Fails (72) if:
 * - options or attributes of variables change the meaning of the line
 * - the line can run neither in a subshell nor in this bash
 *
 * In these two cases, a server of this version covers no line. The check is needed because an older server may cover such a line.
 */
function mustRunApart({ reading, environment }: LineRequest): Result<boolean, Failure> {
  const changed = changedOptions(environment) ?? changedAttributes(environment);
  if (changed !== null)
    return failed(
      failure(
        'confinement',
        `in this shell, the line has another meaning than the approver saw (${changed}); nothing ran`,
        ADVICE['usual-shell'],
      ),
    );
  const isFunction = (name: string) => environment.some((entry) => entry.name === `function ${name}`);
  const files = reading === undefined ? 'beside-state' : filesOfShell(reading.parsed.commands, isFunction);
  if (files !== 'beside-state') return success(files === 'apart');
  return failed(
    failure(
      'confinement',
      'the shell itself would open a file for this line, unconfined; nothing ran',
      'ask for the exact line, or write each command on a line of its own',
    ),
  );
}

/** Returns the line's profile; null: not confined. Fails (72) if this host cannot confine the line in the approved way. */
function profileOf({ confinement, request }: Permit, dist: string): Result<Buffer | null, Failure> {
  if (confinement === null) return success(null);
  const boundValue = (wanted: string) => shownValue(request.environment.find(({ name }) => name === wanted));
  const path = boundValue('PATH') ?? '';
  const notice = `${visibleLine(confinementText(confinement))}${setIdWarning(confinement, path, request.cwd)}`;
  return profileFor(confinement, { dist, file: null, reads: [], home: boundValue('HOME'), notice });
}

const SHOWN_CHARACTERS = 200;

/** If the text has several lines, shows up to 200 characters of each line, because the request is for all lines. */
function waitingText(where: string, text: string, isNew: boolean): string {
  const lines = text.split('\n');
  const shown = lines.length === 1 ? [] : lines.map((line) => `  | ${visibleLine(line).slice(0, SHOWN_CHARACTERS)}\n`);
  const head = lines.length === 1 ? 'Waiting for approval' : `Waiting for approval of these ${lines.length} lines`;
  return `${head}${isNew ? '' : ' (asked before)'}, Ctrl-C withdraws: ${where}\n${shown.join('')}`;
}
