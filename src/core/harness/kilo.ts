/** Kilo CLI. Seen with 7.7.9: its plugin hands on what opencode's does, which it is made from. Its screen is not known to us. */
import { type Harness, USUAL_DIALOG_DELAY_MS } from './harness.ts';
import { opencode } from './opencode.ts';

export const kilo: Harness = {
  name: 'kilo',
  programs: ['kilo', 'kilocode'],
  hooks: opencode.hooks,
  announcesItself: false,
  confirmsPrompts: true,
  commandLeads: ['/', '!'],
  dialogDelayMs: USUAL_DIALOG_DELAY_MS,
  enterDelayMs: 0,
  screen: null,
};
