/** Harnesses that our tests never drive. They report nothing to a session, and ape-shell cannot read their screens. */
import { GENERIC_HOOKS } from './generic.ts';
import { type Harness, USUAL_DIALOG_DELAY_MS } from './harness.ts';

const notDriven = (name: string, program: string): Harness => ({
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

export const NOT_DRIVEN: readonly Harness[] = [
  notDriven('cursor', 'cursor-agent'),
  notDriven('goose', 'goose'),
  notDriven('hermes', 'hermes'),
  notDriven('grok', 'grok'),
];
