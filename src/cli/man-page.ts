/** Makes manual pages (man(7)) of the verbs, with the texts of `--help`. */
import type { Note } from './notes.ts';
import { allVerbs, type Verb, type VerbArgument, type VerbOption } from './verb-tree.ts';

/** @property date as YYYY-MM-DD */
export interface Edition {
  readonly version: string;
  readonly date: string;
}

export interface ManPage {
  readonly name: string;
  readonly text: string;
}

/**
 * Makes `apes(1)`, and one page for each verb directly below `apes`, except `help` and `version`. The page of a verb also describes the
 * verbs below this verb.
 */
export function manPages(tree: Verb, edition: Edition): readonly ManPage[] {
  const pages = tree.verbs.filter(({ path }) => path[0] !== 'help' && path[0] !== 'version');
  const others = pages.map(({ path }) => `apes-${path.join('-')}`);
  return [
    page('apes', tree, edition, ['ape-shell', ...others]),
    ...pages.map((verb) => page(`apes-${verb.path.join('-')}`, verb, edition, ['apes'])),
  ];
}

function page(name: string, verb: Verb, edition: Edition, others: readonly string[]): ManPage {
  const isMainPage = verb.path.length === 0;
  // The main page lists the verbs, but has no sections about them: each verb has its own page, except `help` and `version`.
  const below = isMainPage
    ? []
    : allVerbs(verb)
        .slice(1)
        .filter(({ verbs }) => verbs.length === 0);
  const synopses = below.length === 0 ? [synopsis(verb)] : below.map(synopsis);
  const text = [
    heading(name, edition, sentenceStart(verb.description)),
    '.SH SYNOPSIS',
    ...synopses.flatMap((line, at) => (at === 0 ? [line] : ['.br', line])),
    '.SH DESCRIPTION',
    sentence(verb.description),
    ...(isMainPage ? verbList(verb) : []),
    ...details(verb),
    ...(below.length === 0 ? [] : ['.SH VERBS']),
    ...below.flatMap(verbSection),
    ...verb.notes.flatMap((note) => noteLines(note)),
    '.SH SEE ALSO',
    others.map((other) => `.BR ${other} (1)`).join(' ,\n'),
  ];
  return { name, text: `${text.join('\n')}\n` };
}

/** Makes the first lines of a page: the title, and the section NAME with the name and the summary. */
export const heading = (name: string, { version, date }: Edition, summary: string): string =>
  `.TH ${name.toUpperCase()} 1 ${date} "ape\\-shell ${version}" "User Commands"\n.SH NAME\n${roffText(name)} \\- ${roffText(summary)}`;

const sentence = (text: string): string =>
  roffText(`${text.replace(/\.$/, '')}.`.replace(/^./, (first) => first.toUpperCase()));

const sentenceStart = (text: string): string => text.replace(/\.$/, '').replace(/^./, (first) => first.toLowerCase());

/** Makes the section about one verb in the page of a verb above this verb. */
const verbSection = (verb: Verb): readonly string[] => [
  `.SS ${roffText(['apes', ...verb.path].join(' '))}`,
  sentence(verb.description),
  ...details(verb),
  ...verb.notes.flatMap(subNote),
];

function synopsis({ path, options, arguments: given }: Verb): string {
  const words = [...(options.length > 1 ? ['[\\fIOPTION\\fR ...]'] : []), ...given.map(argumentText)];
  const verb = path.length === 0 ? ['\\fIVERB\\fR ...'] : words;
  return `\\fB${roffText(['apes', ...path].join(' '))}\\fR ${verb.join(' ')}`.trimEnd();
}

function argumentText({ name, isRequired, isVariadic }: VerbArgument): string {
  const text = `\\fI${roffText(name.toUpperCase())}\\fR${isVariadic ? ' ...' : ''}`;
  return isRequired ? text : `[${text}]`;
}

function verbList({ verbs }: Verb): readonly string[] {
  const groups = [...new Set(verbs.map(({ group }) => group))];
  return groups.flatMap((group) => [
    `.SH ${roffText(group.replace(/:$/, '').toUpperCase())}`,
    ...verbs
      .filter((verb) => verb.group === group)
      .flatMap(({ names, description }) => ['.TP', `.B ${roffText(names.join(', '))}`, roffText(description)]),
  ]);
}

function details({ arguments: given, options }: Verb): readonly string[] {
  const described = given.filter(({ description }) => description !== '');
  return [
    ...described.flatMap(({ name, description }) => [
      '.TP',
      `.I ${roffText(name.toUpperCase())}`,
      roffText(description),
    ]),
    ...options.filter(({ long }) => long !== '--help').flatMap(optionLines),
  ];
}

function optionLines({ short, long, help, value }: VerbOption): readonly string[] {
  const names = [short, long].filter((name) => name !== null).map((name) => `\\fB${roffText(name)}\\fR`);
  const wanted = value === null ? '' : ` \\fI${roffText(value.name.toUpperCase())}\\fR`;
  return ['.TP', `${names.join(', ')}${wanted}`, roffText(help)];
}

function noteLines({ title, rows }: Note): readonly string[] {
  return [`.SH ${roffText(title.toUpperCase())}`, ...rowLines(rows)];
}

const subNote = ({ title, rows }: Note): readonly string[] => ['.PP', roffText(`${title}:`), ...rowLines(rows)];

function rowLines(rows: Note['rows']): readonly string[] {
  if (rows.every((row) => typeof row === 'string')) return ['.nf', ...rows.map(roffText), '.fi'];
  return rows.flatMap((row) => {
    const [term, meaning] = typeof row === 'string' ? ['', row] : row;
    return ['.TP', `.B ${quotedWord(term)}`, roffText(meaning)];
  });
}

const quotedWord = (text: string): string => `"${roffText(text).replaceAll('"', '\\(dq')}"`;

/** Escapes a text for roff, so that a dash stays a dash and no line begins with a request of roff. */
export const roffText = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll("'", '\\(aq')
    .replaceAll('`', '\\(ga')
    .replaceAll('^', '\\(ha')
    .replaceAll('~', '\\(ti')
    .replaceAll('…', '...')
    .replace(/^\./gm, '\\&.');
