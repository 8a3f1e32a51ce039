/**
 * Commands in which git opens an editor for a message. Usually the environment or the settings of the user name this editor. But a settings
 * file of the repository may name the editor too. A person who approves the exact bytes of a line must know of that setting. If a scope
 * covers the line, ape-shell sets `GIT_EDITOR=true`: git then runs the program `true` instead of an editor.
 */
import type { CommandContext } from './command-context.ts';
import { type Meaning, NOTHING } from './meaning.ts';

const OPENS_EDITOR: ReadonlySet<string> = new Set(
  ['commit', 'commit amend', 'tag create', 'merge', 'pull', 'rebase', 'cherry-pick', 'revert'].map(
    (verb) => `git ${verb}`,
  ),
);
/** With one of these options, git needs no editor for the message. */
const GIVES_MESSAGE: ReadonlySet<string> = new Set(['--message', '--file', '--reuse-message', '--no-edit']);
/** With one of these options, git opens the editor although the message is given. */
const EDITS: ReadonlySet<string> = new Set(['--edit', '--reedit-message']);

const MEANING: Meaning = {
  resources: [],
  risk: 'high',
  does: 'Git may open an editor, and a settings file of the repository names which program this is.',
};

/** Returns the meaning of the repository's settings for the editor. Returns `NOTHING` if the context has no `hasHooks`. */
export function meaningOfEditor(
  operation: string,
  options: readonly string[],
  { cwd, hasHooks, resolvePath }: CommandContext,
): Meaning {
  if (hasHooks === undefined || !OPENS_EDITOR.has(operation)) return NOTHING;
  const hasMessage = options.some((option) => GIVES_MESSAGE.has(option));
  if (hasMessage && !options.some((option) => EDITS.has(option))) return NOTHING;
  return cwd === null || hasHooks(resolvePath(cwd, 'target'), 'editor') ? MEANING : NOTHING;
}
