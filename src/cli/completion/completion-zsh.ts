/** The completion for zsh. Each verb has a function, which calls zsh's `_arguments` with the descriptions of `--help`. */
import { allVerbs, type Values, type Verb, type VerbArgument, type VerbOption } from '../verb-tree.ts';

export const zshCompletion = (tree: Verb, version: string): string => `#compdef apes
# zsh completion for apes ${version}
# Made by: apes completion zsh

__apes_names() {
  local -a names
  local line
  for line in \${(f)"$(command apes completion $1 2>/dev/null)"}; do
    names+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  _describe -V "$1" names
}

${allVerbs(tree).map(functionOf).join('\n')}
# With compinit, this file is the body of the function _apes, and the next line offers the completions. With \`source\`, the next line only
# registers the function _apes_, which offers the completions.
if [[ $funcstack[1] == _apes ]]; then _apes_ "$@"; else compdef _apes_ apes; fi
`;

const nameOf = (path: readonly string[]): string => `_apes_${path.join('_').replaceAll('-', '_')}`;

function functionOf(verb: Verb): string {
  const specs = verb.options.map(optionSpec);
  if (verb.verbs.length === 0)
    return `${nameOf(verb.path)}() {\n  _arguments -s -S \\\n    ${[...specs, ...verb.arguments.flatMap(argumentSpecs)].join(' \\\n    ')}\n}\n`;
  const rows = verb.verbs.map(({ names, description }) => `    ${quoted(`${names[0]}:${description}`)}`);
  const branches = verb.verbs.map(({ names, path }) => `      ${names.join(' | ')}) ${nameOf(path)} ;;`);
  return `${nameOf(verb.path)}() {
  local line state context
  local -a verbs=(
${rows.join('\n')}
  )
  _arguments -C \\
    ${[...specs, "'1: :->verb'", "'*:: :->rest'"].join(' \\\n    ')}
  case $state in
    verb) _describe -t commands verb verbs ;;
    rest) case $words[1] in
${branches.join('\n')}
    esac ;;
  esac
}
`;
}

function optionSpec({ short, long, description, value }: VerbOption): string {
  const text = `[${escaped(description)}]`;
  if (value === null) return short === null ? quoted(`${long}${text}`) : `{${short},${long}}${quoted(text)}`;
  return quoted(`${long}=${text}:${escaped(value.name)}:${action(value.values)}`);
}

function argumentSpecs({ name, isVariadic, isRequired, values }: VerbArgument): readonly string[] {
  if (values === 'command') return ["'(-)1: :_command_names -e'", "'*:: :_normal'"];
  const optional = isRequired ? '' : ':';
  return [quoted(`${isVariadic ? '*' : ''}:${optional}${escaped(name)}:${action(values)}`)];
}

function action(values: Values): string {
  if (values === null || values === 'command') return ' ';
  if (values === 'files') return '_files';
  if (values === 'directories') return '_files -/';
  return typeof values === 'string' ? `__apes_names ${values}` : `(${values.join(' ')})`;
}

const escaped = (text: string): string => text.replace(/[\\[\]:]/g, '\\$&');
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
