/**
 * What we know about openclaw. openclaw has its own API for messages (`openclaw agent`, the Gateway). ape-shell cannot read the screen of
 * openclaw's terminal UI.
 */
import { GENERIC_HOOKS } from './generic.ts';
import { type Harness, USUAL_DIALOG_DELAY_MS } from './harness.ts';
import type { HookTable } from './hook-events.ts';

const HOOKS: HookTable = {
  ...GENERIC_HOOKS,
  rules: {
    ...GENERIC_HOOKS.rules,
    before_tool_call: [{ event: 'pre-tool-use', state: 'active' }],
    after_tool_call: [{ event: 'post-tool-use', state: 'active' }],
  },
};

export const openclaw: Harness = {
  name: 'openclaw',
  programs: ['openclaw'],
  hooks: HOOKS,
  announcesItself: true,
  confirmsPrompts: false,
  commandLeads: ['/', '!'],
  dialogDelayMs: USUAL_DIALOG_DELAY_MS,
  enterDelayMs: 0,
  screen: null,
};
