/** The ports of the server, and the functions that read and change the database. */
import type { FastifyBaseLogger } from 'fastify';
import type { Failure } from '../core/failure.ts';
import { failed, type Result, success } from '../core/result.ts';
import type { RuleBook } from '../core/rules/rule.ts';
import type { McpServerRule } from '../core/tools/mcp-rule.ts';
import type { Clock } from '../platform/clock.ts';
import type { Store, StoreReader, StoreWriter } from '../store/store.ts';
import type { WebAssets } from '../web/assets.ts';
import { HeldBytes, Lanes, RateBudget } from './budgets.ts';
import type { BriefLines } from './grants/brief-lines.ts';
import type { GrantFeed } from './grants/grant-feed.ts';
import type { PastLines } from './grants/past-lines.ts';
import type { SearchPace } from './grants/search-pace.ts';
import type { KeptTitles } from './grants/searched-lists.ts';
import type { SharedUses } from './grants/shared-uses.ts';
import type { StandingIndex } from './grants/standing-index.ts';
import type { HostLinks } from './hosts/host-links.ts';
import type { TokenHolders } from './identity/authentication.ts';
import type { Random } from './identity/secrets.ts';
import type { ServerKey } from './identity/server-key.ts';
import {
  MAX_CALLS_UNDER_WAY,
  MAX_CALLS_WAITING,
  MAX_DENIALS,
  MAX_ENROLMENTS_PER_ADDRESS,
  MAX_FAILED_SIGN_INS,
  MAX_FILED,
  MAX_HELD_BYTES,
  MAX_LONG_REQUEST_BYTES,
  MAX_REPORTS,
  MAX_SCREEN_LOOKS,
  MAX_WATCHED_EVENTS,
} from './limits.ts';
import type { AnsweredCall } from './metrics.ts';
import type { NotificationDispatcher } from './notifications/dispatcher.ts';
import type { NotificationSettings } from './notifications/notification-ports.ts';
import { type Refusal, storeRefusal } from './refusal.ts';
import type { KeptTimes } from './retention.ts';

/**
 * @property clock     never goes back
 * @property publicUrl the address by which approvers reach the server, without a slash at the end; known once the server listens
 */
export interface ServerPorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly serverKey: ServerKey;
  readonly log: FastifyBaseLogger;
  readonly publicUrl: () => string;
  readonly assets: WebAssets;
  readonly version: string;
  /** The rule files of tools; null: there are no rule files, and only exact bytes can be approved. */
  readonly rules: RuleBook | null;
  /** The rule files of MCP servers. For a server without a rule file, only the exact bytes of a call can be approved. */
  readonly mcpRules: readonly McpServerRule[];
  /** The directory with the records of the sessions of this installation; null: the server lists no sessions. */
  readonly sessionDirectory: string | null;
  /** Gets every call of the API that was answered; null: calls are not counted. */
  readonly observe: ((call: AnsweredCall) => void) | null;
  readonly notificationSettings: NotificationSettings;
  readonly keptTimes: KeptTimes;
}

/** The ports, and the parts that the server builds from the ports. */
export interface ServerParts extends ServerPorts {
  readonly feed: GrantFeed;
  readonly standing: StandingIndex;
  readonly past: PastLines;
  readonly briefLines: BriefLines;
  readonly sharedUses: SharedUses;
  readonly tokens: TokenHolders;
  readonly searches: Searches;
  readonly budgets: Budgets;
  readonly hosts: HostLinks;
  readonly notifications: NotificationDispatcher;
}

/** The state that all searches of the history share. */
interface Searches {
  readonly pace: SearchPace;
  readonly titles: KeptTitles;
}

/**
 * The key of a budget is the id of a subject, or the address of a caller without a credential. The key of `watched` names a person and a
 * session.
 */
export interface Budgets {
  readonly reports: RateBudget;
  readonly longRequests: RateBudget;
  readonly denials: RateBudget;
  readonly filed: RateBudget;
  readonly failedSignIns: RateBudget;
  readonly enrolments: RateBudget;
  readonly screens: RateBudget;
  readonly watched: RateBudget;
  readonly held: HeldBytes;
  readonly lanes: Lanes;
}

export const newBudgets = (clock: Clock): Budgets => ({
  reports: new RateBudget(MAX_REPORTS, clock),
  longRequests: new RateBudget(MAX_LONG_REQUEST_BYTES, clock),
  denials: new RateBudget(MAX_DENIALS, clock),
  filed: new RateBudget(MAX_FILED, clock),
  failedSignIns: new RateBudget(MAX_FAILED_SIGN_INS, clock),
  enrolments: new RateBudget(MAX_ENROLMENTS_PER_ADDRESS, clock),
  screens: new RateBudget(MAX_SCREEN_LOOKS, clock),
  watched: new RateBudget(MAX_WATCHED_EVENTS, clock),
  held: new HeldBytes(MAX_HELD_BYTES),
  lanes: new Lanes({ underWay: MAX_CALLS_UNDER_WAY, waiting: MAX_CALLS_WAITING }),
});

/** Runs `work` in one transaction, and delivers its events after the commit. A refusal is committed too, so that its events stay. */
export async function change<T>(
  parts: ServerParts,
  work: (rows: StoreWriter) => Promise<Result<T, Refusal>>,
): Promise<Result<T, Refusal>> {
  const outcome = await delivered(parts, parts.store.write(work));
  return outcome.ok ? outcome.value : outcome;
}

/** Waits for the commit of `write`, delivers its events, and returns its value. */
export async function delivered<T>(
  parts: ServerParts,
  write: ReturnType<typeof parts.store.write<T>>,
): Promise<Result<T, Refusal>> {
  const committed = await write;
  if (!committed.ok) return storeTrouble(parts, committed.failure);
  parts.feed.publish(committed.value.events);
  parts.notifications.recorded(committed.value.events);
  return success(committed.value.value);
}

/** Reads the database with `work`. A fault of the database becomes a refusal. */
export async function read<T>(
  ports: ServerPorts,
  work: (rows: StoreReader) => Promise<Result<T, Refusal>>,
): Promise<Result<T, Refusal>> {
  const found = await ports.store.read(work);
  return found.ok ? found.value : storeTrouble(ports, found.failure);
}

/** Logs a fault of the database with all its details; the caller gets a refusal without the details. */
function storeTrouble(ports: ServerPorts, failure: Failure): Result<never, Refusal> {
  ports.log.error({ failure }, 'the database failed');
  return failed(storeRefusal(failure));
}
