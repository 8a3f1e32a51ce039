/** Turns a hook event of a harness into one of our own signals. Each harness has its own table for this. */
import type { ActivityEvent } from '../message/activity.ts';
import type { ActivitySignal, ActivityState } from '../message/session-view.ts';
import { utf8Length } from '../text/utf8-length.ts';

export type HookFields = Readonly<Record<string, unknown>>;

/**
 * What an event of the harness means. If an event has several rules, the first rule that applies counts.
 * @property event our own name of the event; null: we have no name for the event
 * @property state the state after the event; null: the event does not show the state
 * @property when  whether the rule applies to these fields; absent: the rule always applies
 */
interface HookRule {
  readonly event: ActivityEvent | null;
  readonly state: ActivityState | null;
  readonly when?: (fields: HookFields) => boolean;
}

/**
 * `toolName`, `toolUseId` and `agentId` are lists of paths in the hook's JSON. A path consists of member names, joined with dots. The first
 * path that leads to a text counts.
 * @property rules      the rules for each event; the key is the harness's name of the event
 * @property promptText returns the text of a submitted prompt; null: the fields have no prompt
 */
export interface HookTable {
  readonly rules: Readonly<Record<string, readonly HookRule[]>>;
  readonly toolName: readonly string[];
  readonly toolUseId: readonly string[];
  readonly promptText: (fields: HookFields) => string | null;
  readonly agentId: readonly string[];
}

/** The limits are in bytes of UTF-8. A longer text counts as missing. Names and ids are not cut: a cut id could be equal to another id. */
const MAX_NAME_LENGTH = 256;
const MAX_PROMPT_LENGTH = 1 << 20;

/**
 * The plugin of opencode reports each event of opencode's bus as an event named `event`. The member `event` of the fields is the bus event
 * (`{type, properties}`). For such a report, returns the bus event. For every other event, returns the arguments.
 */
export function unwrapBusEvent(
  event: string,
  fields: HookFields,
): { readonly event: string; readonly fields: HookFields } {
  const inner = fields['event'];
  if (event !== 'event' || typeof inner !== 'object' || inner === null) return { event, fields };
  const type = textAt(fields, 'event.type');
  return type === null ? { event, fields } : { event: type, fields: inner as HookFields };
}

/** Returns the signal of the event; null if no rule of the table applies to the event and its fields. */
export function signalBy(table: HookTable, event: string, fields: HookFields): ActivitySignal | null {
  const rules = Object.hasOwn(table.rules, event) ? table.rules[event] : undefined;
  const rule = rules?.find(({ when }) => when === undefined || when(fields));
  if (rule === undefined) return null;
  return {
    state: rule.state,
    event: rule.event,
    toolName: nameAt(fields, table.toolName),
    toolUseId: nameAt(fields, table.toolUseId),
    promptText: rule.event === 'user-prompt-submit' ? acceptPrompt(table.promptText(fields)) : null,
    agentId: nameAt(fields, table.agentId),
  };
}

function nameAt(fields: HookFields, paths: readonly string[]): string | null {
  for (const path of paths) {
    const text = textAt(fields, path);
    if (text !== null) return acceptName(text);
  }
  return null;
}

/** Returns the text at this path (see `HookTable`); null if there is no text. */
export function textAt(fields: HookFields, path: string): string | null {
  let value: unknown = fields;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return null;
    value = (value as HookFields)[key];
  }
  return typeof value === 'string' ? value : null;
}

const CONTROLS = /[\u0000-\u001f\u007f-\u009f]/g;

/** Returns the name without control characters; null: the name is empty or too long. */
export function acceptName(text: string | null): string | null {
  const plain = text?.replace(CONTROLS, '') ?? '';
  return plain === '' || utf8Length(plain) > MAX_NAME_LENGTH ? null : plain;
}

/** Returns the prompt; null: there is no prompt, or the prompt is too long. */
export const acceptPrompt = (text: string | null): string | null =>
  text === null || utf8Length(text) > MAX_PROMPT_LENGTH ? null : text;

export const fromField = (path: string) => (fields: HookFields) => textAt(fields, path);
