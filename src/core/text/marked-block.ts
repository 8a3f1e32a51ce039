/** Our part of a text file that other people write too: between two marks, so that only it is replaced or taken out. */

const START = '# >>> ape-shell';
const END = '# <<< ape-shell';

/** The block with its marks; `name` tells several in one file apart. */
const marked = (name: string, block: string): string => `${START} ${name} >>>\n${block.trim()}\n${END} ${name} <<<\n`;

/** The text with the block at its end (or its beginning), in place of an older one of that name. */
export function withBlock(text: string, name: string, block: string, where: 'start' | 'end'): string {
  const rest = withoutBlock(text, name);
  if (where === 'start') return marked(name, block) + rest;
  return `${rest}${rest === '' || rest.endsWith('\n') ? '' : '\n'}${marked(name, block)}`;
}

/** The text without the block of that name. A mark without its other half is left alone. */
export function withoutBlock(text: string, name: string): string {
  const start = text.indexOf(`${START} ${name} >>>\n`);
  const end = text.indexOf(`${END} ${name} <<<\n`, start);
  if (start < 0 || end < 0) return text;
  return text.slice(0, start) + text.slice(end + `${END} ${name} <<<\n`.length);
}
