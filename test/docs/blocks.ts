/**
 * Blocks for a shell in the documents. In a `console` block, each `$ ` line is run, and the lines after it are its output, of both
 * streams. A `sh` block is a script that must end with 0. The blocks of a page run in order, with one temporary HOME (`/home/ada` in
 * the text) and with `/home/ada/project` as the directory. An HTML comment on the line before a block may say:
 *
 *   <!-- before: COMMANDS -->   commands to run first; they must end with 0
 *   <!-- not run: REASON -->    why a test cannot run this block
 *
 * In output, `…` stands for any text, a line that is only `…` for any lines, and `g_3f…` for one id, the same on the whole page.
 */
import type { Document, Fence } from './markdown.ts';

export interface Step {
  readonly line: number;
  readonly command: string;
  /** `null` means that the output is not compared; the status must be 0. */
  readonly output: readonly string[] | null;
}

export interface Block {
  readonly place: string;
  readonly before: string | null;
  readonly steps: readonly Step[];
}

export const isForShell = ({ language }: Fence): boolean => language === 'console' || language === 'sh';

/** Returns null if the block says why it is not run. */
export function blockOf(document: Document, fence: Fence): Block | null {
  if (isExcused(fence)) return null;
  const before = /^before: (.+)$/.exec(fence.remark)?.[1] ?? null;
  return { place: `${document.name}:${fence.line}`, before, steps: stepsOf(fence) };
}

/** Whether a comment gives a reason of several words. */
const isExcused = ({ remark }: Fence): boolean => /^not run: \S+(?: \S+){3,}$/.test(remark);

function stepsOf(fence: Fence): readonly Step[] {
  if (fence.language === 'sh') return [{ line: fence.line, command: fence.lines.join('\n'), output: null }];
  const steps: { line: number; command: string; output: string[] }[] = [];
  for (const [index, text] of fence.lines.entries()) {
    const line = fence.line + index + 1;
    if (text.startsWith('$ ')) steps.push({ line, command: text.slice(2), output: [] });
    else if (steps.length === 0) throw new Error(`line ${line}: a console block begins with a command: ${text}`);
    else steps.at(-1)?.output.push(text);
  }
  return steps;
}

/** Turns `g_3f…` into a name that `mismatch` and `fillIn` of the scenarios keep. */
export const withNames = (text: string): string => text.replace(/\b([gs]_[a-z0-9]+)…/g, '{$1}');
