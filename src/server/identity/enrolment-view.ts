/** An enrolment as the API shows it to approvers. */
import type { EnrolmentView } from '../../core/wire/enrolment.ts';
import type { Enrolment } from '../../store/store.ts';
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
