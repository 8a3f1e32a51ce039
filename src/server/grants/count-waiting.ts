/** Counts the requests, and the hosts that want to enrol, that wait for an approver. Every page and the icon of the app show the number. */
import type { StoreReader } from '../../store/store.ts';

export const countWaiting = async (rows: StoreReader, nowMs: number): Promise<number> =>
  (await rows.countPending(nowMs)) + (await rows.pendingEnrolments(nowMs)).length;
