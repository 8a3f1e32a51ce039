/** What runs on hosts: what an approver does to it, and how much of it one host tells. */

export const RUNNING_ACTS = ['hold', 'continue', 'kill'] as const;
export type RunningAct = (typeof RUNNING_ACTS)[number];

export const MAX_RUNNING_SESSIONS = 200;
export const MAX_RUNNING_COMMANDS = 500;
