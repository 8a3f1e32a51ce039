/** Determines which risk the server shows to an approver, for a request of any kind. */

import { isReading } from '../files/file-operation.ts';
import type { EnvironmentEntry, ExecutionRequest } from '../grant/request.ts';
import { dangerOf } from '../sensitive/dangerous-places.ts';
import type { AssessmentView } from './assessment-view.ts';
import { higherRisk, type Risk } from './permission.ts';

/** `unknown`: the request is not understood, and counts as critical. */
export type ShownRisk = Risk | 'unknown';

/**
 * Returns the risk of a request. The server uses this function to show the risk, and to decide whether the approver must pick the number
 * (`needsMatch`). Who may approve depends on another risk (`riskWithScope`).
 * @param view the result of `viewWithDeciding`; null: there is no view, and the risk is unknown. File operations need no view
 */
export function shownRisk(request: ExecutionRequest, view: Pick<AssessmentView, 'risk' | 'opaque'> | null): ShownRisk {
  if (request.kind === 'file') return riskOfFiles(request);
  if (view === null || view.risk === null || view.opaque.length > 0) return 'unknown';
  return view.risk;
}

/**
 * Returns `unknown` if the request has deciding variables, else `risk`. A deciding variable is a bound variable that may decide what
 * runs, and has a value that few environments have.
 */
export const riskWithDeciding = (risk: ShownRisk, deciding: readonly EnvironmentEntry[]): ShownRisk =>
  deciding.length === 0 ? risk : 'unknown';

function riskOfFiles({ files = [] }: ExecutionRequest): ShownRisk {
  if (files.length === 0) return 'unknown';
  return files
    .map((file): Risk => {
      if (dangerOf(file) !== null) return 'high';
      return isReading(file.verb) ? 'low' : 'medium';
    })
    .reduce(higherRisk);
}

/** Whether the approver must pick the number that the requester's side shows. At a lower risk, a click is enough. */
export const needsMatch = (risk: ShownRisk): boolean => risk === 'high' || risk === 'critical' || risk === 'unknown';
