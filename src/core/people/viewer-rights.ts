/** What an approver may do about a request, and why not more. */

/**
 * @property whyNotApprove a clause: why the viewer cannot approve, or that the viewer has approved; null: the viewer can. The clause begins
 *                         with a small letter and has no full stop: `your limits do not allow this decision`
 * @property whyNotDeny    a clause of the same form: why the viewer cannot deny; null: the viewer can deny
 * @property hasApproved   true: the viewer has approved, but further people have to approve; absent: false
 */
export interface ViewerRights {
  readonly whyNotApprove: string | null;
  readonly whyNotDeny: string | null;
  readonly hasApproved?: boolean;
}

export const ALL_RIGHTS: ViewerRights = { whyNotApprove: null, whyNotDeny: null };
