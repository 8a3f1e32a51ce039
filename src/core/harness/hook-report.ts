/** Turns a call of `apes hooks report HARNESS [EVENT]` and the hook's JSON into a signal. */

import { type Fault, fault } from '../fault.ts';
import type { ActivitySignal } from '../message/session-view.ts';
import { failed, type Result, success } from '../result.ts';
import { harnessNamed } from './harnesses.ts';
import { type HookFields, signalBy, unwrapBusEvent } from './hook-events.ts';

/** @property signal null: no rule of the harness applies to the event and its fields */
export interface HookReport {
  readonly harness: string;
  readonly signal: ActivitySignal | null;
}

/**
 * Fails if the harness is unknown, if `json` is not an object, or if neither `given` nor `json` names an event.
 * @param given the name of the event; null: the hook's JSON names the event
 */
export function readReport(harnessName: string, given: string | null, json: unknown): Result<HookReport, Fault> {
  const harness = harnessNamed(harnessName);
  if (harness === null) return failed(fault(`unknown harness ${harnessName}`));
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    return failed(fault("the hook's JSON is not an object"));
  const fields = json as HookFields;
  const named = fields['hook_event_name'] ?? fields['hookName'];
  const name = given ?? (typeof named === 'string' ? named : null);
  if (name === null) return failed(fault('the hook names no event'));
  const unwrapped = unwrapBusEvent(name, fields);
  return success({ harness: harness.name, signal: signalBy(harness.hooks, unwrapped.event, unwrapped.fields) });
}
