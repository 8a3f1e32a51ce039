/**
 * `zcat a` and `gunzip a` take `a.gz` if there is no file `a`. Gzip tries several endings (`open_input_file` and `get_suffix` in its
 * source). So the names with these endings are also resources of the command.
 */
import type { Word } from '../reading/reading.ts';
import { writtenText } from '../reading/spelling.ts';
import { pathsOfWord } from './path-of-word.ts';
import type { Access, Resource } from './permission.ts';
import type { UnderstoodCall } from './understood-call.ts';
import { withEnding } from './with-ending.ts';

const ENDINGS = ['.gz', '.z', '-gz', '-z', '_z', '.Z'];
/** As in `get_suffix` of gzip.c, an ending counts only behind another character of the name. `_gz` is not an ending. */
const HAS_ENDING = /[^/](?:[.-]g?z|_z|\.t[ag]z|\.taz)$/i;
const PRINTERS: ReadonlySet<string> = new Set(['gzcat', 'zcat']);
const UNPACKERS: ReadonlySet<string> = new Set([...PRINTERS, 'gunzip']);
/** With one of these options, `gzip` reads packed files. */
const UNPACKING = ['--decompress', '--test', '--list'];

/** Returns the accesses to the files that gzip may take in place of the operands; an empty list if the command reads no packed file. */
export function packedNames({ tool, uses, operands, context }: UnderstoodCall): readonly Resource[] {
  const has = (name: string): boolean => uses.some(({ rule }) => rule.canonical === name);
  if (!UNPACKERS.has(tool) && !(tool === 'gzip' && UNPACKING.some(has))) return [];
  const isOnlyRead = PRINTERS.has(tool) || has('--stdout') || has('--list');
  const accesses: readonly Access[] = isOnlyRead ? ['read'] : ['read', 'delete'];
  return operands
    .flatMap(missingNames)
    .flatMap((word) => ENDINGS.map((ending) => withEnding(word, ending)))
    .flatMap((word) =>
      accesses.flatMap((access) =>
        pathsOfWord(word, context, access === 'delete' ? 'itself' : 'target').map(
          (path): Resource => ({ kind: 'path', access, ...path }),
        ),
      ),
    );
}

/** A word may become several texts. Keeps the texts to which gzip may add an ending. Drops paths from a glob or find: these files exist. */
function missingNames(word: Word): readonly Word[] {
  if (word.kind === 'literal') return word.value === '-' || HAS_ENDING.test(word.value) ? [] : [word];
  const spellings = (word.spellings ?? []).filter(
    (each) => each.pieces.every(({ kind }) => kind === 'text') && !HAS_ENDING.test(writtenText(each)),
  );
  return spellings.length === 0 ? [] : [{ ...word, spellings }];
}
