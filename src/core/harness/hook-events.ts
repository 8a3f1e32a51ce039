/** Turns the hook event of a harness into one of our own signals, by the table of that harness. */
import type { ActivityEvent } from '../message/activity.ts';
import type { ActivitySignal, ActivityState } from '../message/session-view.ts';

export type HookFields = Readonly<Record<string, unknown>>;

/**
 * What one of the harness's events means. Of several rules for one event, the first that applies counts.
 * @property state null: the event does not show the state
 * @property when  whether the rule applies to these fields; absent: always
 */
interface HookRule {
  readonly event: ActivityEvent | null;
  readonly state: ActivityState | null;
  readonly when?: (fields: HookFields) => boolean;
}

/**
 * @property toolName (as `toolUseId` and `agentId`) paths in the hook's JSON: member names joined with dots. The first path
 * that leads to a text counts
 */
export interface HookTable {
  readonly rules: Readonly<Record<string, readonly HookRule[]>>;
  readonly toolName: readonly string[];
  readonly toolUseId: readonly string[];
  readonly promptText: (fields: HookFields) => string | null;
  readonly agentId: readonly string[];
}

/** In bytes of UTF-8. A longer name is ignored and not cut, because a cut id could equal another. */
const MAX_NAME_LENGTH = 256;
const MAX_PROMPT_LENGTH = 1 << 20;

/** Returns the event and its fields. A bus event (`{type, properties}`) may be inside of a member `event`: then returns that one. */
export function openEnvelope(
  event: string,
  fields: HookFields,
): { readonly event: string; readonly fields: HookFields } {
  const inner = fields['event'];
  if (event !== 'event' || typeof inner !== 'object' || inner === null) return { event, fields };
  const type = textAt(fields, 'event.type');
  return type === null ? { event, fields } : { event: type, fields: inner as HookFields };
}

/** The signal of the event; null: none. */
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

export function textAt(fields: HookFields, path: string): string | null {
  let value: unknown = fields;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return null;
    value = (value as HookFields)[key];
  }
  return typeof value === 'string' ? value : null;
}

const CONTROLS = /[\u0000-\u001f\u007f-\u009f]/g;

/** The name without control characters; null when it is empty or too long. */
export function acceptName(text: string | null): string | null {
  const plain = text?.replace(CONTROLS, '') ?? '';
  return plain === '' || bytesOf(plain) > MAX_NAME_LENGTH ? null : plain;
}

export const acceptPrompt = (text: string | null): string | null =>
  text === null || bytesOf(text) > MAX_PROMPT_LENGTH ? null : text;

/** Length in bytes of UTF-8. A lone surrogate counts three, like the character that replaces it. */
export function bytesOf(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}

export const fromField = (path: string) => (fields: HookFields) => textAt(fields, path);
