/** Finds the files that a patch touches. Accepts only the exact format of `apply_patch`, which Codex and other harnesses use. */
import type { WantedOperation } from '../gate/file-operation.ts';

const HEADER = /^\*\*\* (Add|Delete|Update) File: (\S(?:.*\S)?)$/;
const MOVE = /^\*\*\* Move to: (\S(?:.*\S)?)$/;
const END_OF_FILE = '*** End of File';

interface Section {
  readonly verb: string;
  readonly path: string;
  readonly lines: string[];
}

/**
 * Returns the operations in the order of the patch. A move becomes three operations: an edit and a delete of the old path, and an edit of
 * the new path. Each other section becomes one operation. Returns null if the text is not exactly in this format, or has no section.
 */
export function operationsInPatch(patch: string): readonly WantedOperation[] | null {
  const lines = patch.trim().split('\n');
  if (lines[0] !== '*** Begin Patch' || lines.at(-1) !== '*** End Patch') return null;
  const sections: Section[] = [];
  for (const line of lines.slice(1, -1)) {
    const header = HEADER.exec(line);
    if (header !== null) sections.push({ verb: header[1] ?? '', path: header[2] ?? '', lines: [] });
    else if (!isBodyLine(line)) return null;
    else if (sections.length === 0) return null;
    else sections.at(-1)?.lines.push(line);
  }
  const operations = sections.map(operationsOf);
  return operations.length > 0 && operations.every((one) => one !== null) ? operations.flat() : null;
}

/**
 * Returns false for an indented or misspelt `***` line. The harness can read such a line as a header. Then the gate would miss a file.
 * Control characters before the `***` count as indentation, because Codex treats U+0085 as a blank.
 */
const isBodyLine = (line: string): boolean =>
  !/^[\s\p{C}]*\*\*\*/u.test(line) || MOVE.test(line) || line === END_OF_FILE;

function operationsOf({ verb, path, lines }: Section): WantedOperation[] | null {
  if (verb === 'Delete') return lines.length === 0 ? [{ verb: 'delete', path }] : null;
  if (verb === 'Add') {
    if (!lines.every((line) => line.startsWith('+'))) return null;
    return [{ verb: 'write', path, content: lines.map((line) => `${line.slice(1)}\n`).join('') }];
  }
  const moves = lines.filter((line) => MOVE.test(line));
  const input = lines.join('\n');
  if (moves.length > 1 || (moves.length === 1 && lines[0] !== moves[0])) return null;
  const target = MOVE.exec(moves[0] ?? '')?.[1];
  const edit: WantedOperation = { verb: 'edit', path, input };
  return target === undefined ? [edit] : [edit, { verb: 'delete', path }, { verb: 'edit', path: target, input }];
}

const HERE_DOCUMENT = /^apply_patch <<[ \t]*'([A-Za-z_]+)'\n([\s\S]*)\n\1\n?$/;

/**
 * Returns the patch in a command that consists only of `apply_patch` with a quoted here-document. Returns null for any other command.
 * Also returns null if a line of the patch is the delimiter: bash ends the here-document there, and runs the next lines as commands.
 */
export function patchInCommand(command: string): string | null {
  const [, end, patch] = HERE_DOCUMENT.exec(command) ?? [];
  if (end === undefined || patch === undefined) return null;
  return patch.split('\n').includes(end) ? null : patch;
}
