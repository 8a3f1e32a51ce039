import type { Case } from './run-case.mjs';

export const CASES: readonly Case[];
export const ONE_SESSION: Case;
