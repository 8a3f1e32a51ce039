/**
 * Finds out what the program of a session is doing, from the reports of its hooks and from its screen.
 *
 * Time alone never ends `waiting_input` or `blocked`. These things end `blocked`:
 * - the end of the tool about which the human was asked, unless `isAmbiguous`
 * - the answer to the question
 * - a turn boundary: a new prompt, or the end of a turn or of the program
 * - the screen, because some harnesses call no hook when a human answers "No". The screen must show a composer (the program's own line
 *   editor) and no running turn for `SETTLED_MS` without a break. If no dialog was seen, this time is `SETTLED_UNSEEN_MS`.
 *
 * In doubt the state stays `blocked`.
 */
import type { ScreenReading } from './screen-reading.ts';
import type { ActivitySignal, ActivityState } from './session-view.ts';

/** Our own events. `src/core/harness/` maps the events of each harness to these events. */
export type ActivityEvent =
  | 'session-start'
  | 'user-prompt-submit'
  /** The agent goes on with its turn, without a new prompt of the human. */
  | 'turn-continued'
  | 'pre-tool-use'
  | 'post-tool-use'
  | 'post-tool-use-failure'
  | 'permission-request'
  /** A `permission-request` of a harness that calls its pre-tool hook only after the human has answered. */
  | 'permission-request-first'
  | 'permission-answered'
  | 'notification'
  | 'stop'
  | 'interrupt'
  | 'session-end';

/**
 * A running tool.
 * @property hasBegunWhileWaiting whether the tool began while the state was `waiting_input`
 */
interface ToolInFlight {
  readonly name: string;
  readonly hasBegunWhileWaiting: boolean;
}

/**
 * @property state          null: nothing is known yet
 * @property hasSignalled   whether a hook has reported since the launch; false: the program possibly still shows a start-up screen
 * @property agentId        the harness's own id of the conversation; signals with another id are ignored until the conversation or the
 *                          program ends
 * @property inflight       the running tools by id: their pre-tool event has come, and their post-tool event has not
 * @property awaited        ids of tools that have not ended and that a human was asked to approve, and of questions without an answer
 * @property isAmbiguous    whether the tool about which a human was asked is uncertain
 * @property expectedTool   the name of a tool about which a human was asked before its pre-tool event (`permission-request-first`)
 * @property lastToolAtMs   when the latest event of `MAY_OPEN_A_DIALOG` came (Unix ms); null: no such event yet
 * @property screen         the kind of the latest reading; null: no reading yet
 * @property screenAtMs     when the latest reading was made (Unix ms); null: no reading yet
 * @property composerSinceMs since when, without a break, the screen has shown a composer and no running turn (Unix ms); null: the screen
 *                          does not show this now
 * @property hasSeenDialog  whether the screen has shown a dialog since the state became `blocked`, or since a later question
 * @property isOver         whether the program has ended; true: all signals are ignored
 */
export interface Activity {
  readonly state: ActivityState | null;
  readonly hasSignalled: boolean;
  readonly agentId: string | null;
  readonly inflight: ReadonlyMap<string, ToolInFlight>;
  readonly awaited: ReadonlySet<string>;
  readonly isAmbiguous: boolean;
  readonly expectedTool: string | null;
  readonly lastToolAtMs: number | null;
  readonly screen: ScreenReading['kind'] | null;
  readonly screenAtMs: number | null;
  readonly composerSinceMs: number | null;
  readonly hasSeenDialog: boolean;
  readonly isOver: boolean;
}

export type ActivityInput =
  | { readonly kind: 'signal'; readonly signal: ActivitySignal; readonly atMs: number }
  | { readonly kind: 'screen'; readonly reading: ScreenReading; readonly atMs: number }
  /** A new program was started in the session: all that was known is forgotten. */
  | { readonly kind: 'launched' }
  /** The program has ended. */
  | { readonly kind: 'ended' };

/** At most this many running tools are tracked. When one more tool begins, the others are forgotten, and `isAmbiguous` becomes true. */
export const MAX_INFLIGHT = 128;
/** How long the screen must show a composer to end `blocked`, if a dialog was seen. */
export const SETTLED_MS = 1_500;
/** How long the screen must show a composer to end `blocked`, if no dialog was seen: perhaps the dialog is not drawn yet. */
export const SETTLED_UNSEEN_MS = 10_000;
/** A longer gap between two readings is a break: the screen may have changed in the gap. So `composerSinceMs` begins anew. */
const MAX_READING_GAP_MS = 1_000;

const NO_TRACKING = {
  inflight: new Map<string, ToolInFlight>(),
  awaited: new Set<string>(),
  isAmbiguous: false,
  expectedTool: null,
  hasSeenDialog: false,
} as const;

export const UNKNOWN_ACTIVITY: Activity = {
  state: null,
  hasSignalled: false,
  agentId: null,
  ...NO_TRACKING,
  lastToolAtMs: null,
  screen: null,
  screenAtMs: null,
  composerSinceMs: null,
  isOver: false,
};

const TURN_BOUNDARIES: ReadonlySet<string> = new Set(['user-prompt-submit', 'stop', 'interrupt', 'session-end']);
const TOOL_EVENTS: ReadonlySet<string> = new Set(['pre-tool-use', 'post-tool-use', 'post-tool-use-failure']);
/** The events after which a dialog may open, as soon as the hook has answered. */
export const MAY_OPEN_A_DIALOG: ReadonlySet<string> = new Set([
  'pre-tool-use',
  'permission-request',
  'permission-request-first',
]);

/** Returns the activity after this input; `activity` itself if the input is ignored. */
export function nextActivity(activity: Activity, input: ActivityInput): Activity {
  switch (input.kind) {
    case 'launched':
      return UNKNOWN_ACTIVITY;
    case 'ended':
      return { ...activity, ...NO_TRACKING, state: 'exited', isOver: true };
    case 'screen':
      return onScreen(activity, input.reading, input.atMs);
    case 'signal':
      return onSignal(activity, input.signal, input.atMs);
  }
}

/**
 * Returns the state to show; null: nothing is known yet. While the screen shows a dialog, every state except `exited` is shown as
 * `blocked`, even if no hook has reported the dialog.
 */
export function shownState(activity: Activity): ActivityState | null {
  return activity.screen === 'dialog' && activity.state !== 'exited' ? 'blocked' : activity.state;
}

function onSignal(before: Activity, signal: ActivitySignal, atMs: number): Activity {
  if (before.isOver || !isFromOurAgent(before, signal)) return before;
  if (before.state === 'exited' && !revives(before, signal)) return before;
  const event = signal.event;
  const withSignal: Activity = {
    ...before,
    hasSignalled: true,
    agentId: signal.agentId ?? before.agentId,
    lastToolAtMs: event !== null && MAY_OPEN_A_DIALOG.has(event) ? atMs : before.lastToolAtMs,
  };
  const tracked = trackTool(withSignal, signal);
  if (event !== null && TURN_BOUNDARIES.has(event)) {
    const state = signal.state ?? tracked.state;
    return event === 'session-end' && signal.state === null
      ? { ...tracked, ...NO_TRACKING, state: 'idle', agentId: null } // the program goes on with a new or a resumed conversation
      : { ...tracked, ...NO_TRACKING, state };
  }
  if (tracked.state === 'blocked') return whileBlocked(tracked, signal);
  if (signal.state === 'blocked') return enterBlocked(tracked, signal);
  if (tracked.state === 'waiting_input' && event !== null && TOOL_EVENTS.has(event))
    return endsWaiting(before, signal) ? { ...tracked, state: 'active' } : tracked;
  return signal.state === null ? tracked : { ...tracked, state: signal.state };
}

/**
 * Whether the signal comes from the session's own agent. This agent may start another agent, which inherits our variables. The hooks of
 * the other agent then report to the same session, with another id.
 */
function isFromOurAgent(activity: Activity, signal: ActivitySignal): boolean {
  const id = signal.agentId ?? null;
  return id === null || activity.agentId === null || id === activity.agentId || activity.state === 'exited';
}

/** Whether the signal shows that the program runs again after its end: a new prompt, or the start of another conversation. */
function revives(activity: Activity, signal: ActivitySignal): boolean {
  if (signal.event === 'user-prompt-submit') return true;
  const id = signal.agentId ?? null;
  return signal.event === 'session-start' && id !== null && activity.agentId !== null && id !== activity.agentId;
}

function trackTool(activity: Activity, signal: ActivitySignal): Activity {
  const { event, toolUseId: id, toolName: name } = signal;
  if (id === null || event === null || !TOOL_EVENTS.has(event)) return activity;
  if (event !== 'pre-tool-use') {
    const inflight = new Map(activity.inflight);
    inflight.delete(id);
    return { ...activity, inflight };
  }
  if (name === null) return activity;
  if (activity.inflight.size >= MAX_INFLIGHT && !activity.inflight.has(id))
    return {
      ...activity,
      inflight: new Map([[id, { name, hasBegunWhileWaiting: false }]]),
      isAmbiguous: true, // a human may be asked about one of the tools that are forgotten here
    };
  const tool = { name, hasBegunWhileWaiting: activity.state === 'waiting_input' };
  const inflight = new Map(activity.inflight).set(id, tool);
  if (activity.expectedTool !== name) return { ...activity, inflight };
  return { ...activity, inflight, expectedTool: null, awaited: new Set([...activity.awaited, id]) };
}

function enterBlocked(activity: Activity, signal: ActivitySignal): Activity {
  const clean: Activity = {
    ...activity,
    state: 'blocked',
    awaited: new Set(),
    expectedTool: null,
    hasSeenDialog: activity.screen === 'dialog',
    composerSinceMs: null,
  };
  return awaitAnswer(clean, signal);
}

/**
 * Stores, in `awaited` or `expectedTool`, the tool about which the human is asked. If the tool is not certain, only a turn boundary or the
 * screen ends `blocked`.
 */
function awaitAnswer(activity: Activity, signal: ActivitySignal): Activity {
  const { event, toolName: name, toolUseId: id } = signal;
  if (event !== 'permission-request' && event !== 'permission-request-first') return activity;
  const fresh = { ...activity, composerSinceMs: null, hasSeenDialog: activity.screen === 'dialog' };
  const ambiguous = { ...fresh, isAmbiguous: true };
  if (id !== null) return { ...fresh, awaited: new Set([...fresh.awaited, id]) };
  if (name === null) return ambiguous;
  const candidates = [...fresh.inflight].filter(([, tool]) => tool.name === name).map(([key]) => key);
  if (event === 'permission-request-first')
    return candidates.length === 0 && fresh.expectedTool === null ? { ...fresh, expectedTool: name } : ambiguous;
  const [only] = candidates;
  if (only === undefined || candidates.length > 1 || fresh.awaited.has(only)) return ambiguous;
  return { ...fresh, awaited: new Set([...fresh.awaited, only]) };
}

function whileBlocked(activity: Activity, signal: ActivitySignal): Activity {
  const { event, toolUseId: id } = signal;
  if (signal.state === 'exited') return { ...activity, ...NO_TRACKING, state: 'exited' };
  if (signal.state === 'blocked') return awaitAnswer(activity, signal);
  const isEnd = event === 'post-tool-use' || event === 'post-tool-use-failure' || event === 'permission-answered';
  if (!isEnd || id === null || !activity.awaited.has(id)) return activity;
  const awaited = new Set(activity.awaited);
  awaited.delete(id);
  const stays = awaited.size > 0 || activity.isAmbiguous || activity.expectedTool !== null;
  if (stays) return { ...activity, awaited };
  return { ...activity, awaited, state: signal.state ?? 'active', hasSeenDialog: false };
}

/**
 * Whether the signal ends a tool that began while the state was `waiting_input`. The end of such a tool shows that the agent works again.
 * The end of an earlier tool does not show this.
 */
function endsWaiting(before: Activity, signal: ActivitySignal): boolean {
  return (
    signal.event !== 'pre-tool-use' &&
    signal.toolUseId !== null &&
    before.inflight.get(signal.toolUseId)?.hasBegunWhileWaiting === true
  );
}

function onScreen(before: Activity, reading: ScreenReading, atMs: number): Activity {
  const isSettled = reading.kind === 'composer' && !reading.isBusy;
  const isUnbroken = before.screenAtMs !== null && atMs - before.screenAtMs <= MAX_READING_GAP_MS;
  const composerSinceMs = isSettled ? ((isUnbroken ? before.composerSinceMs : null) ?? atMs) : null;
  const withReading: Activity = {
    ...before,
    screen: reading.kind,
    screenAtMs: atMs,
    composerSinceMs,
    hasSeenDialog: before.hasSeenDialog || (before.state === 'blocked' && reading.kind === 'dialog'),
  };
  if (before.state !== 'blocked' || composerSinceMs === null) return withReading;
  const neededMs = withReading.hasSeenDialog ? SETTLED_MS : SETTLED_UNSEEN_MS;
  return atMs - composerSinceMs < neededMs ? withReading : { ...withReading, ...NO_TRACKING, state: 'idle' };
}
