/**
 * Kilo CLI, a fork of opencode. We tried Kilo CLI 7.7.9. Our plugin reports the same events for Kilo CLI and opencode. ape-shell cannot
 * read the screen of Kilo CLI.
 */
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
