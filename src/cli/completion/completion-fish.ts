/**
 * The completion for fish: one `complete` for each verb, option and argument. Each `complete` applies only if the line has exactly
 * the verbs of `path`.
 */
import { allVerbs, type Values, type Verb, type VerbArgument, type VerbOption } from '../verb-tree.ts';

export function fishCompletion(tree: Verb, version: string): string {
  const verbs = allVerbs(tree);
  const paths = verbs.flatMap(({ path, names }) => names.map((name) => [...path.slice(0, -1), name].join(' ')));
  const known = [...new Set(paths.slice(1))];
  return `# fish completion for apes ${version}
# Made by: apes completion fish

# Whether the line has exactly these verbs.
function __apes_at
    set -l path
    for word in (commandline -opc)[2..-1]
        contains -- (string join ' ' -- $path $word) ${known.map(quoted).join(' ')}; or break
        test "$path" = ''; and contains -- $word ${aliasesOf(verbs).map(quoted).join(' ')}; and set word ${aliasTarget(verbs)}
        set path $path $word
    end
    test "$path" = "$argv"
end

# Completes the words after -- as a command of their own.
function __apes_command
    set -l words (commandline -opc)
    set -l at (contains -i -- -- $words); or return
    set -l typed (string escape -- $words[(math $at + 1)..-1])
    test $at -eq (count $words); and set typed
    complete -C (string join ' ' -- $typed (commandline -ct))
end

complete -c apes -f
${verbs.flatMap(linesOf).join('\n')}
`;
}

/** Returns all aliases. Only `sessions` has aliases. */
const aliasesOf = (verbs: readonly Verb[]): readonly string[] =>
  verbs.slice(1).flatMap(({ names: [, ...others] }) => others);
const aliasTarget = (verbs: readonly Verb[]): string =>
  verbs.slice(1).find(({ names }) => names.length > 1)?.names[0] ?? '';

function linesOf({ path, verbs, options, arguments: given }: Verb): readonly string[] {
  const where = `complete -c apes -n ${quoted(`__apes_at ${path.join(' ')}`.trimEnd())}`;
  return [
    ...verbs.map(({ names: [name = ''], description }) => `${where} -a ${name} -d ${quoted(description)}`),
    ...options.map((option) => `${where}${optionWords(option)}`),
    ...given.flatMap((argument) => argumentLines(where, argument)),
  ];
}

function optionWords({ short, long, description, value }: VerbOption): string {
  const name = `${short === null ? '' : ` -s ${short.slice(1)}`} -l ${long.slice(2)}`;
  return `${name}${value === null ? '' : valueWords(value.values)} -d ${quoted(description)}`;
}

function argumentLines(where: string, { values }: VerbArgument): readonly string[] {
  return values === null ? [] : [`${where}${values === 'files' ? ' -F' : ` -a ${quoted(wordsOf(values))}`}`];
}

const valueWords = (values: Values): string =>
  values === null ? ' -x' : values === 'files' ? ' -r -F' : ` -x -a ${quoted(wordsOf(values))}`;

function wordsOf(values: Exclude<Values, null>): string {
  if (values === 'command') return '(__apes_command)';
  if (values === 'directories') return '(__fish_complete_directories)';
  return typeof values === 'string' ? `(apes completion ${values} 2>/dev/null)` : values.join(' ');
}

const quoted = (text: string): string => `'${text.replace(/['\\]/g, '\\$&')}'`;
