/** Sessions and commands that run on a host: what an approver can do with them, and how many of them a host reports at most. */

export const RUNNING_ACTS = ['hold', 'continue', 'kill'] as const;
export type RunningAct = (typeof RUNNING_ACTS)[number];

export const MAX_RUNNING_SESSIONS = 200;
export const MAX_RUNNING_COMMANDS = 500;
