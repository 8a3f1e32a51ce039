/**
 * The completion script for bash 3.2 and newer. The script contains the table of verbs. So a TAB starts a program only to list
 * grants or sessions. The script compares the typed words and never expands them (no `compgen -W`).
 */
import { allVerbs, type Values, type Verb } from '../verb-tree.ts';

export const bashCompletion = (tree: Verb, version: string): string => `# bash completion for apes ${version}
# Made by: apes completion bash

# Sets what may follow the verbs in $1: verbs, options, valued (OPTION=KIND) and arguments (KIND).
# The last argument may be repeated if more is not empty.
# A KIND is grants, sessions, files, directories, command, a list of words as :A:B, or - for free text.
__apes_verb() {
  verbs= options= valued= arguments= more=
  case $1 in
${allVerbs(tree).map(branch).join('\n')}
  esac
}
${BODY}`;

function branch({ path, verbs, options, arguments: given }: Verb): string {
  const valued = options.flatMap(({ short, long, value }) =>
    value === null ? [] : [long, ...(short === null ? [] : [short])].map((name) => `${name}=${kind(value.values)}`),
  );
  const sets = [
    ['verbs', verbs.flatMap(({ names }) => names.slice(0, 1))],
    ['options', options.flatMap(({ short, long }) => (short === null ? [long] : [short, long]))],
    ['valued', valued],
    ['arguments', given.map(({ values }) => kind(values))],
    ['more', given.at(-1)?.isVariadic === true ? ['1'] : []],
  ] as const;
  const text = sets.flatMap(([name, words]) => (words.length === 0 ? [] : [`${name}='${words.join(' ')}'`])).join(' ');
  const others = verbs.flatMap(({ path: [...names], names: [, ...aliases] }) =>
    aliases.map(
      (alias) =>
        `    '${[...names.slice(0, -1), alias].join(' ')}') __apes_verb '${names.join(' ')}'; path='${names.join(' ')}' ;;\n`,
    ),
  );
  return `${others.join('')}    '${path.join(' ')}') ${text} ;;`;
}

const kind = (values: Values): string =>
  values === null ? '-' : typeof values === 'string' ? values : `:${values.join(':')}`;

const BODY = String.raw`
# Adds each word that begins with the typed text.
__apes_offer() {
  local word
  for word in "$@"; do
    [[ $word == "$cur"* ]] && COMPREPLY+=("$word")
  done
}

__apes_kind() {
  local name
  case $1 in
    :*)
      local IFS=: noglob=$-
      set -f
      __apes_offer \${1#:}
      [[ $noglob == *f* ]] || set +f
      ;;
    grants | sessions)
      while IFS= read -r name; do
        __apes_offer "\${name%%$'\t'*}"
      done < <(command apes completion "$1" 2>/dev/null)
      ;;
    files) compopt -o default 2>/dev/null ;;
    directories) compopt -o dirnames 2>/dev/null ;;
    command) __apes_command "$COMP_CWORD" ;;
  esac
}

# Completes the words from word $1 on as a command of their own.
__apes_command() {
  local name
  if declare -F _comp_command_offset >/dev/null; then
    _comp_command_offset "$1"
  elif declare -F _command_offset >/dev/null; then
    _command_offset "$1"
  elif (($1 == COMP_CWORD)); then
    while IFS= read -r name; do COMPREPLY+=("$name"); done < <(compgen -c -- "$cur")
  else
    compopt -o default 2>/dev/null
  fi
}

_apes() {
  local IFS=$' \t\n' path= verbs options valued arguments more word waiting= ends= count=0 i
  local cur="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=()
  __apes_verb ''
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ -n $waiting ]]; then
      # COMP_WORDBREAKS splits --option=value into three words.
      [[ $word == '=' ]] || waiting=
    elif [[ -z $ends && $word == -- ]]; then
      ends=1
    elif [[ -z $ends && $word == -* ]]; then
      [[ " $valued " == *" $word="* ]] && waiting=$word
    elif [[ -n $verbs ]]; then
      path="$path\${path:+ }$word"
      __apes_verb "$path"
    elif [[ $arguments == command ]]; then
      __apes_command "$i"
      return
    else
      ((++count))
    fi
  done
  if [[ -n $waiting ]]; then
    [[ $cur == '=' ]] && cur=
    word=" $valued"
    word=\${word##* "$waiting="}
    __apes_kind "\${word%% *}"
  elif [[ -z $ends && $cur == -* ]]; then
    __apes_offer $options
  elif [[ -n $verbs ]]; then
    __apes_offer $verbs
  else
    set -- $arguments
    ((count >= $# && $# > 0)) && [[ -n $more ]] && count=$(($# - 1))
    shift "$count" 2>/dev/null || return 0
    __apes_kind "\${1:--}"
  fi
}

complete -F _apes apes
complete -o bashdefault -o default -W '-c -i -l -s --login --json --version --help' ape-shell
`.replaceAll('\\${', '${');
