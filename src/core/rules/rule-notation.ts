/** The short notations in rule files: `-k= --key=`, `read path*`, `write tree @repository`. */

import { type Access, RESOURCE_KINDS, type ResourceKind } from '../effects/permission.ts';
import { type Fault, fault } from '../fault.ts';
import { failed, type Result, success } from '../result.ts';
import type { Count, FixedResource, Grammar, OptionRule, RuleAccess, WordRule } from './rule.ts';

const ACCESSES: readonly RuleAccess[] = ['read', 'write', 'delete', 'execute', 'contact', 'mode'];
const KINDS: readonly (ResourceKind | 'tree')[] = [...RESOURCE_KINDS, 'tree'];
const GRAMMARS: readonly Grammar[] = [
  'text',
  'sed-script',
  'awk-program',
  'jq-program',
  'printf-format',
  'push-refspec',
  'fetch-refspec',
  'copy-source',
  'copy-target',
  'clone-source',
  'at-file',
  'form-field',
  'dd-operand',
  'assignment',
  'test-expression',
  'http-method',
  'git-format',
  'git-ref-format',
  'number',
  'write-out',
  'date-format',
  'setting-name',
  'dig-words',
  'dig-extras',
  'socket-address',
  'socket-or-file',
  'split-prefix',
  'saved-url',
  'codegen-setting',
  'target-name',
  'yq-edit',
  'packed-file',
  'followed-tree',
  'zip-archive',
  'unzip-archive',
  'header',
  'github-path',
  'suffix',
  'module',
  'go-program',
  'python-package',
  'debian-package',
  'deleted-debian-package',
  'shown-debian-package',
  'rev-or-path',
  'yq-program',
  'cluster-objects',
  'described-objects',
  'deleted-objects',
  'labelled-objects',
  'logged-object',
  'object-format',
  'chart',
  'chart-values',
  'manifests',
  'test-files',
  'cloud-value',
  'own-argument',
  'uploaded-tree',
  'upload-target',
  'cmake-setting',
  'fetched-url',
  'python-file',
  'compiled-source',
  'kept-file',
  'outputs-beside',
  'ts-project',
  'makefile',
  'new-repository',
  'linked-work-tree',
];

const isIn = <T extends string>(list: readonly T[], value: string | undefined): value is T =>
  value !== undefined && (list as readonly string[]).includes(value);

/** Returns false for `mode`: with `mode`, an option decides the access (`RuleAccess`). */
export const isAccess = (value: string): value is Access => value !== 'mode' && isIn(ACCESSES, value);

/** Reads `read path*` or `text?`. The author of the rule file reads the returned fault. */
export function readWordRule(text: string): Result<WordRule, Fault> {
  const [, body = '', mark = ''] = /^(.*?)([?*+]?)$/s.exec(text) ?? [];
  const count = (mark === '' ? '1' : mark) as Count;
  const [first, second, ...rest] = body.split(' ');
  if (rest.length === 0 && isIn(ACCESSES, first) && isIn(KINDS, second))
    return success({ kind: second, access: first, count });
  if (second === undefined && isIn(GRAMMARS, first)) return success({ kind: first, access: null, count });
  return failed(
    fault(
      `${JSON.stringify(text)} does not say what a word of the command means: write an access (${ACCESSES.join(', ')}) and a kind (${KINDS.join(', ')}), or one of ${GRAMMARS.join(', ')}; then ? if the word may be missing, + if it may be repeated, or * for both`,
    ),
  );
}

/** Reads a resource like `write tree @repository`. */
export function readFixedResource(text: string): Result<FixedResource, Fault> {
  const [access, kind, ...rest] = text.split(' ');
  const value = rest.join(' ');
  if (isIn(ACCESSES, access) && isIn(KINDS, kind) && value !== '') return success({ access, kind, value });
  return failed(
    fault(`${JSON.stringify(text)} is no resource: write an access, a kind and a value, as in "read tree ."`),
  );
}

/** One name of an option, and what the option takes: `--color[=]`. */
type NamedOption = readonly [name: string, takes: OptionRule['takes']];

const TAKES: Readonly<Record<string, OptionRule['takes']>> = {
  '': 'nothing',
  '=': 'value',
  '==': 'pair',
  '[=]': 'attached',
  '=*': 'rest',
};

/**
 * Reads `-k= --key=`. The sign after each name says what the option takes:
 * - no sign: nothing
 * - `=`: a value
 * - `==`: the next two words
 * - `=*`: all words that follow
 * - `[=]`: an optional value in the same word
 */
export function readOptionNames(text: string): Result<readonly NamedOption[], Fault> {
  const names: NamedOption[] = [];
  for (const word of text.split(' ')) {
    const [, name, mark] = /^(-[^\s=[\]]+)(==?|=\*|\[=\])?$/.exec(word) ?? [];
    if (name === undefined || name === '--')
      return failed(
        fault(
          `${JSON.stringify(word)} is no option: write "-k", "--key", "--key=", "--key==", "--key=*" or "--key[=]"`,
        ),
      );
    names.push([name, TAKES[mark ?? ''] ?? 'nothing']);
  }
  return success(names);
}

/** Returns the first long name, or the first name if no name is long. */
export const canonicalName = (names: readonly NamedOption[]): string =>
  names.find(([name]) => name.startsWith('--'))?.[0] ?? names[0]?.[0] ?? '';
