/** Reads and applies the rules of a `.gitignore` file, gitignore(5). */
import { matchesShellGlob } from './pattern.ts';

/**
 * @property prefix     the text in front of the first wildcard or `\`; empty if `isAnchored` is false. Git compares the prefix first
 * @property segments   the rest of the pattern, split at its slashes. A segment `**` matches any number of names. As in git, the rest is
 *                      matched without the prefix. So the pattern `/a**` has the prefix `a` and the segment `**`
 * @property isAnchored true: the pattern must match the whole path below the directory of the `.gitignore`. False: the pattern must match
 *                      only the last name
 * @property isDirectory whether the pattern matches only directories (`build/`)
 * @property isNegated  whether the rule makes an exception from earlier rules (`!keep`)
 */
interface IgnoreRule {
  readonly prefix: string;
  readonly segments: readonly string[];
  readonly isAnchored: boolean;
  readonly isDirectory: boolean;
  readonly isNegated: boolean;
}

/** The rules in the order of the file. */
export type IgnoreRules = readonly IgnoreRule[];

/** Leaves out a byte order mark, comments, blank lines, and patterns that match nothing. */
export function readIgnoreRules(text: string): IgnoreRules {
  // Git adds a newline at the end of the file. So a \r at the end of the file ends a line.
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n|\r$/);
  return lines.flatMap((line): IgnoreRules => {
    if (line.startsWith('#')) return [];
    const isNegated = line.startsWith('!');
    const written = withoutBlanksAtEnd(line.slice(isNegated ? 1 : 0));
    const isDirectory = written.endsWith('/');
    const body = isDirectory ? written.slice(0, -1) : written;
    // A pattern that ends in an unescaped backslash matches nothing.
    if (body === '' || /(?<!\\)(?:\\\\)*\\$/.test(body)) return [];
    const isAnchored = body.includes('/');
    const pattern = body.replace(/^\//, '');
    const prefix = isAnchored ? (/^[^*?[\\]*/.exec(pattern)?.[0] ?? '') : '';
    const segments = pattern
      .slice(prefix.length)
      .replaceAll(/\\./gs, (escaped) => (escaped === '\\/' ? '/' : escaped))
      .split('/')
      .map((name) => (/^\*{2,}$/.test(name) ? '**' : name));
    return [{ prefix, segments, isAnchored, isDirectory, isNegated }];
  });
}

/** Removes the spaces at the end, but not a tab or an escaped space: `trim_trailing_spaces` in git's dir.c. */
function withoutBlanksAtEnd(text: string): string {
  let end = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === ' ') continue;
    if (text[at] === '\\') at += 1;
    end = at + 1;
  }
  return text.slice(0, end);
}

/**
 * Whether these rules ignore the path itself; null: no rule matches the path. The last rule that matches decides. git also ignores
 * everything below an ignored directory. So the caller has to call this function for each directory above the path too.
 * @param path        the names below the directory of the `.gitignore`; the last is the file's or directory's own name
 * @param isDirectory whether the path is a directory
 */
export function ignores(rules: IgnoreRules, path: readonly string[], isDirectory: boolean): boolean | null {
  for (let at = rules.length - 1; at >= 0; at--) {
    const rule = rules[at];
    if (rule === undefined || (rule.isDirectory && !isDirectory)) continue;
    const isFitting = rule.isAnchored
      ? fitsText(rule, path.join('/'))
      : matchesShellGlob(rule.segments[0] ?? '', path.at(-1) ?? '');
    if (isFitting) return !rule.isNegated;
  }
  return null;
}

function fitsText({ prefix, segments }: IgnoreRule, text: string): boolean {
  return text.startsWith(prefix) && fitsPath(segments, text.slice(prefix.length).split('/'));
}

/** Whether the segments match the names. `**` matches any number of names. If `**` is the last segment, it matches at least one name. */
function fitsPath(segments: readonly string[], path: readonly string[]): boolean {
  let [segment, at] = [0, 0];
  // `star`: the index of the latest `**` (-1: none). `mark`: the index of the first name that this `**` does not match yet.
  let [star, mark] = [-1, 0];
  while (at < path.length) {
    const wanted = segments[segment];
    if (wanted === '**') {
      if (segment === segments.length - 1) return true;
      star = segment++;
      mark = at;
    } else if (wanted !== undefined && matchesShellGlob(wanted, path[at] ?? '')) {
      segment++;
      at++;
    } else if (star === -1) return false;
    else {
      segment = star + 1;
      at = ++mark;
    }
  }
  return segment === segments.length;
}
