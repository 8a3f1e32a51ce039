import type { Case } from './run-case.mjs';

export const CASES: readonly Case[];
