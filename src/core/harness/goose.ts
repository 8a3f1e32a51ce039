/** Goose. Not driven by us: it reports nothing to a session, and its screen is not known. */
import { GENERIC_HOOKS } from './generic.ts';
import { type Harness, USUAL_DIALOG_DELAY_MS } from './harness.ts';

export const goose: Harness = {
  name: 'goose',
  programs: ['goose'],
  hooks: GENERIC_HOOKS,
  announcesItself: false,
  confirmsPrompts: false,
  commandLeads: ['/', '!'],
  dialogDelayMs: USUAL_DIALOG_DELAY_MS,
  enterDelayMs: 0,
  screen: null,
};
