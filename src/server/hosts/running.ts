/**
 * Shows approvers what runs on the hosts, and sends the approvers' orders to the hosts. An order is `hold`, `continue` or `kill`. The server
 * records each order before it sends the order. Afterwards it records the host's answer.
 */
import { plainEvent } from '../../core/grant/audit-event.ts';
import { failed, type Result, success } from '../../core/result.ts';
import type { RunningAct } from '../../core/running.ts';
import type { Acted, OrderAnswer, RunningHost, ScreenText } from '../../core/wire/running.ts';
import type { StoreReader, Subject } from '../../store/store.ts';
import { MAX_HOST_LIST_MS } from '../limits.ts';
import { type Refusal, refusal } from '../refusal.ts';
import { change, read, type ServerParts } from '../server-ports.ts';
import type { Answered, HostLink } from './host-links.ts';
import { visibleRequesters } from './may-see.ts';

const MAX_SHOWN_TEXT = 200;

/**
 * Returns what runs on the hosts that this person may see. Asks each connected host. If a host has disconnected or does not answer, the
 * result has the host's last list. The connected hosts come first. Fails if the rules for people cannot be read.
 */
export async function runningHosts(parts: ServerParts, by: Subject): Promise<Result<readonly RunningHost[], Refusal>> {
  const seen = await read(parts, (rows) => seenLinks(parts, rows, by));
  if (!seen.ok) return seen;
  const asked = await Promise.all(
    seen.value.map(async (each) => {
      const { link } = each;
      if (link.closedAtMs !== null) return { ...each, state: 'gone' as const };
      const answer = await parts.hosts.ask(link, { does: 'list', target: null }, MAX_HOST_LIST_MS);
      if (answer === 'gone') return { ...each, state: answer };
      const hasListed = answer !== 'silent' && answer.kind === 'list';
      return { ...each, state: hasListed ? ('here' as const) : ('slow' as const) };
    }),
  );
  return read(parts, async (rows) => {
    const hosts: RunningHost[] = [];
    for (const { subject, link, state } of asked) hosts.push(await shownHost(rows, subject, link, state));
    return success(hosts);
  });
}

interface SeenLink {
  readonly link: HostLink;
  readonly subject: Subject;
}

async function seenLinks(
  { hosts, clock }: ServerParts,
  rows: StoreReader,
  by: Subject,
): Promise<Result<readonly SeenLink[], Refusal>> {
  const sight = await visibleRequesters(rows, by, clock.nowMs());
  if (!sight.ok) return sight;
  const seen: SeenLink[] = [];
  for (const link of hosts.all) {
    const subject = await rows.subject(link.subjectId);
    if (subject !== undefined && subject.revokedAtMs === null && sight.value(subject)) seen.push({ link, subject });
  }
  return success(seen);
}

const beyondLimits = refusal(
  'approver.limits',
  'your limits do not include this requester, so you do not see what it runs',
);

/** Returns null if this person may see what this requester runs. Also returns null for an unknown requester, which has no host. */
async function sightRefusal(parts: ServerParts, rows: StoreReader, by: Subject, id: string): Promise<Refusal | null> {
  const sight = await visibleRequesters(rows, by, parts.clock.nowMs());
  if (!sight.ok) return sight.failure;
  const subject = await rows.subject(id);
  return subject === undefined || sight.value(subject) ? null : beyondLimits;
}

async function shownHost(
  rows: StoreReader,
  { id: requesterId, name, host, user }: Subject,
  { list, seenAtMs }: HostLink,
  state: RunningHost['state'],
): Promise<RunningHost> {
  const commands: RunningHost['commands'][number][] = [];
  for (const command of list?.commands ?? []) {
    const grant = await rows.grant(command.grantId);
    const isTheirs = grant?.requesterId === requesterId;
    commands.push({ ...command, text: isTheirs ? grant.request.text.slice(0, MAX_SHOWN_TEXT) : null });
  }
  return { requesterId, name, host, user, state, seenAtMs, sessions: list?.sessions ?? [], commands };
}

/** @property id the id of a session or a grant on the hosts of this requester */
interface Target {
  readonly requesterId: string;
  readonly id: string;
}

/**
 * Reads the screen of a session from its host. Records that this person watches the session, but not at every call. Fails if this person
 * may not see the requester, or has looked too often. Also fails if the host is not connected, does not answer, or has no such session.
 */
export async function lookAtScreen(
  parts: ServerParts,
  by: Subject,
  target: Target,
): Promise<Result<ScreenText, Refusal>> {
  const { requesterId, id } = target;
  const refused = await read(parts, async (rows) => success(await sightRefusal(parts, rows, by, requesterId)));
  if (!refused.ok) return refused;
  if (refused.value !== null) return failed(refused.value);
  const links = parts.hosts.of(requesterId);
  if (links.length === 0) return failed(hostGone);
  if (!parts.budgets.screens.take(by.id)) return failed(tooManyLooks);
  if (parts.budgets.watched.take(`${by.id} ${id}`)) {
    const facts = { requesterId, target: id };
    const recorded = await change(parts, async (rows) => {
      rows.record(plainEvent('running.watched', by.id, parts.clock.nowMs(), facts));
      return success(null);
    });
    if (!recorded.ok) return recorded;
  }
  const answer = await bestAnswer(parts, links, 'screen', id);
  return answer.kind === 'screen' ? success(answer.screen) : failed(refusalOf(answer));
}

/**
 * Orders a host to hold, continue or kill a session or a command, and returns the host's answer. Fails if the requester is unknown, or if
 * this person may not see the requester. Also fails if the host is not connected, does not answer in time, or cannot carry out the order.
 * A host that does not answer may have carried out the order. Also fails if the host's answer cannot be recorded.
 */
export async function orderAct(
  parts: ServerParts,
  by: Subject,
  { requesterId, id }: Target,
  act: RunningAct,
): Promise<Result<Acted, Refusal>> {
  const links = parts.hosts.of(requesterId);
  const facts = { requesterId, target: id, act };
  const recorded = await change(parts, async (rows) => {
    const subject = await rows.subject(requesterId);
    if (subject?.role !== 'requester') return failed(refusal('requester.not_found', 'there is no such requester'));
    const refused = await sightRefusal(parts, rows, by, requesterId);
    if (refused !== null) return failed(refused);
    if (links.length === 0) return failed(hostGone);
    rows.record(plainEvent('running.ordered', by.id, parts.clock.nowMs(), facts));
    return success(null);
  });
  if (!recorded.ok) return recorded;
  const answer = await bestAnswer(parts, links, act, id);
  const outcome = outcomeOf(answer);
  const noted = await change(parts, async (rows) => {
    rows.record(plainEvent('running.answered', by.id, parts.clock.nowMs(), { ...facts, ...outcome }));
    return success(null);
  });
  if (!noted.ok) return noted;
  return answer.kind === 'acted' ? success(answer.acted) : failed(refusalOf(answer));
}

type SettledAnswer = Exclude<OrderAnswer, { kind: 'list' }> | { readonly kind: 'silent' | 'gone' };

/**
 * Sends the order to all connections of a requester, and returns the best answer. While a new resident gate replaces the old one, the
 * requester has a connection for each gate. Only one of the gates has the session or the command.
 */
async function bestAnswer(
  parts: ServerParts,
  links: readonly HostLink[],
  does: RunningAct | 'screen',
  target: string,
): Promise<SettledAnswer> {
  const answers = await Promise.all(links.map((link) => parts.hosts.ask(link, { does, target })));
  const settledAnswers = answers.map(settled);
  return (
    settledAnswers.find(({ kind }) => kind === 'acted' || kind === 'screen') ??
    settledAnswers.find(({ kind }) => kind === 'silent' || kind === 'gone') ?? // that host possibly carried out the order
    settledAnswers.find((each) => each.kind === 'failed' && each.why !== 'not-here') ??
    settledAnswers[0] ?? { kind: 'gone' }
  );
}

const ANOTHER_ORDER = 'the answer of the host is for another order';

function settled(answer: Answered): SettledAnswer {
  if (answer === 'silent' || answer === 'gone') return { kind: answer };
  return answer.kind === 'list' ? { kind: 'failed', why: 'unable', message: ANOTHER_ORDER } : answer;
}

function outcomeOf(answer: SettledAnswer) {
  if (answer.kind === 'acted')
    return { outcome: 'done', processes: answer.acted.processes, notHeld: answer.acted.notHeld.length };
  return { outcome: answer.kind === 'failed' ? answer.why : answer.kind };
}

const hostGone = refusal('host.gone', 'the host is not connected: nothing was done there');
const tooManyLooks = refusal('server.too_many', 'you have opened screens too often; wait a moment');

function refusalOf(answer: SettledAnswer): Refusal {
  if (answer.kind === 'gone') return refusal('host.gone', 'the host left before it answered: what it did is not known');
  if (answer.kind === 'silent')
    return refusal('host.slow', 'the host did not answer in time: what it did is not known; look again');
  if (answer.kind !== 'failed') return refusal('host.unable', ANOTHER_ORDER);
  if (answer.why === 'not-here') return refusal('running.not_found', answer.message);
  return answer.why === 'silent' ? refusal('host.slow', answer.message) : refusal('host.unable', answer.message);
}
