# The variables, aliases, functions and options to which a line is bound.

# Makes the function __ape_look, which puts variables into __ape_facts. One assignment `${NAME+"NAME=$NAME"} …` with all of __ape_names
# takes a tenth of the time of a loop. The variables of __ape_names matter whether they are exported or not. Other variables matter only
# to child processes. So __ape_look adds all exported variables, and the gate keeps those that matter for the line. While a line is
# edited, IFS and SHELLOPTS have values of ours, so __ape_look adds the noted values of the user. __ape_look also adds the options of
# BASHOPTS that __ape_enter turned off. SHELLOPTS matters because of options such as `set -k`, with which every word `NAME=VALUE` is an
# assignment.
__ape_make_bound() {
  __ape_body='${__ape_ifs:+"$__ape_ifs"} "SHELLOPTS=$__ape_options" "BASHOPTS=$BASHOPTS${__ape_shopts// /:}" ' __ape_all=
  for __ape_name in "${__ape_names[@]}"; do
    __ape_all+=" || -R $__ape_name"
    [[ $__ape_name == IFS || $__ape_name == SHELLOPTS || $__ape_name == BASHOPTS ]] || __ape_body+="\${$__ape_name+\"$__ape_name=\$$__ape_name\"} "
  done
  builtin eval "__ape_look() {
    if [[ ${__ape_all# || } ]]; then \__ape_look_one_by_one; else __ape_facts=($__ape_body); fi
    { builtin compgen -e; builtin declare -Fx; } >&\"\$__ape_out\"
    builtin local IFS=\$' \\t\\n'
    __ape_read __ape_exported
    if [[ \$__ape_exported == *'declare -fx '* ]]; then \__ape_look_functions; fi
    for __ape_name in \${__ape_exported%%declare -fx *}; do
      if [[ -R \$__ape_name ]]; then \__ape_look_reference; else __ape_facts+=(\"\$__ape_name=\${!__ape_name}\"); fi
    done
  }"
}
\__ape_make_bound

__ape_look_one_by_one() {
  __ape_facts=(${__ape_ifs:+"$__ape_ifs"} "SHELLOPTS=$__ape_options" "BASHOPTS=$BASHOPTS${__ape_shopts// /:}")
  for __ape_name in "${__ape_names[@]}"; do
    if [[ -R $__ape_name ]]; then
      \__ape_look_reference
    elif [[ $__ape_name != IFS && $__ape_name != SHELLOPTS && $__ape_name != BASHOPTS ]]; then
      __ape_facts+=(${!__ape_name+"$__ape_name=${!__ape_name}"})
    fi
  done
}

# Adds the declaration of a reference instead of its value. A reference may name an element of an array, and bash would evaluate the
# index (`declare -n r='a[$(touch x)]'`).
__ape_look_reference() {
  builtin declare -p -- "$__ape_name" >&"$__ape_out" 2>&"$__ape_null"
  __ape_read __ape_body
  __ape_facts+=("$__ape_name=$__ape_body")
}

# Adds the exported functions: a bash that the line starts can call them.
__ape_look_functions() {
  __ape_split "$__ape_exported"
  for __ape_word in "${__ape_lines[@]}"; do
    [[ $__ape_word == 'declare -fx '* ]] || builtin continue
    __ape_word=${__ape_word#declare -fx }
    builtin declare -f -- "$__ape_word" >&"$__ape_out" 2>&"$__ape_null"
    __ape_read __ape_body
    __ape_facts+=("BASH_FUNC_$__ape_word%%=$__ape_body")
  done
}

# Before the prompt is shown, notes which variables are set. This saves time after Enter, when a person waits: only the values of these
# variables are read then. The notes are valid only if no code of the user's can run in between. So no trap may be set, and the line must
# not be a continuation line. (Keys run their commands in a fork.) Does nothing before the first line, because the first prompt must
# appear soon.
__ape_note_names() {
  [[ -n $__ape_expansions && -n $__ape_asked ]] || { __ape_expansions=; builtin return 0; }
  \__ape_look
  __ape_expansions=
  __ape_known=' ${__ape_ifs:+"$__ape_ifs"} "SHELLOPTS=$__ape_options" "BASHOPTS=$BASHOPTS${__ape_shopts// /:}" '
  for __ape_fact in "${__ape_facts[@]}"; do
    __ape_name=${__ape_fact%%=*}
    [[ $__ape_name == IFS || $__ape_name == SHELLOPTS || $__ape_name == BASHOPTS || $__ape_known == *" \"$__ape_name="* ]] && builtin continue
    [[ -R $__ape_name ]] && builtin return 0
    [[ $__ape_name == *[!ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_]* ]] && builtin return 0
    __ape_known+="\"$__ape_name=\$$__ape_name\" "
  done
  __ape_expansions=$__ape_known
}

__ape_bound() {
  if [[ $__ape_expansions == ' '* ]]; then builtin eval "__ape_facts=($__ape_expansions)"; else \__ape_look; fi
  \__ape_note_references
  \__ape_note_character_set
  \__ape_note_stack
  \__ape_note_parameters
}

# Adds `attribute NAME` for references among the variables that bash itself sets: after `declare -n OLDPWD=PATH`, each `cd` sets PATH.
__ape_note_references() {
  for __ape_name in PWD OLDPWD LINES COLUMNS REPLY; do
    [[ -R $__ape_name ]] && __ape_facts+=("attribute $__ape_name=n")
  done
  builtin return 0
}

__ape_note_character_set() {
  # In some character sets a backslash can be the last byte of a longer character. __ape_backslashed has 126 pairs of a byte and a
  # backslash. If bash counts 252 characters there, bash does not use such a character set, whatever the locale variables say.
  ((${#__ape_backslashed} == 252)) || __ape_facts+=("character set=this shell")
  builtin return 0
}
# Adds the stack of directories below the current directory. Tilde expansion shows the stack even if `dirs` is disabled or DIRSTACK is unset.
__ape_note_stack() {
  [[ ~1 != '~1' ]] || builtin return 0
  __ape_body=
  for ((__ape_i = 1; __ape_i < 1000; __ape_i++)); do
    builtin eval "__ape_word=~$__ape_i"
    [[ $__ape_word != "~$__ape_i" ]] || builtin break
    __ape_body+=$__ape_word$'\n'
  done
  __ape_facts+=("directory stack=$__ape_body")
}

# Adds the parameters of the top level, which a function does not see, and $0 if it has changed. bash calls command_not_found_handle for
# a name without a program. Adds this function, unless it is still the one of the start-up files, and the
# meanings of its words.
__ape_note_parameters() {
  [[ -z $__ape_arguments ]] || __ape_facts+=("positional parameters=$__ape_arguments")
  [[ -z $__ape_last ]] || __ape_facts+=("last argument=$__ape_last")
  [[ $0 == "$__ape_zero" ]] || __ape_facts+=("changed parameter 0=$0")
  builtin declare -f command_not_found_handle >&"$__ape_out" 2>&"$__ape_null" || \:
  __ape_read __ape_body
  [[ $__ape_body == "$__ape_unfound" ]] || __ape_facts+=("function command_not_found_handle=$__ape_body")
  __ape_chain=' command_not_found_handle '
  [[ -z $__ape_body ]] || \__ape_meanings_in_function
  builtin return 0
}

# Adds all variables as one entry, in the form of `declare -p`. Leaves out our own variables, and variables that bash itself changes.
# Otherwise, if bash changed a variable of its own while the line waits, __ape_still would report a change by a trap. A line can neither
# set nor unset the arrays BASH_ARGC, BASH_ARGV, BASH_LINENO and BASH_SOURCE.
__ape_all_variables() {
  builtin local -
  builtin set -f
  builtin local IFS=$' \t\n'
  { builtin compgen -v; builtin declare -p; } >&"$__ape_out" 2>&"$__ape_null"
  builtin mapfile -t -u "$__ape_in" __ape_lines
  __ape_all=
  for __ape_word in "${__ape_lines[@]}"; do
    # `compgen -v` leaves out variables without a value, which may have attributes: `declare -A v`. `declare -p` writes them in a line
    # without `=`. A value of several lines may contain a line that looks the same. A name from such a line does no harm here.
    # A variable that bash computes, such as COMP_WORDBREAKS, is in both lists until it was printed once. Each name is added once.
    [[ $__ape_word != *=* ]] || builtin continue
    __ape_word=${__ape_word##declare -* }
    [[ "$__ape_all " != *" $__ape_word "* ]] || builtin continue
    case $__ape_word in
      *[!ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_]*) ;;
      __ape_* | _ | _A_ | _B_ | IFS | BASH_ARGC | BASH_ARGV | BASH_LINENO | BASH_SOURCE) ;;
      RANDOM | SRANDOM | SECONDS | EPOCHSECONDS | EPOCHREALTIME | BASH_MONOSECONDS | BASHPID | BASH_COMMAND | BASH_SUBSHELL | \
        FUNCNAME | LINENO | HISTCMD | PIPESTATUS | BASH_CMDS)
        __ape_is_own "$__ape_word" || __ape_all+=" $__ape_word"
        ;;
      *) __ape_all+=" $__ape_word" ;;
    esac
  done
  builtin declare -p -- $__ape_all >&"$__ape_out" 2>&"$__ape_null"
  __ape_read __ape_body
  __ape_facts+=("all variables=$__ape_body")
}

# Whether bash itself still sets the variable, as far as its value shows. After `unset`, the variable is one like any other, and a line
# can give it any value. Searches the output of `declare -p` (__ape_lines) for RANDOM instead of reading RANDOM: each reading takes a
# number from the user's sequence. Bash computes the variable also if a line exported it or made it read-only.  $1: name
__ape_is_own() {
  if [[ $1 == RANDOM ]]; then
    builtin local IFS=$'\n' __ape_letters
    __ape_body=$'\n'"${__ape_lines[*]}"$'\n'
    for __ape_letters in i ix ir irx; do # plain patterns: one with `*(…)` takes 12 ms for 130 variables
      [[ $__ape_body != *$'\n'"declare -$__ape_letters RANDOM"$'\n'* ]] || builtin return 0
      [[ $__ape_body != *$'\n'"declare -$__ape_letters RANDOM=\""[0123456789]* ]] || builtin return 0
    done
    builtin return 1
  fi
  [[ ! -R $1 ]] || builtin return 1
  case $1 in
    BASHPID) [[ $BASHPID == "$$" ]] ;;
    BASH_SUBSHELL) [[ $BASH_SUBSHELL == 0 ]] ;;
    EPOCHSECONDS)
      builtin printf -v __ape_body '%(%s)T' -1
      [[ $EPOCHSECONDS == "$__ape_body" || $EPOCHSECONDS == $((__ape_body + 1)) ]]
      ;;
    EPOCHREALTIME)
      builtin printf -v __ape_body '%(%s)T' -1
      [[ ${EPOCHREALTIME%[!0123456789]??????} == "$__ape_body" || ${EPOCHREALTIME%[!0123456789]??????} == $((__ape_body + 1)) ]]
      ;;
    LINENO)
      __ape_body=$LINENO
      [[ $LINENO != "$__ape_body" && ${LINENO@a} != *[aA]* ]]
      ;;
    BASH_COMMAND)
      builtin printf -v __ape_body '%s' "$BASH_COMMAND"
      [[ $__ape_body == 'builtin printf -v __ape_body '* ]]
      ;;
    FUNCNAME) [[ ${FUNCNAME-} == __ape_is_own ]] ;;
    PIPESTATUS) [[ ${PIPESTATUS@a} == a ]] ;; # bash sets each array of this name
    BASH_CMDS) [[ ${BASH_CMDS@a} == A ]] ;;
    SRANDOM | HISTCMD) [[ ${!1@a} == *i* && ${!1@a} != *[aA]* ]] ;;
    *) [[ ${!1@a} != *[aA]* && ${!1} != *[!0123456789]* ]] ;;
  esac
}
builtin printf -v __ape_backslashed '\\x%x\\x5c' {129..254}
builtin printf -v __ape_backslashed '%b' "$__ape_backslashed"
builtin readonly __ape_backslashed

# Adds `alias NAME`, `function NAME`, `disabled NAME`, `hash NAME`, `attribute NAME` for every word of the line that does not have its
# usual meaning. If `fc` is a word of the line, adds the history, because `fc` runs lines of the history. Splits the line twice: first
# quotes separate words, then all quotes are removed. The gate asks for the names that this function misses (__ape_send_meanings).
__ape_words() {
  builtin local -
  builtin set -f
  if ((${#__ape_typed} > 65536)); then
    \__ape_meanings_of_all
    builtin return 0
  fi
  __ape_all=${__ape_typed//[[:space:];&|()<>\`\$\"\'\\\{\}=]/ }
  [[ $__ape_typed == *[\"\'\\$'\v\f\r']* || $__ape_typed == *[![:ascii:]]* ]] && __ape_all+=" ${__ape_typed//[\"\'\\]/}"
  __ape_all=${__ape_all//[;&|()<>\`\$\{\}=]/ }
  { builtin alias -- $__ape_all; builtin declare -F -- $__ape_all; builtin declare -p -- $__ape_all; builtin hash -t -- $__ape_all; } \
    >&"$__ape_out" 2>&"$__ape_null"
  __ape_read __ape_body
  [[ " $__ape_all " == *' fc '* ]] && __ape_body=x
  [[ -z $__ape_body && -z $__ape_disabled ]] || __ape_meanings $__ape_all
}

# Adds all aliases, functions and disabled builtins, and each name to which `hash -p` gave another file than the first in PATH.
__ape_meanings_of_all() {
  { builtin alias -p; builtin declare -f; } >&"$__ape_out"
  __ape_read __ape_body
  __ape_facts+=("function *=$__ape_body")
  [[ -n $__ape_disabled ]] && __ape_facts+=("disabled *=$__ape_disabled")
  builtin hash -l >&"$__ape_out" 2>&"$__ape_null"
  __ape_read __ape_body
  __ape_split "$__ape_body"
  for __ape_fact in "${__ape_lines[@]}"; do
    [[ $__ape_fact == 'builtin hash -p '* ]] || builtin continue
    __ape_fact=${__ape_fact#builtin hash -p }
    # If the entry does not have exactly one space, the name or the file contains a space or a line break. The two cannot be told apart.
    if [[ $__ape_fact == *' '*' '* || $__ape_fact != *' '* ]]; then __ape_facts+=("hash *=$__ape_fact"); builtin continue; fi
    __ape_hashed "${__ape_fact#* }" "${__ape_fact% *}"
  done
}

__ape_history() {
  [[ -o history ]] || builtin return 0
  builtin fc -ln -100 >&"$__ape_out" 2>&"$__ape_null"
  __ape_read __ape_body
  __ape_facts+=("history fc=$__ape_body")
}

__ape_meanings() {
  __ape_known=' ' __ape_chain=' '
  for __ape_word in "$@"; do
    [[ $__ape_known == *" $__ape_word "* ]] && builtin continue
    __ape_known+="$__ape_word "
    __ape_meaning "$__ape_word"
  done
}

__ape_meaning() {
  [[ $1 != *=* ]] || builtin return 0
  if builtin alias -- "$1" >&"$__ape_out" 2>&"$__ape_null"; then
    __ape_read __ape_body
    \__ape_alias_text
    __ape_facts+=("alias $1=$__ape_body")
    \__ape_meanings_in_alias
  fi
  if builtin declare -f -- "$1" >&"$__ape_out" 2>&"$__ape_null"; then
    __ape_read __ape_body
    __ape_facts+=("function $1=$__ape_body")
    \__ape_meanings_in_function
  fi
  [[ " $__ape_disabled " == *" $1 "* ]] && __ape_facts+=("disabled $1=1")
  if builtin declare -p -- "$1" >&"$__ape_out" 2>&"$__ape_null"; then
    __ape_read __ape_body
    __ape_attributes "$1" "${__ape_body#declare -}"
  fi
  [[ $1 == fc ]] && \__ape_history
  if builtin hash -t -- "$1" >&"$__ape_out" 2>&"$__ape_null"; then
    __ape_read __ape_body
    __ape_hashed "$1" "${__ape_body%$'\n'}"
  fi
}

# Adds the meanings of the words that the chain of aliases and functions does not have yet.
__ape_meanings_in_chain() {
  for __ape_word in "$@"; do
    [[ $__ape_chain == *" $__ape_word "* ]] && builtin continue
    __ape_chain+="$__ape_word "
    __ape_meaning "$__ape_word"
  done
}

# Adds the meanings of the words in the text of an alias (__ape_body): bash expands aliases in that text too.
__ape_meanings_in_alias() {
  builtin local -
  builtin set -f
  if ((${#__ape_body} > 4096)); then
    \__ape_meanings_of_all
    builtin return 0
  fi
  __ape_all=" ${__ape_body//[\"\'\\]/}"
  __ape_all="${__ape_body//[[:space:];&|()<>\`\$\"\'\\\{\}=]/ }${__ape_all//[;&|()<>\`\$\{\}=]/ }"
  __ape_meanings_in_chain $__ape_all
}

# Adds the meanings of the words in the text of a function (__ape_body): functions, disabled builtins, names of `hash -p`, and aliases, which
# `eval` expands. Looks only the words up that have such a meaning: a function can have many words.
__ape_meanings_in_function() {
  builtin local -
  builtin set -f
  if ((${#__ape_body} > 16384)); then
    \__ape_meanings_of_all
    builtin return 0
  fi
  __ape_all=" ${__ape_body//[\"\'\\]/}"
  __ape_all="${__ape_body//[[:space:];&|()<>\`\$\"\'\\\{\}=]/ }${__ape_all//[[:space:];&|()<>\`\$\{\}=]/ }"
  { builtin declare -F -- $__ape_all; builtin alias -- $__ape_all; builtin hash -t -- $__ape_all; } >&"$__ape_out" 2>&"$__ape_null"
  builtin mapfile -t -u "$__ape_in" __ape_lines
  builtin set --
  for __ape_word in $__ape_disabled fc; do
    [[ $__ape_all != *" $__ape_word "* ]] || builtin set -- "$@" "$__ape_word"
  done
  for __ape_line in "${__ape_lines[@]}"; do
    __ape_line=${__ape_line#alias }
    __ape_line=${__ape_line%%[[:blank:]=]*}
    [[ -z $__ape_line || $__ape_chain == *" $__ape_line "* ]] || builtin set -- "$@" "$__ape_line"
  done
  __ape_meanings_in_chain "$@"
}

# Removes the quotes from the output of `alias NAME` in __ape_body. BASH_ALIASES is not used: a line can unset it and make another array
# of that name. The other array may have other texts, or an index that bash evaluates.
__ape_alias_text() {
  __ape_body=${__ape_body#*=} __ape_body=${__ape_body%$'\n'}
  if [[ $__ape_body == "\\'" ]]; then __ape_body="'"; builtin return 0; fi # bash's own spelling of this one text
  __ape_body=${__ape_body#"'"} __ape_rest=${__ape_body%"'"} __ape_body=
  while [[ $__ape_rest == *"'\\''"* ]]; do
    __ape_body+="${__ape_rest%%"'\\''"*}'"
    __ape_rest=${__ape_rest#*"'\\''"}
  done
  __ape_body+=$__ape_rest
}

# Adds `attribute NAME` if the variable's attributes change an assigned value, or make the variable a reference to another variable.
# Leaves out a read-only variable, which takes no value.  $1: name  $2: the output of `declare -p` from the attributes on
__ape_attributes() {
  [[ ${2%% *} == *[ilucn]* ]] || builtin return 0
  [[ ${2%% *} == *r* ]] || __ape_facts+=("attribute $1=${2%% *}")
}

# Adds `hash NAME` if `hash -p` gave the name another file than the first in PATH.  $1: name  $2: the file
__ape_hashed() {
  builtin local IFS=:
  for __ape_folder in $PATH; do
    [[ -f ${__ape_folder:-.}/$1 && -x ${__ape_folder:-.}/$1 ]] || builtin continue
    # Compares the two paths as texts, because a link may lead to another file when the line runs.
    [[ ${__ape_folder%/}/$1 == "$2" || -z $__ape_folder && $2 == "./$1" ]] && builtin return 0
    builtin break
  done
  __ape_facts+=("hash $1=$2")
}
