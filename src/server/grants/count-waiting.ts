/** How many wait for an approver: requests, and hosts that want to enrol. It stands on every page, and on the icon of the app. */
import type { StoreReader } from '../../store/store.ts';

export const countWaiting = async (rows: StoreReader, nowMs: number): Promise<number> =>
  (await rows.countPending(null, nowMs)) + (await rows.pendingEnrolments(nowMs)).length;
