/** Makes the views of an enrolment: for approvers, and for the host that asked. */
import type { EnrolmentState, EnrolmentView } from '../../core/wire/enrolment.ts';
import type { Enrolment } from '../../store/store.ts';
import type { ServerPorts } from '../server-ports.ts';
import { enrolmentStateAt } from './enrolment.ts';

export const enrolmentView = (enrolment: Enrolment, nowMs: number): EnrolmentView => ({
  id: enrolment.id,
  state: enrolmentStateAt(enrolment, nowMs),
  name: enrolment.name,
  host: enrolment.host,
  user: enrolment.user,
  publicKey: enrolment.publicKey,
  code: enrolment.code,
  createdAtMs: enrolment.createdAtMs,
  expiresAtMs: enrolment.expiresAtMs,
});

/** Makes the view for the host that asked. */
export const enrolmentState = (
  enrolment: Enrolment,
  { clock, serverKey }: Pick<ServerPorts, 'clock' | 'serverKey'>,
): EnrolmentState => ({
  state: enrolmentStateAt(enrolment, clock.nowMs()),
  ...(enrolment.requesterId === null ? {} : { requesterId: enrolment.requesterId }),
  serverPublicKey: serverKey.publicKey,
});
