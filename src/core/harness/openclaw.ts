/** openclaw. It has an API of its own for messages (`openclaw agent`, the Gateway); its terminal UI's screen is not known to us. */
import { GENERIC_HOOKS } from './generic.ts';
import { type Harness, USUAL_DIALOG_DELAY_MS } from './harness.ts';

export const openclaw: Harness = {
  name: 'openclaw',
  programs: ['openclaw'],
  hooks: GENERIC_HOOKS,
  announcesItself: true,
  confirmsPrompts: false,
  commandLeads: ['/', '!'],
  dialogDelayMs: USUAL_DIALOG_DELAY_MS,
  screen: null,
};
