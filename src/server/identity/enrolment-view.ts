/** Makes the two views of an enrolment: for approvers, and for the host that asked for the enrolment. */
import { twinsOf } from '../../core/people/requester-twins.ts';
import type { EnrolmentState, EnrolmentView } from '../../core/wire/enrolment.ts';
import type { Enrolment, Subject } from '../../store/store.ts';
import type { ServerPorts } from '../server-ports.ts';
import { codeOf, enrolmentStateAt } from './enrolment.ts';

/**
 * Makes the view for approvers.
 * @param requesters all requesters. If the enrolment is pending, `twins` lists the requesters that an approver can mistake for this host.
 *                   Null: the view has no `twins`
 */
export const enrolmentView = (
  ports: Pick<ServerPorts, 'serverKey'>,
  enrolment: Enrolment,
  nowMs: number,
  requesters: readonly Subject[] | null,
): EnrolmentView => ({
  id: enrolment.id,
  state: enrolmentStateAt(enrolment, nowMs),
  name: enrolment.name,
  host: enrolment.host,
  user: enrolment.user,
  publicKey: enrolment.publicKey,
  code: codeOf(enrolment, ports),
  createdAtMs: enrolment.createdAtMs,
  expiresAtMs: enrolment.expiresAtMs,
  ...(enrolment.state === 'pending' && requesters !== null ? { twins: twinViews(enrolment, requesters) } : {}),
});

/** Leaves out a requester with the same key: a host that enrols again with its own key stays the same requester. */
const twinViews = (enrolment: Enrolment, requesters: readonly Subject[]) =>
  twinsOf(enrolment, requesters)
    .filter(({ publicKey }) => publicKey !== enrolment.publicKey)
    .map(({ id, name, host, user, createdAtMs }) => ({ requesterId: id, name, host, user, sinceMs: createdAtMs }));

/** Makes the view for the host that asked. The view has no `requesterId` until the enrolment is approved. */
export const enrolmentState = (
  enrolment: Enrolment,
  { clock, serverKey }: Pick<ServerPorts, 'clock' | 'serverKey'>,
): EnrolmentState => ({
  state: enrolmentStateAt(enrolment, clock.nowMs()),
  ...(enrolment.requesterId === null ? {} : { requesterId: enrolment.requesterId }),
  serverPublicKey: serverKey.publicKey,
});
