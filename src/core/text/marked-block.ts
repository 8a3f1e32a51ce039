/**
 * Writes a block of ape-shell into a text file that people edit too. Two marks enclose the block, so that ape-shell changes only this
 * block.
 */

const START = '# >>> ape-shell';
const END = '# <<< ape-shell';

/** The block with its marks; `name` distinguishes several blocks in one file. */
const marked = (name: string, block: string): string => `${START} ${name} >>>\n${block.trim()}\n${END} ${name} <<<\n`;

/** Removes the blocks of this name, and then adds the block at the start or end of the text. White space around `block` is left out. */
export function withBlock(text: string, name: string, block: string, where: 'start' | 'end'): string {
  const rest = withoutBlock(text, name);
  if (where === 'start') return marked(name, block) + rest;
  return `${rest}${rest === '' || rest.endsWith('\n') ? '' : '\n'}${marked(name, block)}`;
}

/**
 * Returns the text without the blocks of this name. A start mark stays if no end mark follows. Editors change the ends of lines. So the
 * line of a mark may end with CR LF, or may be the last line of the file without a newline.
 */
export function withoutBlock(text: string, name: string): string {
  const [start, end] = [lineOf(`${START} ${name} >>>`), lineOf(`${END} ${name} <<<`)];
  let kept = '';
  let rest = text;
  for (let at = start.exec(rest); at !== null; at = start.exec(rest)) {
    const behind = rest.slice(at.index + at[0].length);
    const close = end.exec(behind);
    if (close === null) break;
    const next = start.exec(behind);
    const isBroken = next !== null && next.index < close.index; // the end mark belongs to the next block
    kept += rest.slice(0, at.index) + (isBroken ? at[0] : '');
    rest = isBroken ? behind : behind.slice(close.index + close[0].length);
  }
  return kept + rest;
}

/** Matches a line with exactly this text. Blanks may follow the text. */
const lineOf = (text: string): RegExp =>
  new RegExp(`^${text.replaceAll(/[^\w ]/g, '\\$&')}[ \\t]*(?:\\r?\\n|\\r?$(?![\\s\\S]))`, 'm');
