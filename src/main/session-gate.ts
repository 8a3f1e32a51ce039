/** What an interactive session asks: its gate, its record at the server, its greeting. Loaded while bash starts. */
import { randomBytes } from 'node:crypto';
import type { Journal } from '../audit/journal.ts';
import { type Failure, failureLine } from '../core/failure.ts';
import { type Result, success } from '../core/result.ts';
import type { Gate } from '../gate/authorize.ts';
import { reportEvent } from '../grants/report.ts';
import type { Installation, Started } from '../platform/installation.ts';
import { isOwnVariable, PLACE_VARIABLES } from '../platform/paths.ts';
import { SentLines } from '../session/typed-line.ts';
import { completenessOf } from '../shell/interactive/completeness.ts';
import { openLineGate } from '../shell/line-gate.ts';
import type { LineGate } from '../shell/line-verdict.ts';
import { withSentLines } from '../shell/sent-lines.ts';
import { type SessionFacts, sessionStatus } from '../shell/session-status.ts';
import { openInstallation } from './open-installation.ts';
import { openGate } from './ports.ts';

/**
 * @property waiting  id of the request that a line waits for now, or null
 * @property sent     lines that others send into it
 * @property journal  of this host; null while it cannot be opened
 * @property greeting records that the session is open; the text to show before the first prompt, empty when all is well
 * @property close    records its end, with the status of bash
 */
export interface SessionGate {
  readonly facts: SessionFacts;
  readonly waiting: () => string | null;
  readonly lines: LineGate;
  readonly sent: SentLines;
  readonly journal: () => Promise<Journal | null>;
  readonly greeting: () => Promise<string>;
  readonly close: (status: number) => Promise<void>;
}

/** @param atStart the installation as it was found at the start; while it is broken it is opened again for every line */
export function openSessionGate(started: Started, dist: string, atStart: Result<Installation, Failure>): SessionGate {
  const facts: SessionFacts = { sessionId: `s_${randomBytes(10).toString('hex')}`, startedAtMs: Date.now() };
  const gate = sessionGate(started, dist, atStart);
  let waiting: string | null = null;
  const bash = atStart.ok ? atStart.value.settings.shell.bash : '/bin/bash';
  const sent = new SentLines(async (text) => (await completenessOf(text, bash, 'bash', true)).kind === 'complete');
  const journal = async () => {
    const opened = await gate();
    return opened.ok ? opened.value.journal : null;
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
        statusText: async () => sessionStatus(facts, await gate()),
        onWaiting: (grantId) => {
          waiting = grantId;
        },
        control: controlVariables(started.caller.environment),
      }),
      { sessionId: facts.sessionId, lines: sent, journal },
    ),
    greeting: async () => greeting(facts, await gate()),
    close: async (status) => close(facts, status, await gate()),
  };
}

/** Opened anew for as long as it fails: the shell starts with a broken server or configuration, says so, and runs nothing. */
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
    const gate = openGate(installation.value);
    if (gate.ok) kept = gate.value;
    return gate;
  };
}

/** A server that hangs must not keep the first prompt away. */
const GREETING_PATIENCE_MS = 400;

/** Records the session; the text to show before the first prompt, empty when all is well. */
async function greeting(facts: SessionFacts, gate: Result<Gate, Failure>): Promise<string> {
  if (!gate.ok) return brokenText(gate.failure);
  gate.value.journal({ event: 'session.opened', sessionId: facts.sessionId });
  const reported = reportEvent(gate.value.client, { event: 'session.opened', sessionId: facts.sessionId });
  const patience = new Promise<null>((resolve) => setTimeout(resolve, GREETING_PATIENCE_MS, null));
  const broken = await Promise.race([reported, patience]);
  return broken === null ? '' : brokenText(broken);
}

const brokenText = (failure: Failure): string =>
  `${failureLine('ape-shell', failure)}\nape-shell: until that is mended no line runs; exit, :status and apes health work\n`;

/** A server that hangs must not keep the terminal either. */
const FAREWELL_PATIENCE_MS = 500;

async function close({ sessionId }: SessionFacts, status: number, gate: Result<Gate, Failure>): Promise<void> {
  if (!gate.ok) return;
  gate.value.journal({ event: 'session.closed', sessionId, status });
  const reported = reportEvent(gate.value.client, { event: 'session.closed', sessionId, status: status & 255 });
  await Promise.race([reported, new Promise((resolve) => setTimeout(resolve, FAREWELL_PATIENCE_MS))]);
}

/** The variables that say which installation this is; null where they were not set. */
function controlVariables(environment: ReadonlyMap<string, Buffer>): readonly (readonly [string, string | null])[] {
  const own = [...environment.keys()].filter((name) => isOwnVariable(name) && name !== 'APES_SHELL_WRAPPER');
  return [...PLACE_VARIABLES, ...own].map((name) => [name, environment.get(name)?.toString('utf8') ?? null] as const);
}
