/** The gate of an interactive session, and the reports of the session's start and end. Loaded at the first use, usually after a prompt. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Journal } from '../audit/journal.ts';
import type { Failure } from '../core/failure.ts';
import { type Result, success } from '../core/result.ts';
import { SETTING_VARIABLES } from '../core/settings.ts';
import { isOwnVariable } from '../core/variables/own-variables.ts';
import type { Gate } from '../gate/authorize.ts';
import { reportEvent } from '../grants/report.ts';
import { systemClock } from '../platform/clock.ts';
import { reachedInSession } from '../platform/confinement.ts';
import type { Installation, Started } from '../platform/installation.ts';
import { controlName } from '../platform/own-program.ts';
import { PLACE_VARIABLES } from '../platform/paths.ts';
import { SentLines } from '../session/message/typed-line.ts';
import { brokenText } from '../shell/broken-text.ts';
import { completenessOf } from '../shell/interactive/completeness.ts';
import { openLineGate } from '../shell/line-gate.ts';
import type { LineGate } from '../shell/line-verdict.ts';
import { withSentLines } from '../shell/sent-lines.ts';
import { type StatusFacts, sessionStatus } from '../shell/session-status.ts';
import { openInstallation } from './open-installation.ts';
import { openGate } from './ports.ts';

/**
 * @property facts    the id and the start of the session
 * @property waiting  returns the id of the request that a line waits for now; null: no line waits
 * @property lines    takes the typed and sent lines through the gate
 * @property sent     lines that other processes have sent into the session
 * @property journal  returns the journal of this host; null while the gate cannot be opened
 * @property opened   reports the start of the session, but only once, even if called again. Returns a text for the user if the gate does
 *                    not work. Returns '' if the gate works, or if the report takes longer than two seconds
 * @property close    reports the end of the session and the exit status of bash. Does not report if the gate cannot be opened
 */
export interface SessionGate {
  readonly facts: StatusFacts;
  readonly waiting: () => string | null;
  readonly lines: LineGate;
  readonly sent: SentLines;
  readonly journal: () => Promise<Journal | null>;
  readonly opened: () => Promise<string>;
  readonly close: (status: number) => Promise<void>;
}

/** @param atStart the installation, or why it could not be opened. After a failure, each later use tries to open the installation again */
export function openSessionGate(started: Started, dist: string, atStart: Result<Installation, Failure>): SessionGate {
  const facts: StatusFacts = { sessionId: `s_${randomBytes(10).toString('hex')}`, startedAtMs: systemClock.nowMs() };
  const gate = sessionGate(started, dist, atStart);
  let waiting: string | null = null;
  const bash = atStart.ok ? atStart.value.settings.shell.bash : '/bin/bash';
  const sent = new SentLines(
    async (text) => (await completenessOf(text, bash, 'bash', true, 'C.UTF-8')).kind === 'complete',
  );
  const journal = async () => {
    const opening = await gate();
    return opening.ok ? opening.value.journal : null;
  };
  let report: Promise<Failure | null> | null = null;
  const opened = () => {
    report ??= gate().then((opening) => reportOpened(facts, opening));
    return report;
  };
  return {
    facts,
    waiting: () => waiting,
    sent,
    journal,
    lines: withSentLines(
      openLineGate({
        sessionId: facts.sessionId,
        dist,
        openGate: gate,
        statusText: async () => sessionStatus(facts, await gate(), await reachedInSession(bash, dist)),
        onWaiting: (grantId) => {
          waiting = grantId;
        },
        control: controlVariables(started.caller.environment),
      }),
      { sessionId: facts.sessionId, lines: sent, journal },
    ),
    opened: async () => {
      const broken = await within(OPENING_TIMEOUT_MS, opened());
      return broken === null ? '' : brokenText(broken, controlName(started.caller.environment, process.cwd(), dist));
    },
    close: async (status) => {
      const begun = opened(); // the start is reported even if the session ends before its first prompt
      const opening = await gate();
      if (!opening.ok) return;
      const closed = { event: 'session.closed', sessionId: facts.sessionId, status } as const;
      opening.value.journal(closed);
      const report = begun.then(() => reportEvent(opening.value.client, { ...closed, status: status & 255 }));
      await within(FAREWELL_TIMEOUT_MS, report);
    },
  };
}

/**
 * Returns a function that opens the gate at its first call. After a failure, the next call tries again. A failure is only returned and does
 * not end the shell. So the shell starts even if the configuration is broken. But the shell then runs no line that needs a grant.
 */
function sessionGate(
  started: Started,
  dist: string,
  atStart: Result<Installation, Failure>,
): () => Promise<Result<Gate, Failure>> {
  let kept: Gate | null = null;
  let first: Result<Installation, Failure> | null = atStart;
  return async () => {
    if (kept !== null) return success(kept);
    const installation = first ?? (await openInstallation(started.caller, dist));
    first = null;
    if (!installation.ok) return installation;
    const gate = openGate(installation.value, true);
    if (gate.ok) kept = gate.value;
    return gate;
  };
}

/** The longest wait for the report of the start. `opened` does not return a later failure: the next request to the server shows it. */
const OPENING_TIMEOUT_MS = 2_000;
/** The longest time that an ending shell waits for a server that does not answer. */
const FAREWELL_TIMEOUT_MS = 500;

/** Returns the failure of the report; null if the report succeeded or takes longer. */
const within = (timeoutMs: number, report: Promise<Failure | null>): Promise<Failure | null> =>
  Promise.race([report, sleep(timeoutMs, null)]);

/** Returns null if the server has the report. Otherwise, returns the failure of the gate or of the report. */
async function reportOpened({ sessionId }: StatusFacts, gate: Result<Gate, Failure>): Promise<Failure | null> {
  if (!gate.ok) return gate.failure;
  gate.value.journal({ event: 'session.opened', sessionId });
  return reportEvent(gate.value.client, { event: 'session.opened', sessionId });
}

/** Variables that our own programs read, apart from the variables for settings and directories. */
const FURTHER_VARIABLES = ['NODE_EXTRA_CA_CERTS', 'APES_DEBUG'];

/** Returns the variables that change what our own programs do, and each variable's value at the session's start; null: not set. */
function controlVariables(environment: ReadonlyMap<string, Buffer>): readonly (readonly [string, string | null])[] {
  const own = [...environment.keys()].filter((name) => isOwnVariable(name) && name !== 'APES_SHELL_WRAPPER');
  const names = new Set([...PLACE_VARIABLES, ...SETTING_VARIABLES, ...FURTHER_VARIABLES, ...own]);
  return [...names].map((name) => [name, environment.get(name)?.toString('utf8') ?? null] as const);
}
