/** What an approver can do with the sessions and commands that run on a host, and how many of each kind a host reports at most. */

export const RUNNING_ACTS = ['hold', 'continue', 'kill'] as const;
export type RunningAct = (typeof RUNNING_ACTS)[number];

export const MAX_RUNNING_SESSIONS = 200;
export const MAX_RUNNING_COMMANDS = 500;
