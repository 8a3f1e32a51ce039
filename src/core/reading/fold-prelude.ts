/**
 * Removes the prelude: the text that an agent harness puts around a command before a shell gets the command. Preludes contain random names.
 * So two texts with the same command can differ until their preludes are removed. This module removes only preludes of exactly known forms.
 * Seen in: Claude Code 2.1, Codex CLI 0.169, openclaw 2026.9.
 *
 * The frame of Gemini CLI is not a prelude: the frame writes a file, and a model can make this file a link to another file. Only
 * `ape-shell -c` takes the command out of the frame (`commandInFrame`). This module treats the frame as a part of the command.
 */
import type { FoldedHarnessSchema } from '../wire/assessment-view.ts';
import type { Shape } from '../wire/schema-parts.ts';

/**
 * @property harness  the harness that wrote the prelude
 * @property prelude  the whole text, with `…` in place of the command
 * @property command  the command that the agent asked for, without the quotes of the prelude
 * @property sources  files that the prelude sources before the command. These files may change what names mean. Therefore the line is
 *                    opaque
 * @property pathFrom the variable whose value the prelude puts in front of PATH; null: the prelude does not change PATH
 */
export interface FoldedCommand {
  readonly harness: Shape<typeof FoldedHarnessSchema>;
  readonly prelude: string;
  readonly command: string;
  readonly sources: readonly string[];
  readonly pathFrom: string | null;
}

/**
 * Returns null if the text has no known prelude. openclaw inserts the command without quotes. Therefore the caller must check that the
 * command is complete by itself.
 */
export const foldPrelude = (text: string): FoldedCommand | null =>
  foldClaude(text) ?? foldOpenclaw(text) ?? foldCodex(text);

const QUOTED = /'[^']*(?:'(?:"'"|\\')'[^']*)*'/.source;
/** Unquotes a word in single quotes. In such a word, `'"'"'` or `'\''` is a single quote. */
const unquote = (word: string): string => word.slice(1, -1).replaceAll(/'(?:"'"|\\')'/g, "'");

const CLAUDE = new RegExp(
  [
    /^source (?<snapshot>\/(?:[\w@+-][\w.@+-]*\/|\.[\w@+-][\w.@+-]*\/)*shell-snapshots\/snapshot-bash-\d+-[a-z0-9]+\.sh) 2>\/dev\/null \|\| true/,
    / && shopt -u extglob 2>\/dev\/null \|\| true/,
    /(?: && \{ \\builtin unalias -- 'unsetenv'; \\builtin unset -f -- 'unsetenv'; \} >\/dev\/null 2>&1 \|\| true)?/,
    new RegExp(` && eval (?<command>${QUOTED})`),
    /(?: \\?< \/dev\/null)? && pwd -P >\| \/tmp\/claude-[0-9a-f]{4}-cwd$/,
  ]
    .map((part) => part.source)
    .join(''),
  'd',
);

function foldClaude(text: string): FoldedCommand | null {
  const found = CLAUDE.exec(text);
  return found === null ? null : folded('claude', text, found);
}

const OPENCLAW = 'export PATH="$' + '{OPENCLAW_PREPEND_PATH}$' + '{PATH:+:$PATH}"; unset OPENCLAW_PREPEND_PATH; ';

function foldOpenclaw(text: string): FoldedCommand | null {
  if (!text.startsWith(OPENCLAW)) return null;
  const command = text.slice(OPENCLAW.length);
  return { harness: 'openclaw', prelude: `${OPENCLAW}…`, command, sources: [], pathFrom: 'OPENCLAW_PREPEND_PATH' };
}

/**
 * Returns the PATH that the prelude gives the command. If the variable `pathFrom` is not set, this PATH begins with an empty entry. An
 * empty entry means the working directory.
 * @param folded   null: there is no prelude
 * @param variable returns the value of a variable, '' if it is not set
 */
export function pathBehindPrelude(
  folded: Pick<FoldedCommand, 'pathFrom'> | null,
  variable: (name: string) => string,
): string {
  const path = variable('PATH');
  if (folded === null || folded.pathFrom === null) return path;
  const added = variable(folded.pathFrom);
  return path === '' ? added : `${added}:${path}`;
}

const CODEX = new RegExp(
  [
    /^(?<saved>(?:[^\n]+\n)*)(?:\n)?if \. '(?<snapshot>\/[\w./@+-]+)' >\/dev\/null 2>&1; then :; fi\n\n/,
    new RegExp(`(?<restored>(?:[^\\n]+\\n)*)(?:\\n)?exec '/(?:usr/)?bin/bash' -c (?<command>${QUOTED})$`),
  ]
    .map((part) => part.source)
    .join(''),
  'd',
);
const CODEX_SAVES =
  /^__CODEX_SNAPSHOT_OVERRIDE_SET_(\d+)="\$\{([A-Za-z_]\w*)\+x\}"\n__CODEX_SNAPSHOT_OVERRIDE_\1="\$\{\2-\}"$/;
const CODEX_RESTORES =
  /^if \[ -n "\$\{__CODEX_SNAPSHOT_OVERRIDE_SET_(\d+)\}" \]; then export ([A-Za-z_]\w*)="\$\{__CODEX_SNAPSHOT_OVERRIDE_\1\}"; else unset \2; fi$/;

function foldCodex(text: string): FoldedCommand | null {
  const found = CODEX.exec(text);
  if (found === null) return null;
  const saved = numbered(pairs(found.groups?.['saved'] ?? ''), CODEX_SAVES);
  const restored = numbered(linesOf(found.groups?.['restored'] ?? ''), CODEX_RESTORES);
  // Each variable must get its own saved value back. Otherwise the text could set any variable.
  if (saved === null || restored === null || saved.join() !== restored.join()) return null;
  return folded('codex', text, found);
}

const linesOf = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '');

/** Joins lines 1 and 2, 3 and 4, and so on: the prelude saves a variable in two lines. */
function pairs(text: string): readonly string[] {
  const lines = linesOf(text);
  return lines.flatMap((line, at) => (at % 2 === 0 ? [`${line}\n${lines[at + 1] ?? ''}`] : []));
}

/** Returns `NUMBER NAME` for each line, or null if a line does not match the pattern. */
function numbered(lines: readonly string[], pattern: RegExp): readonly string[] | null {
  const names = lines
    .map((line) => pattern.exec(line))
    .map((found) => (found === null ? null : `${found[1]} ${found[2]}`));
  return names.every((name) => name !== null) ? names : null;
}

/** @param found a match with the group `command`, and with the group `snapshot` if the prelude sources a file */
function folded(harness: 'claude' | 'codex', text: string, found: RegExpExecArray): FoldedCommand | null {
  const [from, to] = found.indices?.groups?.['command'] ?? [];
  if (from === undefined || to === undefined) return null;
  const snapshot = found.groups?.['snapshot'];
  return {
    harness,
    prelude: `${text.slice(0, from)}…${text.slice(to)}`,
    command: unquote(text.slice(from, to)),
    sources: snapshot === undefined ? [] : [snapshot],
    pathFrom: null,
  };
}
