/**
 * Makes the text that is printed before a granted command runs. The text says how the command is confined, and which program may fail. Our
 * process then becomes the command. So our process can print nothing later.
 */

import type { Confinement } from '../core/confinement/confinement.ts';
import { confinementText } from '../core/confinement/confinement-text.ts';
import type { Permit } from '../core/grant/authorization.ts';
import { visibleLine } from '../core/text/visible-text.ts';
import { setIdPrograms } from '../platform/confinement.ts';
import { resolveProgram } from '../platform/own-program.ts';

/** Advice for a command that the confinement stops. In sessions, `bin/confine-builtin.c` prints the advice if a confined line failed. */
const FOR_MORE = '; if it needs more, ask for the exact line, which runs unconfined: apes run --exact --wait -- ';

/** Returns one line without LF, such as `granted (always, git status), grant g_1; confined: reads /w; if it needs more, …`. */
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
 * Looks for a set-user-ID or set-group-ID program, such as sudo, that the confined command can run. Returns a warning about the first such
 * program; an empty text if the command can run no such program.
 * @param path the value of PATH
 */
export function setIdWarning(confinement: Confinement, path: string, cwd: string): string {
  const named = confinement.tools.flatMap((tool) => resolveProgram(tool, path, cwd) ?? []);
  const [first] = setIdPrograms([...confinement.execute, ...named]);
  return first === undefined
    ? ''
    : `; ${visibleLine(first)} gets no rights of another user while it is confined, and so may fail: ask for the exact line, which runs unconfined`;
}
