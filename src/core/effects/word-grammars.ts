/** Reads words that have a grammar of their own: scripts, refspecs, `host:path`, `@file`. */

import { knownText } from '../reading/known-text.ts';
import type { Word } from '../reading/reading.ts';
import { type Spelling, spelledText, writtenText } from '../reading/spelling.ts';
import { because } from '../reasons/reason.ts';
import type { Grammar } from '../rules/rule.ts';
import { isAtOrBelow, pathBelow } from '../text/path.ts';
import { decidesWhatRuns } from '../variables/bound-variables.ts';
import { isSafeLocale } from '../variables/character-set.ts';
import {
  DELETE_OBJECTS,
  DESCRIBE_OBJECTS,
  READ_OBJECTS,
  readChart,
  readChartValues,
  readClusterObjects,
  readLabelledObjects,
  readLoggedObject,
  readManifests,
  readObjectFormat,
} from './cluster-grammars.ts';
import type { CommandContext } from './command-context.ts';
import { readGitFormat, readGitRefFormat } from './git-formats.ts';
import { isHarmlessDevice } from './harmless-device.ts';
import { hostMeaning, urlMeaning } from './host-meaning.ts';
import { ANYWHERE, isBelowDirectory, type KnownPath, pathOfText } from './known-path.ts';
import { type Meaning, NOTHING, opaqueMeaning, resourceMeaning } from './meaning.ts';
import { readDigWords, readSocketAddress, readSocketOrFile } from './network-grammars.ts';
import { readDebianPackage, readPythonPackage } from './package-name.ts';
import { ANY_DEPTH } from './path-below-start.ts';
import { pathsOfWord } from './path-of-word.ts';
import { mayBeSeveral } from './pathspec.ts';
import type { Access, Resource } from './permission.ts';
import { readFetchRefspec, readPushRefspec } from './refspec.ts';
import { isHarmlessSedScript } from './sed-script.ts';
import { readCloudValue, readCmakeSetting, readCodegenSetting, readTargetName } from './setting-grammars.ts';
import { readTest } from './test-expression.ts';
import { withEnding } from './with-ending.ts';
import { isHomeWord } from './word-shape.ts';
import { readSavedUrls, readSplitPrefix } from './written-file-grammars.ts';

type Reader = (word: Word, context: CommandContext) => Meaning;
type ReaderOfAll = (words: readonly Word[], context: CommandContext) => Meaning;

/** Readers of the grammars that concern all words together. */
const READERS_OF_ALL = {
  'test-expression': readTest,
  'cluster-objects': (words) => readClusterObjects(words, READ_OBJECTS),
  'described-objects': (words) => readClusterObjects(words, DESCRIBE_OBJECTS),
  'deleted-objects': (words) => readClusterObjects(words, DELETE_OBJECTS),
  'labelled-objects': readLabelledObjects,
  'logged-object': readLoggedObject,
  'saved-url': readSavedUrls,
  'dig-words': (words) => readDigWords(words, true),
  'dig-extras': (words) => readDigWords(words, false),
} as const satisfies Partial<Record<Grammar, ReaderOfAll>>;

type GrammarOfAll = keyof typeof READERS_OF_ALL;
const isOfAll = (grammar: Grammar): grammar is GrammarOfAll => Object.hasOwn(READERS_OF_ALL, grammar);

/** Readers of the grammars that concern one word. */
const READERS: Readonly<Record<Exclude<Grammar, GrammarOfAll>, Reader>> = {
  text: () => NOTHING,
  number: literal((value) =>
    /^[+-]?\d+[\w.%]*$/.test(value) ? NOTHING : opaqueMeaning(because('number-malformed', value)),
  ),
  suffix: literal((value) => (/^[\w.~+-]*$/.test(value) ? NOTHING : opaqueMeaning(because('suffix-malformed', value)))),
  'sed-script': literal((value) =>
    isHarmlessSedScript(value) ? NOTHING : opaqueMeaning(because('sed-script-unsafe')),
  ),
  'awk-program': literal((value) =>
    isHarmlessAwkProgram(value) ? NOTHING : opaqueMeaning(because('awk-program-unsafe')),
  ),
  'jq-program': literal(readQuery),
  // If a file with this name exists, yq reads the file. The word is then no program.
  'yq-program': (word, context) =>
    word.kind !== 'literal'
      ? opaqueMeaning(because('word-known-at-run-time', word.source))
      : { ...readQuery(word.value), ...fileOfQuery(word.value, context, ['read']) },
  'yq-edit': literal((value, context) => ({
    ...readQuery(value),
    ...fileOfQuery(value, context, ['read', 'write']),
  })),
  'object-format': readObjectFormat,
  chart: readChart,
  'chart-values': readChartValues,
  manifests: readManifests,
  // If no file with this name exists, the word is a pattern for names in the working directory.
  'test-files': (word, context) =>
    word.kind === 'literal' && mayBeSeveral(word.value)
      ? opaqueMeaning(because('path-may-be-several', word.source))
      : {
          resources: pathsOfWord(word, context, 'target').flatMap((path) => [
            pathResource('execute', { ...path, isExact: false }),
            pathResource('read', { ...directoryAround(path), isExact: path.isExact }),
          ]),
        },
  'cloud-value': literal(readCloudValue),
  'cmake-setting': literal(readCmakeSetting),
  'fetched-url': readFetchedUrl,
  // A name without `.py` may be a program of the Python environment.
  'python-file': (word, context) =>
    word.kind === 'literal' && /[^/]\.py$/.test(word.value)
      ? { resources: [pathResource('execute', pathOfText(word.value, context, 'target'))] }
      : opaqueMeaning(because('not-python-file', word.source)),
  // The tool writes a compiled file beside each imported file. An imported file may be in any directory.
  'compiled-source': (word, context) => ({
    resources: [
      ...pathsOfWord(word, context, 'target').map((path) => pathResource('read', path)),
      pathResource('write', ANYWHERE),
    ],
  }),
  // The tool writes further files, such as declarations, beside the file.
  'outputs-beside': (word, context) => ({
    resources: linksAndTargets(word, context).map((path) => pathResource('write', directoryAround(path))),
  }),
  // The project is a directory, or a settings file. The tool writes files of the project beside the settings file.
  'ts-project': (word, context) => {
    const isDirectory = word.kind === 'literal' && /(?:^|\/)(?:\.{0,2}|[^./][^./]*)\/*$/.test(word.value);
    return {
      resources: linksAndTargets(word, context).map((path) =>
        pathResource('write', isDirectory ? { ...path, isExact: false } : directoryAround(path)),
      ),
    };
  },
  // The tool keeps a backup copy beside the file.
  'kept-file': (word, context) => ({
    resources: [
      ...pathsOfWord(word, context, 'target').map((path) => pathResource('read', path)),
      ...directoriesAround(word, context).map((path) => pathResource('write', path)),
    ],
  }),
  // make may remake the makefile from files beside the makefile. The rule file covers only the tree of the working directory.
  // So the makefile must be in this tree.
  makefile: (word, context) => {
    if (word.kind !== 'literal') return opaqueMeaning(because('makefile-unclear', word.source));
    if (/^(?:-$|\/+(?:dev|proc)\/)/.test(word.value)) return opaqueMeaning(because('makefile-from-input', word.source));
    return isBelowDirectory(word.value, context)
      ? { resources: [pathResource('execute', pathOfText(word.value, context, 'target'))] }
      : opaqueMeaning(because('makefile-outside', word.value));
  },
  // `.git` is a separate resource: a program that writes there decides which programs git runs.
  'new-repository': literal((value, context) => {
    const path = pathOfText(value, context, 'target');
    return {
      resources: [
        pathResource('write', { ...path, isExact: false }),
        pathResource('write', { value: pathBelow(path.value, '.git'), isExact: false }),
      ],
    };
  }),
  // For a plain name, git first looks for a work tree whose path ends with this name. If git finds none or several, git takes
  // the name as a path, and follows links.
  'linked-work-tree': (word, context) =>
    isHomeWord(word) || (word.kind === 'literal' && /^(?:\.{0,2}\/|\.{1,2}$)/.test(word.value))
      ? {
          resources: linksAndTargets(word, context).map((path) => pathResource('delete', { ...path, isExact: false })),
        }
      : opaqueMeaning(because('names-any-work-tree', word.source)),
  'printf-format': literal((value) =>
    /%[^%a-zA-Z]*(?:hh|h|ll|l|j|z|t|L|q)*n/.test(value) ? opaqueMeaning(because('format-assigns')) : NOTHING,
  ),
  'http-method': literal((value) =>
    /^(?:GET|HEAD|OPTIONS)$/.test(value)
      ? NOTHING
      : {
          resources: [],
          risk: 'high',
          does: `Asks the server for a change (${/^\w{1,20}$/.test(value) ? value : 'method'}).`,
        },
  ),
  'git-format': readGitFormat,
  'git-ref-format': readGitRefFormat,
  'push-refspec': readPushRefspec,
  'fetch-refspec': readFetchRefspec,
  'rev-or-path': (word, context) => {
    if (word.kind !== 'literal') return opaqueMeaning(because('revision-unclear', word.source));
    if (word.value.startsWith(':')) return opaqueMeaning(because('path-has-magic', word.source));
    const path = pathOfText(word.value, context, 'target');
    return { resources: [...resourceMeaning('ref', 'read', word.value).resources, pathResource('read', path)] };
  },
  'copy-source': (word, context) => readCopy(word, context, 'read'),
  'copy-target': (word, context) => readCopy(word, context, 'write'),
  'clone-source': readCloneSource,
  'at-file': (word, context) => {
    if (word.kind !== 'literal') return word.prefix === '' || word.prefix.startsWith('@') ? unknownFile(word) : sends;
    if (!word.value.startsWith('@')) return sends;
    if (word.value === '@-') return sends;
    return { ...sends, resources: [pathResource('read', pathOfText(word.value.slice(1), context, 'target'))] };
  },
  'write-out': literal((value) => (/^@|%output/.test(value) ? opaqueMeaning(because('format-names-file')) : NOTHING)),
  'date-format': (word) => (knownText(word).startsWith('+') ? NOTHING : opaqueMeaning(because('sets-clock'))),
  'setting-name': literal((value) =>
    /^[A-Za-z][\w-]*\.\S+$/.test(value) ? NOTHING : opaqueMeaning(because('setting-name-malformed', value)),
  ),
  'socket-address': literal(readSocketAddress),
  'socket-or-file': literal(readSocketOrFile),
  'split-prefix': literal(readSplitPrefix),
  'codegen-setting': literal(readCodegenSetting),
  'target-name': literal(readTargetName),
  // With -f, the tools also pack a link: they write the packed file beside the link, and delete the link.
  'packed-file': (word, context) => ({
    resources: [
      ...pathsOfWord(word, context, 'target').map((path) => pathResource('read', path)),
      ...linksAndTargets(word, context).map((path) => pathResource('delete', path)),
      ...directoriesAround(word, context).map((path) => pathResource('write', path)),
    ],
  }),
  'followed-tree': readFollowedTree,
  'own-argument': readOwnArgument,
  'uploaded-tree': (word, context) =>
    word.kind === 'literal' && !word.value.startsWith('s3://')
      ? { ...sends, ...readFollowedTree(word, context) }
      : opaqueMeaning(because('may-be-at-other-host', word.source)),
  'upload-target': literal((value) =>
    /^s3:\/\/[a-z0-9][\w./-]*$/.test(value)
      ? resourceMeaning('service', 'write', value)
      : opaqueMeaning(because('may-be-at-other-host', value)),
  ),
  'zip-archive': (word, context) => readArchive(word, context, 'write'),
  // unzip skips a word `-`: the next word is then the archive.
  'unzip-archive': (word, context) =>
    word.kind === 'literal' && word.value === '-'
      ? opaqueMeaning(because('archive-unclear', word.source))
      : readArchive(word, context, 'read'),
  header: (word) => (/^[\w-]/.test(knownText(word)) ? NOTHING : unknownFile(word)),
  'github-path': literal((value) =>
    /^\/?[\w-]+(?:\/[\w.@-]+)*$/.test(value) ? NOTHING : opaqueMeaning(because('may-be-at-other-host', value)),
  ),
  'form-field': (word) =>
    word.kind === 'literal' && !/[@<]/.test(word.value)
      ? sends
      : opaqueMeaning(because('field-may-be-file', word.source)),
  'dd-operand': readDdOperand,
  assignment: (word) => {
    const text = knownText(word);
    const name = /^([A-Za-z_]\w*)(?:=|$)/.exec(text)?.[1];
    if (name === undefined) return opaqueMeaning(because('variable-unclear', word.source));
    const value = text.slice(name.length + 1);
    if (decidesWhatRuns(name) && !(word.kind === 'literal' && isSafeLocale(name, value)))
      return opaqueMeaning(because('sets-deciding-name', name));
    return resourceMeaning('variable', 'write', text, word.kind === 'literal');
  },
  'python-package': readPythonPackage,
  'debian-package': readDebianPackage('write'),
  'deleted-debian-package': readDebianPackage('delete'),
  'shown-debian-package': readDebianPackage('read'),
  // A name that is neither a local path nor a `.go` file is a package. go may fetch a package first: `go run example.com/x@latest`.
  'go-program': literal((value, context) =>
    /^(?:\.{0,2}\/|\.{1,2}$)|\.go$/.test(value)
      ? { resources: [pathResource('execute', { ...pathOfText(value, context, 'target'), isExact: false })] }
      : opaqueMeaning(because('may-be-at-other-host', value)),
  ),
  module: literal((value) =>
    /^[a-z][\w.-]*\.[a-z]+(?:\/[\w.~-]+)*(?:@[\w.+-]+)?$/i.test(value)
      ? resourceMeaning('package', 'write', value)
      : opaqueMeaning(because('module-malformed', value)),
  ),
};

const sends: Meaning = { resources: [], risk: 'high', does: 'Sends data.' };
const unknownFile = (word: Word): Meaning => opaqueMeaning(because('may-be-any-file', word.source));

/** Returns one meaning for each word, or one for all words together, as the grammar requires. */
export function readGrammar(grammar: Grammar, words: readonly Word[], context: CommandContext): readonly Meaning[] {
  if (isOfAll(grammar)) return [READERS_OF_ALL[grammar](words, context)];
  return words.map((word) => READERS[grammar](word, context));
}

/** Makes a reader of literal words; a word that is only known at run time is opaque. */
function literal(read: (value: string, context: CommandContext) => Meaning): Reader {
  return (word, context) =>
    word.kind === 'literal' ? read(word.value, context) : opaqueMeaning(because('word-known-at-run-time', word.source));
}

const pathResource = (access: Access, path: KnownPath): Resource => ({ kind: 'path', access, ...path });

/** Returns the paths that the word names. For a link, also returns the target: link and target can be in different directories. */
const linksAndTargets = (word: Word, context: CommandContext): readonly KnownPath[] =>
  (['target', 'itself'] as const).flatMap((end) => pathsOfWord(word, context, end));

/**
 * Returns the whole directory of a file, for a tool that also reads or writes beside the file. If only the beginning of the path is known,
 * returns all paths with this beginning.
 */
const directoryAround = ({ value, isExact }: KnownPath): KnownPath => ({
  value: isExact ? value.replace(/\/[^/]*$/, '') || '/' : value,
  isExact: false,
});

/**
 * Returns the directories of the files and links that the word names. In `find START -exec`, the word `{}` can also become START itself. If
 * START may be a file, the directory of START counts too.
 */
function directoriesAround(word: Word, context: CommandContext): readonly KnownPath[] {
  const spellings = word.kind === 'literal' ? [] : (word.spellings ?? []);
  const mayBeStart = spellings.some((each) => isBelowStart(each) && !NAMES_DIRECTORY.test(writtenText(each)));
  return linksAndTargets(word, context).flatMap((path) => [
    directoryAround(path),
    ...(mayBeStart && !path.isExact ? [directoryAround({ ...path, isExact: true })] : []),
  ]);
}

/** A path that can only be a directory: `.`, `src/`, `~`. */
const NAMES_DIRECTORY = /(?:^|\/)\.{0,2}$/;

/** Returns the directory with all paths below. If a link in the directory leads out of the directory, returns `ANYWHERE`. */
const withLinkTargets = ({ value }: KnownPath, context: CommandContext): KnownPath =>
  context.hasLinksOut?.(value, ANY_DEPTH) === true ? ANYWHERE : { value, isExact: false };

/** Reads the name of a directory, for a tool that follows the links in the directory. */
function readFollowedTree(word: Word, context: CommandContext): Meaning {
  if (word.kind === 'literal' && word.value === '-') return NOTHING;
  if (word.kind === 'runtime' && word.why === 'process substitution')
    return opaqueMeaning(because('process-substitution'));
  return {
    resources: pathsOfWord(word, context, 'target').map((path) => pathResource('read', withLinkTargets(path, context))),
  };
}

/**
 * Reads an argument of a program whose options are not known here.
 * - A path in the working directory adds nothing: the rule file says already that the program reads or writes this directory.
 * - A path outside of the working directory is a resource that the program may write.
 * - These words are opaque: an option that may contain a path outside, a word with such a path after `=`, `,` or `:`, and a word that
 *   begins with `~`.
 */
function readOwnArgument(word: Word, context: CommandContext): Meaning {
  const text = knownText(word);
  const isOption = text.startsWith('-');
  const [first = '', ...others] = text.split(/[=,:]/);
  const isUnclear =
    (isOption && (word.kind !== 'literal' || /[/~]|\.\.$/.test(first))) ||
    first.startsWith('~') ||
    others.some((part) => part.startsWith('~') || !isBelowDirectory(part, context));
  if (isUnclear) return opaqueMeaning(because('may-be-any-file', word.source));
  if (isOption) return NOTHING;
  const own = context.cwd === null ? null : context.resolvePath(context.cwd, 'target');
  const outside = pathsOfWord(word, context, 'target').filter(({ value }) => own === null || !isAtOrBelow(value, own));
  return { resources: outside.map(({ value }) => pathResource('write', { value, isExact: false })) };
}

/** Reads a program of jq or yq. A program that uses modules, other files or the environment is opaque. */
function readQuery(value: string): Meaning {
  return /(?<![a-z_])(?:import|include|modulemeta|(?:(?:str|xml)_?)?load\w*|system|strenv|envsubst|splitDoc|eval)\b|\bENV\b|\$\s*__prog|(?<![.a-z_])env\b|\bget_search_list|\binput_filename/.test(
    value,
  )
    ? opaqueMeaning(because('query-unsafe'))
    : NOTHING;
}

function fileOfQuery(value: string, context: CommandContext, accesses: readonly Access[]): Meaning {
  if (value === '' || value === '-') return NOTHING;
  const path = pathOfText(value, context, 'target');
  return { resources: accesses.map((access) => pathResource(access, path)) };
}

/**
 * Whether an awk program runs no command, writes no file, and reads only its operands. The text is searched as a whole and is not split
 * into tokens: a tokenizer cannot safely distinguish a `/` that begins a regular expression from a `/` that divides.
 */
function isHarmlessAwkProgram(program: string): boolean {
  if (/system|getline|ENVIRON|ARGV|ARGC|PROCINFO|SYMTAB|FUNCTAB|@|\0/.test(program)) return false;
  if (program.replaceAll('||', '').includes('|')) return false;
  const print = program.indexOf('print');
  return print < 0 || !program.slice(print).replaceAll('>=', '').includes('>');
}

/** Reads a path on this host, or `[user@]host:path`. Sending to another host is of high risk. */
function readCopy(word: Word, context: CommandContext, access: Access): Meaning {
  const text = knownText(word);
  const colon = text.indexOf(':');
  const slash = text.indexOf('/');
  const isHere = slash >= 0 && (colon < 0 || slash < colon);
  if (word.kind !== 'literal' && !isHere && colon < 0 && !isHomeWord(word))
    return opaqueMeaning(because('may-be-other-host', word.source));
  if (colon < 0 || isHere) {
    const paths = pathsOfWord(word, context, 'target');
    return { resources: paths.map(({ value }) => pathResource(access, { value, isExact: false })) };
  }
  if (text.startsWith('::', colon) || text.startsWith('//', colon + 1))
    return opaqueMeaning(because('place-unclear', word.source));
  const host = hostMeaning({ kind: 'literal', value: text.slice(0, colon), source: word.source }, 'contact');
  return access === 'write' ? { ...host, risk: 'high', does: 'Sends files to another host.' } : host;
}

/**
 * Reads what git takes for a repository: a URL, `host:path`, a path, or a remote's name. `ext::COMMAND` is opaque, because git
 * runs COMMAND.
 */
function readCloneSource(word: Word, context: CommandContext): Meaning {
  if (word.kind !== 'literal') return opaqueMeaning(because('repository-malformed', word.source));
  const { value } = word;
  if (value.includes('::')) return opaqueMeaning(because('transport-runs-command'));
  const ssh = /^ssh:\/\/([^/]+)\//.exec(value)?.[1];
  if (ssh !== undefined) return hostMeaning({ ...word, value: ssh.replace(/:\d+$/, '') }, 'contact');
  if (/^[a-z+]+:\/\//i.test(value)) return urlMeaning(word, 'contact');
  // As in git (`url_is_local_not_ssh` in connect.c): a word with a colon, but with no slash before the first colon, is an address. So
  // `.x:y` is an address too.
  if (/^[^:]*(?:\/|$)/.test(value) && /^[.~]|\//.test(value)) {
    const path = pathOfText(value, context, 'target');
    return { resources: [pathResource('read', { value: path.value, isExact: false })] };
  }
  if (value.includes(':')) return hostMeaning({ ...word, value: value.slice(0, value.indexOf(':')) }, 'contact');
  return /^[\w.-]+$/.test(value)
    ? resourceMeaning('remote', 'contact', value)
    : opaqueMeaning(because('repository-malformed', value));
}

function readDdOperand(word: Word, context: CommandContext): Meaning {
  const text = knownText(word);
  const [, name, value = ''] = /^([a-z]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined) return opaqueMeaning(because('dd-word-unclear', word.source));
  if (name === 'if' || name === 'of') {
    if (word.kind !== 'literal') return opaqueMeaning(because('file-known-at-run-time', word.source));
    const access = name === 'if' ? 'read' : 'write';
    if (isHarmlessDevice(value, access)) return NOTHING;
    return { resources: [pathResource(access, pathOfText(value, context, 'target'))] };
  }
  return ['bs', 'ibs', 'obs', 'cbs', 'count', 'skip', 'seek', 'status', 'conv', 'iflag', 'oflag'].includes(name)
    ? NOTHING
    : opaqueMeaning(because('dd-operand-not-known', name));
}

/**
 * Reads a URL for `curl -O`. The last part of the URL's path names the file that curl writes. If this name is not certain, the whole
 * working directory counts as written. With a query, the name is not certain: before curl 7.78, the query was part of the name.
 */
function readFetchedUrl(word: Word, context: CommandContext): Meaning {
  const url = urlMeaning(word, 'contact');
  if (url.opaque !== undefined) return url;
  const text = word.kind === 'literal' ? word.value : '';
  const name = /^(?:[a-z]+:\/\/)?[^/?#]+\/(?:[^?#]*\/)?([\w@+~-][\w.@+~-]*)$/i.exec(text)?.[1];
  const file = pathOfText(name ?? '.', context, 'target');
  return {
    ...url,
    resources: [...url.resources, pathResource('write', name === undefined ? { ...file, isExact: false } : file)],
  };
}

/**
 * Reads the name of an archive. zip and unzip can add `.zip` to a name without a dot. A name that is not known is opaque. A name with a
 * glob is opaque too, because unzip opens each archive that matches.
 */
function readArchive(word: Word, context: CommandContext, access: 'read' | 'write'): Meaning {
  const spellings = word.kind === 'literal' ? [spelledText(word.value)] : word.spellings;
  if (spellings === undefined || spellings.some((each) => /[*?[]/.test(writtenText(each))))
    return opaqueMeaning(because('archive-unclear', word.source));
  const isWhole = spellings.every((each) => /\.[^/]*$/.test(writtenText(each)) && !isBelowStart(each));
  return {
    resources: (isWhole ? [word] : [word, withEnding(word, '.zip')])
      .flatMap((each) => pathsOfWord(each, context, 'target'))
      .map((path) => pathResource(access, path)),
  };
}

const isBelowStart = ({ pieces }: Spelling): boolean => pieces.some(({ kind }) => kind === 'below');
