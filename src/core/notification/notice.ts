/**
 * Makes the text of a notification. The text shows as much of the request as the approver has chosen. The text has no control characters.
 */
import type { AssessmentView } from '../effects/assessment-view.ts';
import type { Risk } from '../effects/permission.ts';
import { type ShownRisk, shownRisk } from '../effects/shown-risk.ts';
import type { Grant } from '../grant/grant.ts';
import { type GrantState, stateAt } from '../grant/grant.ts';
import { lookAlikesText } from '../grant/look-alikes-of.ts';
import { visibleLine } from '../text/visible-text.ts';
import { decidingText } from '../variables/deciding-text.ts';
import type { NotificationEvent, NotificationPreferences } from '../wire/notification.ts';

/**
 * What a channel sends.
 * @property body     null: the approver has chosen to see nothing of the request
 * @property url      the page to open; for a notice about a grant, this is the page of the grant
 * @property grantId  null: the notice is not about a grant
 * @property version  the version of the grant; null if `grantId` is null. A denial from the notification names this version, and also
 *                    counts for a newer version
 * @property canDeny  whether the notice asks for a decision. A channel with buttons may then offer Deny. No channel offers Approve
 * @property isUrgent whether the risk is high, critical or unknown; always true for `breakGlassNotice`
 * @property facts    the facts of the body, for programs; empty if the notice says nothing about a request
 */
export interface Notice {
  readonly event: NotificationEvent;
  readonly title: string;
  readonly body: string | null;
  readonly url: string;
  readonly grantId: string | null;
  readonly version: number | null;
  readonly canDeny: boolean;
  readonly isUrgent: boolean;
  readonly facts: Readonly<Record<string, string>>;
}

/** @property assessment null: the request was not assessed */
export interface NoticeSubject {
  readonly grant: Grant;
  readonly assessment: AssessmentView | null;
}

const MAX_COMMAND = 300;
const MAX_NAME = 60;

const riskOf = ({ grant, assessment }: NoticeSubject): ShownRisk => shownRisk(grant.request, assessment);

/** Returns the risk of the request. An unknown risk counts as critical. */
export function noticedRisk(subject: NoticeSubject): Risk {
  const risk = riskOf(subject);
  return risk === 'unknown' ? 'critical' : risk;
}

const TITLE: Readonly<Record<NotificationEvent, string>> = {
  waiting: 'A request waits for you',
  escalated: 'A request still waits, and is yours to decide now',
  escalate: 'A request still waits',
  decided: 'A request was decided',
  expired: 'A request has expired without a decision',
  'break-glass': 'A request was decided by a break-glass code',
  test: 'ape-shell: a test',
};

/**
 * Makes the notice of an event about a grant.
 * @param shows how much of the request the approver has chosen to see
 * @param at    `publicUrl`: the address of the server, without a slash at the end
 */
export function noticeOf(
  event: NotificationEvent,
  subject: NoticeSubject,
  shows: NotificationPreferences['shows'],
  at: { readonly nowMs: number; readonly publicUrl: string },
): Notice {
  const { grant } = subject;
  const risk = noticedRisk(subject);
  const canDeny = event === 'waiting' || event === 'escalated';
  return {
    event,
    title: TITLE[event],
    body: shows === 'nothing' ? null : bodyOf(event, subject, shows, stateAt(grant, at.nowMs)),
    url: `${at.publicUrl}/grants/${grant.id}`,
    grantId: grant.id,
    version: grant.version,
    canDeny,
    isUrgent: risk === 'high' || risk === 'critical',
    facts: shows === 'nothing' ? {} : factsOf(subject, shows, stateAt(grant, at.nowMs)),
  };
}

/** Makes the notice that a break-glass code was used. The page *People* has a button that ends the use of the code. */
export const breakGlassNotice = (publicUrl: string): Notice => ({
  event: 'break-glass',
  title: 'A break-glass code was used',
  body: 'For 15 minutes a person can decide alone with this code. Open the page People to see which code it was, or to end its use.',
  url: `${publicUrl}/people`,
  grantId: null,
  version: null,
  canDeny: false,
  isUrgent: true,
  facts: {},
});

export const testNotice = (publicUrl: string): Notice => ({
  event: 'test',
  title: TITLE.test,
  body: 'Notifications arrive here.',
  url: `${publicUrl}/notifications`,
  grantId: null,
  version: null,
  canDeny: false,
  isUrgent: false,
  facts: {},
});

function bodyOf(
  event: NotificationEvent,
  subject: NoticeSubject,
  shows: 'all' | 'tool and host',
  state: GrantState,
): string {
  const { grant } = subject;
  const decided = event === 'decided' || event === 'break-glass' ? `${state}: ` : '';
  const host = cut(grant.request.host, MAX_NAME);
  if (shows === 'tool and host') return `${decided}${toolOf(subject)} on ${host}, ${riskText(subject)}`;
  const who = cut(grant.requesterName, MAX_NAME);
  const reason = reasonOf(subject);
  const because = reason === null ? '' : `, because ${reason}`;
  const warning = lookAlikesText(grant.request);
  const lines = [
    `${decided}${cut(grant.request.text, MAX_COMMAND)}`,
    ...(warning === null ? [] : [warning]),
    `${riskText(subject)}${because}; ${who} on ${host}, in ${cut(grant.request.cwd, MAX_COMMAND)}`,
  ];
  return lines.join('\n');
}

function factsOf(
  subject: NoticeSubject,
  shows: 'all' | 'tool and host',
  state: GrantState,
): Readonly<Record<string, string>> {
  const { grant } = subject;
  const { request } = grant;
  const basicFacts = {
    state,
    tool: toolOf(subject),
    host: cut(request.host, MAX_NAME),
    risk: riskOf(subject),
  };
  if (shows === 'tool and host') return basicFacts;
  const [reason, lookAlikes] = [reasonOf(subject), lookAlikesText(request)];
  return {
    ...basicFacts,
    ...(lookAlikes === null ? {} : { lookAlikes }),
    ...(reason === null ? {} : { riskReason: reason }),
    command: cut(request.text, MAX_COMMAND),
    cwd: cut(request.cwd, MAX_COMMAND),
    requester: cut(grant.requesterName, MAX_NAME),
  };
}

function riskText(subject: NoticeSubject): string {
  const risk = riskOf(subject);
  return risk === 'unknown' ? 'risk unknown: treat as critical' : `risk ${risk}`;
}

/** Names the variables that make the risk unknown. Returns null if no variable makes the risk unknown. */
function reasonOf({ assessment }: NoticeSubject): string | null {
  const { deciding = [] } = assessment ?? {};
  return deciding.length === 0 ? null : cut(decidingText(deciding), MAX_COMMAND);
}

const KIND_TEXT: Readonly<Record<string, string>> = {
  file: 'file operations',
  mcp: 'a call of a tool',
  fetch: 'a web fetch',
};

/**
 * Returns the operation of the first command, as the rule files name the operation. Returns `a command` for a command without a rule file.
 * The result contains no text of the line. Exception: the user, host, container or root directory that a wrapper names (`on web: rm`).
 */
function toolOf({ grant, assessment }: NoticeSubject): string {
  const commands = assessment?.commands ?? [];
  const operation = commands[0]?.permission?.operation;
  if (operation === undefined) return KIND_TEXT[grant.request.kind] ?? 'a command';
  return commands.length > 1 ? `${cut(operation, MAX_NAME)} and more` : cut(operation, MAX_NAME);
}

/** Returns at most `most` characters of the text, in one line. Counts code points, so that no character is cut in half. */
function cut(text: string, most: number): string {
  const characters = [...visibleLine(text.slice(0, most * 4))];
  return characters.length <= most && text.length <= most * 4
    ? characters.join('')
    : `${characters.slice(0, most - 1).join('')}…`;
}
