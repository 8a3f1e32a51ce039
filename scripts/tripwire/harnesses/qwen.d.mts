import type { HarnessDriver } from '../run-case.mjs';

export const qwen: HarnessDriver;
