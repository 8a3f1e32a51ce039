/** The shells that have a completion, each with the function that returns the completion script. */

import type { Verb } from '../verb-tree.ts';
import { bashCompletion } from './completion-bash.ts';
import { fishCompletion } from './completion-fish.ts';
import { zshCompletion } from './completion-zsh.ts';

export const COMPLETIONS = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
} as const satisfies Record<string, (tree: Verb, version: string) => string>;
