/**
 * The text that is printed before a granted command runs. Our process becomes the command, so no process of ours is left when the command
 * ends. Therefore the text says beforehand how the command is confined, and which of its programs will possibly fail.
 */

import type { Confinement } from '../core/confinement/confinement.ts';
import { confinementText } from '../core/confinement/confinement-text.ts';
import type { Permit } from '../core/grant/authorization.ts';
import { visibleLine } from '../core/text/visible-text.ts';
import { setIdPrograms } from '../platform/confinement.ts';
import { resolveProgram } from '../platform/own-program.ts';

/**
 * What to do if the confinement refuses something to the command. For a line typed in a session, bash prints this advice itself, after a
 * confined line that failed.
 */
const FOR_MORE = '; if it needs more, ask for the exact line, which runs unconfined: apes run --exact --wait -- ';

/** One line without its LF: `granted (always, git status), grant g_1; confined: reads /w, writes nothing, no network; if it needs more, …`. */
export function grantedText(permit: Permit, environment: ReadonlyMap<string, Buffer>): string {
  const { because, grantId, confinement, request } = permit;
  const granted = `granted (${because}), grant ${grantId}`;
  if (confinement === null) return granted;
  const path = environment.get('PATH')?.toString('utf8') ?? '';
  const held = `${granted}; confined: ${visibleLine(confinementText(confinement))}`;
  const warning = setIdWarning(confinement, path, request.cwd);
  if (warning !== '') return `${held}${warning}`;
  return `${held}${FOR_MORE}${request.kind === 'argv' ? 'CMD' : 'bash -c LINE'}`;
}

/**
 * Looks for a set-user-ID or set-group-ID program, such as sudo, that the confined command can run. Returns a text to append that names the
 * first such program, and says why it possibly fails; an empty text if there is none.
 * @param path the value of PATH
 */
export function setIdWarning(confinement: Confinement, path: string, cwd: string): string {
  const named = confinement.tools.flatMap((tool) => resolveProgram(tool, path, cwd) ?? []);
  const [first] = setIdPrograms([...confinement.execute, ...named]);
  return first === undefined
    ? ''
    : `; ${visibleLine(first)} gets no rights of another user while it is confined, and so may fail: ask for the exact line, which runs unconfined`;
}
