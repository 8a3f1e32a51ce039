/** pi, tried with 0.74.2 and 0.87.1. `apes hooks install pi` writes an extension, which reports the events of `GENERIC_HOOKS`. */
import { GENERIC_HOOKS } from './generic.ts';
import { type Harness, USUAL_DIALOG_DELAY_MS } from './harness.ts';

export const pi: Harness = {
  name: 'pi',
  programs: ['pi'],
  hooks: GENERIC_HOOKS,
  announcesItself: true,
  confirmsPrompts: true,
  commandLeads: ['/', '!'],
  dialogDelayMs: USUAL_DIALOG_DELAY_MS,
  enterDelayMs: 0,
  screen: null,
};
