/** The path that a word names, as far as it is known before it runs. */
import type { Word } from '../reading/reading.ts';
import type { JudgeContext } from './judge-context.ts';
import { isHomeWord, isPlainPattern } from './word-shape.ts';

/** @property isExact false: it is somewhere below `value` */
export interface KnownPath {
  readonly value: string;
  readonly isExact: boolean;
}

/** Anything may be meant. */
export const ANYWHERE: KnownPath = { value: '/', isExact: false };

export type PathContext = Pick<JudgeContext, 'cwd' | 'home' | 'resolvePath' | 'hasLinksOut'>;

export function pathOfWord(word: Word, context: PathContext, end: 'target' | 'itself'): KnownPath {
  if (word.kind === 'literal') return pathOfText(word.value, context, end);
  if (word.isOne && isHomeWord(word) && /^~(?:\/[\w@%+,.:=/-]*)?$/.test(word.source))
    return context.home === null ? ANYWHERE : pathOfText(context.home + word.source.slice(1), context, end);
  return isPlainPattern(word) ? pathOfPattern(word.source, word.prefix, context) : ANYWHERE;
}

export function pathOfText(text: string, context: PathContext, end: 'target' | 'itself'): KnownPath {
  if (text.startsWith('/')) return { value: context.resolvePath(text, end), isExact: true };
  if (context.cwd === null) return ANYWHERE;
  return { value: context.resolvePath(`${context.cwd}/${text}`, end), isExact: true };
}

/** What a pattern matches lies below its literal directory, as long as no part of it can be `..`. */
function pathOfPattern(source: string, prefix: string, context: PathContext): KnownPath {
  const isHome = source.startsWith('~/');
  const written = isHome ? source : prefix;
  const pattern = /[*?[{]/.exec(source);
  if (pattern === null || source.includes('..')) return ANYWHERE;
  const literal = isHome ? source.slice(0, pattern.index) : written;
  const variable = source.slice(pattern.index);
  if (/\/\.|\[[^\]]*[./]|["']/.test(variable) || /(?:^|\/)\.$/.test(literal)) return ANYWHERE;
  if (isHome && (context.home === null || /["']/.test(source))) return ANYWHERE;
  // `{/etc,x}`: braces at the very beginning may make an absolute path
  if (literal === '' && source.includes('{')) return ANYWHERE;
  const directory = literal.slice(0, literal.lastIndexOf('/') + 1);
  const text = isHome ? `${context.home}${directory.slice(1)}` : directory === '' ? '.' : directory;
  const known = pathOfText(text, context, 'target');
  if (!known.isExact) return ANYWHERE;
  const depth = variable.includes('**') ? 64 : variable.split('/').length;
  return context.hasLinksOut?.(known.value, depth) === true ? ANYWHERE : { value: known.value, isExact: false };
}
