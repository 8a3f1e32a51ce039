/** Writes a block of ape-shell into a text file that people edit too. Two marks enclose the block, so that only the block is changed. */

const START = '# >>> ape-shell';
const END = '# <<< ape-shell';

/** The block with its marks; `name` distinguishes several blocks in one file. */
const marked = (name: string, block: string): string => `${START} ${name} >>>\n${block.trim()}\n${END} ${name} <<<\n`;

/** The text with the block at the end or the beginning, and without an older block of that name. Blanks around `block` are left out. */
export function withBlock(text: string, name: string, block: string, where: 'start' | 'end'): string {
  const rest = withoutBlock(text, name);
  if (where === 'start') return marked(name, block) + rest;
  return `${rest}${rest === '' || rest.endsWith('\n') ? '' : '\n'}${marked(name, block)}`;
}

/** The text without the first block of that name. If one of its marks is missing, the text stays as it is. */
export function withoutBlock(text: string, name: string): string {
  const start = text.indexOf(`${START} ${name} >>>\n`);
  const end = text.indexOf(`${END} ${name} <<<\n`, start);
  if (start < 0 || end < 0) return text;
  return text.slice(0, start) + text.slice(end + `${END} ${name} <<<\n`.length);
}
