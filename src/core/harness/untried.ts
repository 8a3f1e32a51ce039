/** Harnesses that we have not tried. They report nothing to a session, and ape-shell cannot read their screens. */
import { GENERIC_HOOKS } from './generic.ts';
import { type Harness, USUAL_DIALOG_DELAY_MS } from './harness.ts';

const untried = (name: string, program: string): Harness => ({
  name,
  programs: [program],
  hooks: GENERIC_HOOKS,
  announcesItself: false,
  confirmsPrompts: false,
  commandLeads: ['/', '!'],
  dialogDelayMs: USUAL_DIALOG_DELAY_MS,
  enterDelayMs: 0,
  screen: null,
});

export const UNTRIED: readonly Harness[] = [
  untried('cursor', 'cursor-agent'),
  untried('goose', 'goose'),
  untried('hermes', 'hermes'),
  untried('grok', 'grok'),
];
