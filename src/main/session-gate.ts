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
 * @property opened   opens the gate if the gate is not open yet. The opening reports the start of the session. Returns a text for the user
 *                    if the gate does not work. Returns '' if the gate works, or if the report takes longer than two seconds
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
  const reportedGate = sessionGate(started, dist, atStart, facts);
  const gate = async (): Promise<Result<Gate, Failure>> => {
    const opening = await reportedGate();
    return opening.ok ? success(opening.value.gate) : opening;
  };
  let waiting: string | null = null;
  const bash = atStart.ok ? atStart.value.settings.shell.bash : '/bin/bash';
  const sent = new SentLines(
    async (text) => (await completenessOf(text, bash, 'bash', true, 'C.UTF-8')).kind === 'complete',
  );
  const journal = async () => {
    const opening = await gate();
    return opening.ok ? opening.value.journal : null;
  };
  const opened = async () => {
    const opening = await reportedGate();
    return opening.ok ? opening.value.report : opening.failure;
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
      const opening = await reportedGate();
      if (!opening.ok) return;
      const { gate, report } = opening.value;
      const closed = { event: 'session.closed', sessionId: facts.sessionId, status } as const;
      gate.journal(closed);
      const reported = report.then(() => reportEvent(gate.client, { ...closed, status: status & 255 }));
      await within(FAREWELL_TIMEOUT_MS, reported);
    },
  };
}

/** @property report fulfilled when the report of the session's start has ended, with the failure of the report or null */
interface ReportedGate {
  readonly gate: Gate;
  readonly report: Promise<Failure | null>;
}

/**
 * Returns a function that opens the gate at its first call. After a failure, the next call tries again. A failure is only returned and does
 * not end the shell. So the shell starts even if the configuration is broken. But the shell then runs no line that needs a grant. The call
 * that opens the gate also reports the start of the session. So this report comes before all other reports of the session, however late
 * the gate opens.
 */
function sessionGate(
  started: Started,
  dist: string,
  atStart: Result<Installation, Failure>,
  facts: StatusFacts,
): () => Promise<Result<ReportedGate, Failure>> {
  let kept: ReportedGate | null = null;
  let first: Result<Installation, Failure> | null = atStart;
  return async () => {
    if (kept !== null) return success(kept);
    const installation = first ?? (await openInstallation(started.caller, dist));
    first = null;
    if (!installation.ok) return installation;
    if (kept !== null) return success(kept); // another call has opened the gate meanwhile
    const gate = openGate(installation.value, true);
    if (!gate.ok) return gate;
    kept = { gate: gate.value, report: reportOpened(facts, gate.value) };
    return success(kept);
  };
}

/** The longest wait for the report of the start. `opened` does not return a later failure: the next request to the server shows it. */
const OPENING_TIMEOUT_MS = 2_000;
/** The longest time that an ending shell waits for a server that does not answer. */
const FAREWELL_TIMEOUT_MS = 500;

/** Returns the failure of the report; null if the report succeeded or takes longer. */
const within = (timeoutMs: number, report: Promise<Failure | null>): Promise<Failure | null> =>
  Promise.race([report, sleep(timeoutMs, null)]);

/** Writes the start of the session to the journal, and reports it. Returns null if the server has the report. */
function reportOpened({ sessionId }: StatusFacts, { journal, client }: Gate): Promise<Failure | null> {
  journal({ event: 'session.opened', sessionId });
  return reportEvent(client, { event: 'session.opened', sessionId });
}

/** Variables that our own programs read, apart from the variables for settings and directories. */
const FURTHER_VARIABLES = ['NODE_EXTRA_CA_CERTS', 'APES_DEBUG'];

/** Returns the variables that change what our own programs do, and each variable's value at the session's start; null: not set. */
function controlVariables(environment: ReadonlyMap<string, Buffer>): readonly (readonly [string, string | null])[] {
  const own = [...environment.keys()].filter((name) => isOwnVariable(name) && name !== 'APES_SHELL_WRAPPER');
  const names = new Set([...PLACE_VARIABLES, ...SETTING_VARIABLES, ...FURTHER_VARIABLES, ...own]);
  return [...names].map((name) => [name, environment.get(name)?.toString('utf8') ?? null] as const);
}
