# ape-shell: completion for TAB and similar keys. For each such key bash forks. The fork reads this file and exits.
#
# bash's own completion expands the text of the line: TAB after `ls "$((a[$(touch X)]))/` would run `touch`. So no key calls that
# completion (setup/tab.bash). This file replaces it, and never evaluates typed text. This file reads words character by character,
# looks up the value of a plain `$NAME`, and lists names with globs in which all typed text is quoted. Exception: __c_find_pattern
# expands a typed glob. The user's completion functions evaluate typed text and start programs. So these functions run in a further fork,
# after the kernel has confined that fork (no writes, no network, no signals, no terminal). If the kernel cannot confine the fork, these
# functions do not run.
#
# $1: the action: complete, list, insert or braces  $2: what is completed: any, file, command, variable, user, host or pattern
# $3: cursor and line (`POINT LINE`) after the previous completion key, if that key changed nothing; else empty. If cursor and line are
#     still the same, TAB lists the names
# $4: the prompt
# READLINE_LINE and READLINE_POINT have the line and the position of the cursor. Prints `POINT:LINE.` to change the line, or `=` to
# leave it unchanged. Prints nothing if READLINE_POINT is no valid position, or if too much text is before the cursor. Lists go to
# standard error.
#
# All names of this file start with __c_. A `$NAME` on the line never means such a name. Comments omit the prefix: `words` is __c_words.
# "Uses a, b" means that the function uses these local variables of its caller.

[[ -n "$(builtin compgen -A function -- __c_)" ]] && builtin exit 1 # our functions cannot replace a read-only function
# Unsets all variables of this file. An approved line may have made such a variable a reference or an integer. bash evaluates each value
# that is assigned to an integer.
__c_forget() {
  builtin unset "$1" __c_a __c_across __c_all __c_around __c_ask_from __c_at __c_b __c_base __c_before __c_blob __c_breaks __c_c __c_columns \
    __c_command __c_common __c_cur __c_cword __c_depth __c_dir __c_do __c_end_style __c_ending __c_endings \
    __c_fields __c_folder __c_folders __c_fork __c_found __c_from __c_from_fork __c_function __c_head __c_i __c_in \
    __c_is __c_is_comment __c_is_confined __c_is_one __c_kept __c_key __c_kind __c_last __c_left __c_limit __c_line \
    __c_lines __c_middle __c_most __c_most_text __c_n __c_name __c_names __c_nested __c_new __c_next __c_old \
    __c_one __c_options __c_options_on __c_out __c_part __c_parts __c_pattern __c_piece __c_plain __c_prompt __c_q \
    __c_quote __c_quoted __c_rest __c_right __c_row __c_row_text __c_rows __c_said __c_seconds __c_seen __c_separator __c_set \
    __c_shown __c_sorted __c_spec __c_start __c_status __c_style __c_tail __c_target __c_text __c_try __c_typed \
    __c_value __c_w __c_whole __c_width __c_with __c_word __c_words
}
__c_forget -n
__c_forget -v || builtin exit 1
__c_options_on=${BASHOPTS//:/ }
builtin shopt -u localvar_inherit nullglob failglob dotglob nocaseglob nocasematch globstar
builtin shopt -s extglob
builtin set -f
IFS=$' \t\n'
builtin unset -v GLOBIGNORE
builtin enable bind # `bind` is disabled while a line is edited
builtin trap - DEBUG ERR RETURN EXIT

__c_do=$1 __c_with=$2 __c_last=$3 __c_prompt=$4
__c_limit=4096     # with more characters than this before the cursor, nothing is completed
__c_most=20000     # how many names the fork returns at most
__c_most_text=600000 # how many characters of the fork's answer are read at most
__c_seconds=4      # how long the fork may take
__c_separator=$'\x1f'

# --- reading the line -------------------------------------------------------------------------------------------------
# Reads `left`, the text before the cursor. Sets these variables:
# - words       the words of the command at the cursor, as typed, except the last word, redirections and leading assignments
# - cur, start  the last word, and where it begins
# - quote       the quote that is open at the cursor; else empty
# - from        where the command begins
# - target      not empty if the last word is the file of a redirection
# - is_comment  not empty in a comment
__c_read_line() {
  __c_words=() __c_nested=() __c_around=() __c_quote= __c_from=0 __c_start=0 __c_target= __c_is_comment= __c_in=
  __c_i=0 __c_n=${#__c_left}
  builtin local __c_c __c_next
  while ((__c_i < __c_n)); do
    __c_c=${__c_left:__c_i:1} __c_next=${__c_left:__c_i+1:1}
    case $__c_quote in
      "'") [[ $__c_c == "'" ]] && __c_quote= ;;
      "\$'") if [[ $__c_c == '\' ]]; then ((++__c_i)); elif [[ $__c_c == "'" ]]; then __c_quote=; fi ;;
      '"')
        case $__c_c in
          '\') ((++__c_i)) ;;
          '"') __c_quote= ;;
          '`') __c_backtick ;;
          '$') [[ $__c_next == '(' ]] && { ((++__c_i)); __c_open '('; } ;;
        esac
        ;;
      *) __c_read_plain ;;
    esac
    ((++__c_i))
  done
  [[ -n $__c_in ]] || __c_start=$__c_n
  __c_cur=${__c_left:__c_start}
}

# Reads one character outside quotes. Uses i, n, c, next.
__c_read_plain() {
  case $__c_c in
    $'\n' | ';' | '|') __c_end_word; __c_new_command; builtin return 0 ;;
    [[:space:]]) __c_end_word; builtin return 0 ;;
    '&')
      [[ $__c_next == '>' ]] && builtin return 0
      ((__c_i > 0)) && [[ ${__c_left:__c_i-1:1} == ['<>'] ]] && builtin return 0
      __c_end_word; __c_new_command
      builtin return 0
      ;;
    '(') __c_end_word; __c_open '('; builtin return 0 ;;
    ')') __c_end_word; __c_close '('; builtin return 0 ;;
    '<' | '>')
      [[ -n $__c_in && ${__c_left:__c_start:__c_i-__c_start} == +([0123456789]) ]] && __c_in=
      __c_end_word
      if [[ $__c_next == '(' ]]; then ((++__c_i)); __c_open '('; else __c_target=1; fi
      builtin return 0
      ;;
    '#') [[ -n $__c_in ]] || { __c_skip_comment; builtin return 0; } ;;
  esac
  [[ -n $__c_in ]] || __c_in=1 __c_start=$__c_i
  case $__c_c in
    '\') ((++__c_i)) ;;
    "'" | '"') __c_quote=$__c_c ;;
    '`') __c_backtick ;;
    '$')
      case $__c_next in
        "'") __c_quote="\$'"; ((++__c_i)) ;;
        '"') __c_quote='"'; ((++__c_i)) ;;
        '(') ((++__c_i)); __c_open '(' ;;
      esac
      ;;
  esac
}

# A comment ends at the newline, which then begins a new command. Uses i, n.
__c_skip_comment() {
  builtin local __c_rest="${__c_left:__c_i}"
  __c_rest=${__c_rest%%$'\n'*}
  ((__c_i += ${#__c_rest} - 1))
  ((__c_i + 1 < __c_n)) || __c_is_comment=1
}

__c_new_command() { __c_words=() __c_from=$((__c_i + 1)) __c_target= __c_in=; }

__c_end_word() {
  [[ -n $__c_in ]] || builtin return 0
  builtin local __c_word="${__c_left:__c_start:__c_i-__c_start}"
  __c_in=
  if [[ -n $__c_target ]]; then __c_target=; builtin return 0; fi
  if ((${#__c_words[@]} == 0)); then
    case $__c_word in
      '{' | '!' | if | then | else | elif | do | while | until | time) builtin return 0 ;;
      [A-Za-z_]*([A-Za-z0-9_])?(+)=*) builtin return 0 ;;
    esac
    __c_from=$__c_start
  fi
  __c_words+=("$__c_word")
}

# Begins a nested command, as in `$(`. Saves quote, from, start and words of the outer command.  $1: `(` or a backquote
__c_open() {
  builtin local IFS="$__c_separator"
  __c_nested+=("$1$__c_quote")
  __c_around+=("$__c_from:$__c_start:${__c_words[*]}")
  __c_quote=
  __c_new_command
}

__c_close() {
  builtin local __c_depth="${#__c_nested[@]}" __c_old IFS="$__c_separator"
  if ((__c_depth == 0)) || [[ ${__c_nested[__c_depth - 1]} != "$1"* ]]; then __c_new_command; builtin return 0; fi
  __c_quote=${__c_nested[__c_depth - 1]#?}
  __c_old=${__c_around[__c_depth - 1]}
  __c_nested=("${__c_nested[@]:0:__c_depth-1}") __c_around=("${__c_around[@]:0:__c_depth-1}")
  __c_from=${__c_old%%:*} __c_old=${__c_old#*:}
  __c_start=${__c_old%%:*} __c_old=${__c_old#*:}
  __c_words=($__c_old) __c_target= __c_in=1
}

__c_backtick() {
  builtin local __c_depth="${#__c_nested[@]}"
  if ((__c_depth > 0)) && [[ ${__c_nested[__c_depth - 1]} == '`'* ]]; then __c_end_word; __c_close '`'; else __c_open '`'; fi
}

# --- the value of a word ----------------------------------------------------------------------------------------------
# Removes the quotes of a word and expands `~` and plain variables. Fails for a backquote, for any other `$`, for a backslash in
# $'...', and for an unknown home directory.  $1: the word, as typed. Sets these variables:
# - value      the result
# - head       how many typed characters come before the last component of the path
# - style      the quote that is open at the beginning of the last component
# - end_style  the quote that is open at the end of the word
__c_value_of() {
  builtin local __c_w="$1" __c_i=0 __c_n="${#1}" __c_c __c_q= __c_piece
  __c_value= __c_head=0 __c_style= __c_end_style=
  if [[ $__c_w == '~'* ]]; then
    __c_piece=${__c_w%%/*}
    [[ $__c_piece == *[!A-Za-z0-9_.~+-]* ]] && builtin return 1
    __c_home_of "$__c_piece" || builtin return 1
    __c_i=${#__c_piece}
  fi
  while ((__c_i < __c_n)); do
    __c_c=${__c_w:__c_i:1}
    __c_value_char || builtin return 1
    ((++__c_i))
    [[ $__c_c == / ]] && __c_head=$__c_i __c_style=$__c_q
  done
  __c_end_style=$__c_q
  builtin return 0
}

# Reads one character of a word. Uses w, i, c, q, piece.
__c_value_char() {
  builtin local __c_name
  case $__c_q in
    "'") if [[ $__c_c == "'" ]]; then __c_q=; else __c_value+=$__c_c; fi; builtin return 0 ;;
    "\$'")
      [[ $__c_c == '\' ]] && builtin return 1
      if [[ $__c_c == "'" ]]; then __c_q=; else __c_value+=$__c_c; fi
      builtin return 0
      ;;
    '"')
      case $__c_c in
        '"') __c_q=; builtin return 0 ;;
        '\')
          ((++__c_i)); __c_c=${__c_w:__c_i:1}
          [[ $__c_c == [\$\`\"\\] ]] || __c_value+='\'
          __c_value+=$__c_c
          builtin return 0
          ;;
      esac
      ;;
    *)
      case $__c_c in
        "'" | '"') __c_q=$__c_c; builtin return 0 ;;
        '\') ((++__c_i)); __c_c=${__c_w:__c_i:1}; __c_value+=$__c_c; builtin return 0 ;;
      esac
      ;;
  esac
  case $__c_c in
    '`') builtin return 1 ;;
    '$') __c_dollar ;;
    *) __c_value+=$__c_c ;;
  esac
}

# Reads `$'`, `$"`, `$NAME` or `${NAME}`. Uses w, i, q, piece.
__c_dollar() {
  __c_piece=${__c_w:__c_i+1}
  case $__c_piece in
    ["'\""]*)
      [[ -z $__c_q ]] || builtin return 1 # inside double quotes, $' and $" do not open a quote
      __c_q=${__c_piece:0:1}
      [[ $__c_q == "'" ]] && __c_q="\$'"
      ((++__c_i))
      ;;
    [A-Za-z_]*)
      __c_name=${__c_piece%%[!A-Za-z0-9_]*}
      __c_look_up "$__c_name" || builtin return 1
      __c_i=$((__c_i + ${#__c_name}))
      ;;
    '{'[A-Za-z_]*([A-Za-z0-9_])'}'*)
      __c_name=${__c_piece%%\}*} __c_name=${__c_name#\{}
      __c_look_up "$__c_name" || builtin return 1
      __c_i=$((__c_i + ${#__c_name} + 2))
      ;;
    *) builtin return 1 ;;
  esac
}

# Adds the value of a plain variable to `value`. Fails for a variable of this file. Also fails for a name reference: the target of the
# reference may have a subscript, which bash evaluates.
__c_look_up() {
  [[ -R $1 || $1 == __c_* ]] && builtin return 1
  __c_value+=${!1-}
}

# Sets `value` to a home directory, PWD or OLDPWD. Fails if the directory is empty or not known.  $1: `~`, `~+`, `~-` or `~NAME`
__c_home_of() {
  builtin local __c_line
  case $1 in
    '~') __c_value=${HOME-} ;;
    '~+') __c_value=${PWD-} ;;
    '~-') __c_value=${OLDPWD-} ;;
    *)
      while IFS= builtin read -r __c_line; do
        [[ $__c_line == "${1#\~}":* ]] || builtin continue
        __c_line=${__c_line%:*}
        __c_value=${__c_line##*:}
        builtin break
      done </etc/passwd 2>/dev/null
      ;;
  esac
  [[ -n $__c_value ]]
}

# --- names ------------------------------------------------------------------------------------------------------------
# Finds the files whose path begins with `value`. Adds their names to `found`, and sets `dir` to their directory.
# $1: `all`; `dirs` for directories only; `programs` for programs and directories
__c_find_files() {
  builtin local __c_one
  builtin local -a __c_list
  __c_dir= __c_base=$__c_value
  [[ $__c_value == */* ]] && __c_dir=${__c_value%/*}/ __c_base=${__c_value##*/}
  [[ ${__c_set[match-hidden-files]-} == off && $__c_base != .* ]] || builtin shopt -s dotglob
  [[ ${__c_set[completion-ignore-case]-} == on ]] && builtin shopt -s nocaseglob
  builtin shopt -s nullglob
  builtin set +f
  __c_list=("$__c_dir$__c_base"*)
  builtin set -f
  builtin shopt -u dotglob nocaseglob nullglob
  [[ $__c_base == . ]] && __c_list+=("$__c_dir.")
  [[ $__c_base == . || $__c_base == .. ]] && __c_list+=("$__c_dir..")
  for __c_one in "${__c_list[@]}"; do
    case $1 in
      dirs) [[ -d $__c_one ]] || builtin continue ;;
      programs) [[ -d $__c_one || -x $__c_one ]] || builtin continue ;;
    esac
    __c_found+=("${__c_one##*/}")
  done
  [[ -z ${FIGNORE-} ]] || __c_leave_ignored
}

# Removes files with an ending of FIGNORE from `found`. If this would remove every name, `found` stays as it is.
__c_leave_ignored() {
  builtin local __c_one __c_ending IFS=:
  builtin local -a __c_endings __c_kept
  __c_endings=($FIGNORE) __c_kept=()
  for __c_one in "${__c_found[@]}"; do
    for __c_ending in "${__c_endings[@]}"; do
      [[ -n $__c_ending && $__c_one == ?*"$__c_ending" && ! -d $__c_dir$__c_one ]] && builtin continue 2
    done
    __c_kept+=("$__c_one")
  done
  ((${#__c_kept[@]} > 0)) && __c_found=("${__c_kept[@]}")
}

# Finds aliases, reserved words, builtins, functions and programs. Does not use bash's own search, which expands the text of PATH.
__c_find_commands() {
  builtin local __c_folder __c_one IFS=$'\n'
  builtin local -a __c_list __c_folders __c_names
  __c_names=($(builtin compgen -abk -A function -- "$__c_value"))
  IFS=:
  __c_folders=(${PATH-})
  builtin shopt -s nullglob
  for __c_folder in "${__c_folders[@]}"; do
    builtin set +f
    __c_list=("${__c_folder:-.}/$__c_value"*)
    builtin set -f
    for __c_one in "${__c_list[@]}"; do
      [[ -f $__c_one && -x $__c_one ]] && __c_names+=("${__c_one##*/}")
    done
  done
  builtin shopt -u nullglob
  __c_take_names "${__c_names[@]}"
}

# Adds names to `found`, except names of ape-shell.
__c_take_names() {
  builtin local __c_one
  for __c_one in "$@"; do
    [[ $__c_one == __ape_* || $__c_one == __c_* || $__c_one == _[AB]_ ]] || __c_found+=("$__c_one")
  done
}

# Finds names of a kind.  $1: variable, user or hostname  $2: the beginning of the name
__c_find_names() {
  builtin local IFS=$'\n'
  __c_take_names $(builtin compgen -A "$1" -- "$2")
}

# --- completions of the last word -------------------------------------------------------------------------------------
# Fills `found` with the completions. `start` is where the replaced text begins. Sets `kind`:
# - files  names of files in `dir`. They need quotes. The typed directory stays
# - paths  names of commands, or paths with their directory. They need quotes. __c_paths_to_files turns this kind into `files` or `whole`
# - words  inserted unchanged
# - names  of variables, users or hosts. They are inserted unchanged. A `}`, a `/` or a space can follow
__c_find() {
  __c_found=() __c_kind=words __c_options= __c_dir= __c_value= __c_head=0 __c_style= __c_end_style=$__c_quote
  [[ -z $__c_is_comment ]] || builtin return 0
  case $__c_with in
    variable | user | host) __c_find_named "$__c_with"; builtin return 0 ;;
    command) __c_find_command; builtin return 0 ;;
    file) __c_find_paths all; builtin return 0 ;;
    pattern) __c_find_pattern; builtin return 0 ;;
  esac
  if [[ $__c_quote != *\' && $__c_cur =~ \$(\{)?([A-Za-z_][A-Za-z0-9_]*)?$ ]]; then
    __c_find_named variable
  elif [[ $__c_cur == '~'* && $__c_cur != */* ]]; then
    __c_find_named user
  elif [[ -n $__c_target ]]; then
    __c_find_paths all
  elif ((${#__c_words[@]} == 0)); then
    __c_find_command
  elif [[ -z $__c_is_confined ]] || ! __c_find_programmed; then
    __c_options=
    __c_find_paths all
  fi
}

__c_find_command() {
  if [[ $__c_cur != */* && $__c_cur != [A-Za-z_]*([A-Za-z0-9_])?(+)=* ]]; then
    __c_value_of "$__c_cur" || builtin return 0
    __c_kind=paths
    __c_find_commands
    ((${#__c_found[@]} > 0)) && builtin return 0
    __c_find_paths programs
  elif [[ $__c_cur == [A-Za-z_]*([A-Za-z0-9_])?(+)=* ]]; then
    __c_find_paths all
  else
    __c_find_paths programs
  fi
}

# Completes the path after the last break character of the word (`/usr/lo` in `PATH=/usr/lo`).
__c_find_paths() {
  __c_kind=words __c_found=()
  __c_after_break
  __c_value_of "$__c_cur" || builtin return 0
  __c_kind=files
  __c_find_files "$1"
}

# Moves `start` behind the last unquoted break character (COMP_WORDBREAKS) of the word. A quote does not count as a break character.
__c_after_break() {
  builtin local __c_i=0 __c_n="${#__c_cur}" __c_c __c_q= __c_at=0
  while ((__c_i < __c_n)); do
    __c_c=${__c_cur:__c_i:1}
    case $__c_q in
      '')
        case $__c_c in
          '\') ((++__c_i)) ;;
          "'" | '"') __c_q=$__c_c ;;
          *) [[ $__c_breaks == *"$__c_c"* ]] && __c_at=$((__c_i + 1)) ;;
        esac
        ;;
      '"') if [[ $__c_c == '\' ]]; then ((++__c_i)); elif [[ $__c_c == '"' ]]; then __c_q=; fi ;;
      *) [[ $__c_c == "'" ]] && __c_q= ;;
    esac
    ((++__c_i))
  done
  __c_start=$((__c_start + __c_at)) __c_cur=${__c_cur:__c_at}
}

# Completes the name at the end of the word.  $1: variable, user or host
__c_find_named() {
  builtin local __c_word __c_before=
  case $1 in
    variable)
      [[ $__c_cur =~ (\$\{?)?([A-Za-z_][A-Za-z0-9_]*)?$ ]] || builtin return 0
      __c_before=${BASH_REMATCH[1]} __c_word=${BASH_REMATCH[2]}
      __c_find_names variable "$__c_word"
      __c_options=variable
      [[ $__c_before == '${' ]] && __c_options=brace
      ;;
    user)
      __c_word=${__c_cur#\~}
      [[ $__c_word == *[!A-Za-z0-9_.-]* ]] && builtin return 0
      __c_find_names user "$__c_word"
      [[ $__c_cur == '~'* ]] && __c_options=slash
      ;;
    host)
      __c_word=${__c_cur##*@}
      [[ $__c_word == *[!A-Za-z0-9_.:-]* ]] && builtin return 0
      __c_find_names hostname "$__c_word"
      ;;
  esac
  __c_start=$((${#__c_left} - ${#__c_word})) __c_cur=$__c_word __c_kind=names
}

# Finds the files that a pattern on the line matches. The pattern is not quoted, but bash does only pathname expansion with it.
__c_find_pattern() {
  builtin local IFS= __c_pattern="$__c_cur"
  [[ $__c_cur == *[\$\`\"\'\\]* ]] && builtin return 0
  if [[ $__c_pattern == '~'* ]]; then
    __c_home_of "${__c_pattern%%/*}" || builtin return 0
    [[ $__c_value == *[\\*?[]* ]] && builtin return 0
    __c_pattern=$__c_value${__c_pattern#"${__c_pattern%%/*}"}
  fi
  [[ $__c_pattern == *[*?[]* ]] || __c_pattern+='*'
  builtin shopt -s nullglob
  builtin set +f
  __c_found=($__c_pattern)
  builtin set -f
  builtin shopt -u nullglob
  __c_kind=paths
}

# --- the user's programmable completion -------------------------------------------------------------------------------
# Called in the confined fork only. Fails if the command has no completion specification, or if the specification leaves the word to
# the default completion of file names.
__c_find_programmed() {
  builtin local __c_command __c_cword __c_plain
  builtin local -a __c_parts
  __c_value_of "${__c_words[0]}" || builtin return 1
  __c_command=$__c_value
  __c_split "${__c_left:__c_from}"
  __c_after_break
  __c_plain=$__c_cur
  [[ $__c_plain == [\'\"]* ]] && __c_plain=${__c_plain:1}
  __c_run_specs || builtin return 1
  # `compgen -f` removes quotes only while the line editor completes. The line editor does not complete here, so `compgen -f` keeps the
  # quotes. If the specification found nothing, this function runs the specification again with the value of the word. For this second
  # run, COMP_LINE ends with a single quote and the value.
  if ((${#__c_found[@]} == 0)) && [[ $__c_cur == *[\\\"]* ]] && __c_value_of "$__c_cur" && [[ $__c_value != *\'* ]]; then
    __c_plain=$__c_value
    builtin local __c_left="${__c_left:0:__c_start}'$__c_value"
    __c_split "${__c_left:__c_from}"
    __c_run_specs || builtin return 1
  fi
  __c_kind=words
  [[ $__c_options == *'-o filenames'* ]] && __c_kind=paths
  if ((${#__c_found[@]} == 0)); then
    case $__c_options in
      *'-o dirnames'*) __c_find_paths dirs ;;
      *'-o bashdefault'* | *'-o default'*) builtin return 1 ;;
    esac
  elif [[ $__c_options == *'-o plusdirs'* ]]; then
    __c_kind=paths
    builtin mapfile -t -O "${#__c_found[@]}" __c_found < <(builtin compgen -d -- "$__c_plain")
  fi
  __c_value_of "$__c_cur" || __c_value= __c_head=0
  __c_dir=${__c_value%"${__c_value##*/}"}
  builtin return 0
}

# Runs the completion specification of the command, or that of `complete -D`. Fails if neither exists. After status 124, looks the
# specification up again and runs it, at most three times in all.
# Uses command, parts, cword, plain.
__c_run_specs() {
  builtin local __c_try __c_status __c_spec
  for __c_try in 1 2 3; do
    __c_spec=$(builtin complete -p -- "$__c_command" || builtin complete -p -- "${__c_command##*/}" || builtin complete -p -D) ||
      builtin return 1
    __c_found=() __c_options=$__c_spec
    __c_run_spec
    __c_status=$?
    ((__c_status == 124)) || builtin break
  done
  builtin return 0
}

# Runs `spec` once. Uses command, parts, cword, plain, spec. `eval` is safe for two reasons: bash itself wrote the text, and the kernel
# confines this process.
__c_run_spec() {
  builtin local __c_status=0 __c_function=
  builtin local -a __c_line
  builtin eval "__c_line=($__c_spec)"
  builtin set -- "${__c_line[@]:1}"
  __c_line=()
  while (($# > 0)); do
    case $1 in
      -F) __c_function=$2; builtin shift ;;
      -[DEI] | --) : ;;
      -[oAGWCXPS]) __c_line+=("$1" "$2"); builtin shift ;;
      -*) __c_line+=("$1") ;;
    esac
    builtin shift
  done
  if [[ -n $__c_function ]]; then
    __c_call "$__c_function"
    __c_status=$?
  fi
  # The options -o, -P, -S and -X find nothing by themselves, so `compgen` runs only if there is another option. The program of option -C
  # reads the COMP_ variables.
  if [[ " ${__c_line[*]}" == *\ -[!oPSX]* ]]; then
    COMP_LINE=${__c_left:__c_from} COMP_TYPE=9 COMP_KEY=9
    COMP_POINT=${#COMP_LINE}
    builtin export COMP_LINE COMP_POINT COMP_TYPE COMP_KEY
    builtin mapfile -t -O "${#__c_found[@]}" __c_found < <(builtin compgen "${__c_line[@]}" -- "$__c_plain")
  fi
  builtin return "$__c_status"
}

# Calls a completion function as bash does, and puts its COMPREPLY into `found`.  $1: the name of the function
# COMP_TYPE is 9 (TAB) for the action `complete`, and 63 (`?`) for every other action; see bash(1).
__c_call() {
  builtin local __c_status COMP_LINE COMP_POINT COMP_CWORD COMP_TYPE COMP_KEY
  builtin local -a COMP_WORDS COMPREPLY
  COMP_LINE=${__c_left:__c_from} COMP_CWORD=$__c_cword COMP_TYPE=9 COMP_KEY=9 COMP_WORDS=("${__c_parts[@]}") COMPREPLY=()
  COMP_POINT=${#COMP_LINE}
  [[ $__c_do == complete ]] || COMP_TYPE=63
  compopt() {
    while (($# > 0)); do
      case $1 in
        -o) __c_options+=" -o $2"; builtin shift ;;
        +o) __c_options=${__c_options//"-o $2"/}; builtin shift ;;
      esac
      builtin shift
    done
  }
  [[ " $__c_options_on " == *' extglob '* ]] || builtin shopt -u extglob
  builtin shopt -s $__c_options_on 2>/dev/null
  builtin set +f
  "$1" "$__c_command" "$__c_plain" "${COMP_WORDS[COMP_CWORD - 1]}" >/dev/null
  __c_status=$?
  IFS=$' \t\n'
  builtin set +eux -f
  builtin shopt -u localvar_inherit nullglob failglob dotglob nocaseglob nocasematch
  builtin shopt -s extglob
  __c_found=("${COMPREPLY[@]}")
  builtin return "$__c_status"
}

# Splits a command as bash does for COMP_WORDS: at blanks, and around characters of COMP_WORDBREAKS. Sets `parts` and `cword`.
__c_split() {
  builtin local __c_i=0 __c_n="${#1}" __c_c __c_q= __c_part= __c_is=
  __c_parts=()
  while ((__c_i < __c_n)); do
    __c_c=${1:__c_i:1}
    if [[ -n $__c_q ]]; then
      __c_part+=$__c_c
      if [[ $__c_c == "$__c_q" ]]; then __c_q=; elif [[ $__c_q$__c_c == '"\' ]]; then ((++__c_i)); __c_part+=${1:__c_i:1}; fi
    else
      case $__c_c in
        [[:space:]]) __c_turn '' ;;
        '\') __c_turn word; ((++__c_i)); __c_part+=$__c_c${1:__c_i:1} ;;
        "'" | '"') __c_turn word; __c_q=$__c_c __c_part+=$__c_c ;;
        *) if [[ $__c_breaks == *"$__c_c"* ]]; then __c_turn break; else __c_turn word; fi; __c_part+=$__c_c ;;
      esac
    fi
    ((++__c_i))
  done
  if [[ -n $__c_is ]]; then __c_parts+=("$__c_part"); else __c_parts+=(''); fi
  __c_cword=$((${#__c_parts[@]} - 1))
}

# Ends the current part if the next character is of another kind.  $1: the kind of the next character: word, break, or empty for a blank
__c_turn() {
  [[ $__c_is == "$1" ]] && builtin return 0
  [[ -n $__c_is ]] && __c_parts+=("$__c_part")
  __c_part= __c_is=$1
}

# --- the fork that finds ----------------------------------------------------------------------------------------------
# Runs in the fork: confines the fork if possible, finds the completions, and prints them in one string. Leaves out a name that contains
# `separator`.
__c_answer() {
  builtin local IFS="$__c_separator" __c_one
  builtin local -a __c_whole
  __c_whole=()
  __c_is_confined=
  exec </dev/null 2>/dev/null || builtin exit 1
  # Closes the descriptors from 3 to 255. Some belong to bash itself: the terminal, and saved copies of redirected descriptors.
  builtin set -B
  builtin printf -v __c_all '%s>&- ' {3..255}
  builtin eval "exec $__c_all"
  if [[ -n ${__ape_holder-} ]] && builtin __ape_confine enter keys; then
    __c_is_confined=1
    builtin ulimit -t "$((__c_seconds + 1))"
  fi
  IFS=$' \t\n'
  __c_find
  IFS=$__c_separator
  for __c_one in "${__c_found[@]:0:__c_most}"; do
    [[ -n $__c_one && $__c_one != *"$__c_separator"* ]] && __c_whole+=("$__c_one")
  done
  builtin printf '%s\0' "$__c_kind$IFS${__c_options//"$IFS"/}$IFS$__c_start$IFS$__c_head$IFS$__c_style$IFS$__c_end_style$IFS${__c_dir//"$IFS"/}$IFS${__c_whole[*]}"
}

# Runs the fork, for at most `seconds`, and reads its answer. Fails if no valid answer comes.
__c_ask() {
  builtin local __c_blob= __c_from_fork __c_fork IFS="$__c_separator"
  builtin local -a __c_fields
  exec {__c_from_fork}< <(__c_answer) || builtin return 1
  __c_fork=$!
  builtin trap '__c_end_fork; builtin trap - INT; builtin kill -INT "$BASHPID"' INT
  IFS= builtin read -r -d '' -t "$__c_seconds" -n "$__c_most_text" -u "$__c_from_fork" __c_blob
  __c_end_fork
  builtin trap - INT
  __c_fields=($__c_blob)
  ((${#__c_fields[@]} > 7)) || builtin return 1
  __c_kind=${__c_fields[0]} __c_options=${__c_fields[1]} __c_start=${__c_fields[2]} __c_head=${__c_fields[3]}
  __c_style=${__c_fields[4]} __c_end_style=${__c_fields[5]} __c_dir=${__c_fields[6]} __c_found=("${__c_fields[@]:7}")
  # The fork may have run code of the user's. So this function checks the answer, and uses the answer only as data.
  [[ $__c_start == +([0-9]) && $__c_head == +([0-9]) && ${#__c_start} -lt 6 && ${#__c_head} -lt 6 ]] || builtin return 1
  ((__c_start <= ${#__c_left} && __c_start + __c_head <= ${#__c_left}))
}

__c_end_fork() { builtin kill -KILL -- "-$__c_fork" "$__c_fork" 2>/dev/null; }

# --- the new line ------------------------------------------------------------------------------------------------------
# Sets `quoted` to a quoted name.  $1: the name  $2: the quote that is open around it
__c_quote_name() {
  [[ $__c_options == *'-o noquote'* ]] && { __c_quoted=$1; builtin return 0; }
  case $2 in
    "'") __c_quoted=${1//\'/"'\\''"}; builtin return 0 ;;
    '"') __c_escape "$1" '\$`"'; builtin return 0 ;;
    "\$'") __c_escape "$1" "\\'"; builtin return 0 ;;
  esac
  if [[ $1 == *[[:cntrl:]]* ]]; then builtin printf -v __c_quoted '%q' "$1"; builtin return 0; fi
  __c_escape "$1" $' \t\n\\\'"`$&|;()<>*?[]{}!^,'"${__c_breaks//[[:space:]]/}"
  [[ $__c_quoted == [#~]* ]] && __c_quoted="\\$__c_quoted"
}

# Sets `quoted` to the text $1 with a backslash before each character that is in $2.
__c_escape() {
  builtin local __c_i __c_c
  __c_quoted=
  for ((__c_i = 0; __c_i < ${#1}; __c_i++)); do
    __c_c=${1:__c_i:1}
    [[ $2 == *"$__c_c"* ]] && __c_quoted+='\'
    __c_quoted+=$__c_c
  done
}

# Turns `paths` into `files`: removes the typed directory from each path. The line keeps the directory as it was typed. If a path does
# not begin with that directory, `kind` becomes `whole`: the new text then replaces the whole word.
__c_paths_to_files() {
  builtin local __c_one __c_typed="${__c_left:__c_start:__c_head}"
  builtin local -a __c_names
  __c_names=()
  [[ $__c_kind == paths ]] || builtin return 0
  for __c_one in "${__c_found[@]}"; do
    if [[ $__c_one == "$__c_dir"* ]]; then __c_names+=("${__c_one#"$__c_dir"}")
    elif [[ -n $__c_typed && $__c_one == "$__c_typed"* ]]; then __c_names+=("${__c_one#"$__c_typed"}")
    else __c_dir= __c_head=0 __c_style= __c_kind=whole; builtin return 0
    fi
  done
  __c_found=("${__c_names[@]}") __c_kind=files
}

# Sets `common` to the longest common beginning of the names, and `is_one` to 1 if all names are the same.
__c_share() {
  builtin local __c_one
  [[ ${__c_set[completion-ignore-case]-} == on ]] && builtin shopt -s nocasematch
  __c_common=${__c_found[0]} __c_is_one=1
  for __c_one in "${__c_found[@]}"; do
    [[ $__c_one == "${__c_found[0]}" ]] || __c_is_one=
    while [[ $__c_one != "$__c_common"* ]]; do __c_common=${__c_common%?}; done
    [[ -n $__c_common ]] || builtin break
  done
  builtin shopt -u nocasematch
}

# Sets `text` to the text that the line gets for a name.  $1: the name, or its beginning  $2: not empty if $1 is the whole name
__c_text_for() {
  builtin local __c_typed="${__c_left:__c_start}" __c_q="${__c_style:-$__c_end_style}" __c_tail= __c_target
  if [[ $__c_kind == words || $__c_kind == names ]]; then
    __c_text=$1
    [[ $__c_kind == words && $__c_typed == [\'\"]* ]] && __c_text=${__c_typed:0:1}$1
    [[ -n $2 ]] || builtin return 0
    case $__c_options in brace) __c_tail='}' ;; slash) __c_tail=/ ;; *nospace*) : ;; *) __c_tail=' ' ;; esac
    if [[ $__c_options == variable || $__c_options == brace ]]; then
      __c_value=
      __c_look_up "$1" && [[ -n $__c_value && -d $__c_value ]] && __c_tail=${__c_tail% }/
    fi
    [[ $__c_kind == names && -n $__c_quote ]] && __c_tail=${__c_tail% }
    [[ $__c_kind == words && $__c_typed == [\'\"]* && -n $__c_tail ]] && __c_tail="${__c_typed:0:1} "
    __c_text+=$__c_tail
    builtin return 0
  fi
  __c_text=${__c_typed:0:__c_head}
  __c_quote_name "$1" "$__c_q"
  [[ -n $__c_style ]] || __c_text+=$__c_end_style
  __c_text+=$__c_quoted
  [[ -n $2 ]] || builtin return 0
  __c_target=$__c_dir$1
  [[ $__c_target == '~/'* ]] && __c_target=${HOME-}${__c_target#\~}
  if [[ -d $__c_target && $1 != */ ]]; then
    if [[ -L $__c_target && ${__c_set[mark-symlinked-directories]-} != on && $__c_typed != *"$1" && $__c_options != *filenames* ]]; then :
    elif [[ ${__c_set[mark-directories]-} != off ]]; then __c_text+=${__c_q#\$}/
    fi
  elif [[ $1 == */ ]]; then :
  else
    __c_text+=${__c_q#\$}
    [[ $__c_options == *nospace* ]] || __c_text+=' '
  fi
}

# Prints the line. $1 replaces the completed word.
__c_put() {
  builtin local __c_new="${__c_left:0:__c_start}$1" __c_right="${READLINE_LINE:READLINE_POINT}"
  # If a closing quote or a space already follows the cursor, the line gets no second quote or space.
  [[ $__c_new == *' ' && $__c_right == ' '* ]] && __c_right=${__c_right# }
  [[ $__c_new == *[\'\"]' ' && $__c_right == [\'\"]* ]] && __c_right=${__c_right:1}
  builtin printf '%s:%s.' "${#__c_new}" "$__c_new$__c_right"
}

__c_complete() {
  builtin local __c_typed="${__c_left:__c_start}"
  __c_share
  if [[ -z $__c_is_one ]] && { [[ -z $__c_common ]] || [[ $__c_kind == words && $__c_common != "${__c_typed#[\'\"]}"* ]]; }; then
    __c_text=$__c_typed
  else
    __c_text_for "$__c_common" "$__c_is_one"
  fi
  [[ -z $__c_is_one && ${#__c_text} -lt ${#__c_typed} ]] && __c_text=$__c_typed
  if [[ -z $__c_is_one ]]; then
    if [[ $__c_last == "$READLINE_POINT $READLINE_LINE" || ${__c_set[show-all-if-ambiguous]-} == on ]] ||
      [[ ${__c_set[show-all-if-unmodified]-} == on && $__c_text == "$__c_typed" ]]; then
      __c_list
    else
      __c_ring
    fi
  fi
  if [[ $__c_text == "$__c_typed" ]]; then builtin printf '='; else __c_put "$__c_text"; fi
}

__c_insert_all() {
  builtin local __c_one __c_all=
  for __c_one in "${__c_sorted[@]}"; do
    __c_text_for "$__c_one" ''
    __c_all+="$__c_text "
  done
  __c_put "$__c_all"
}

__c_insert_braces() {
  builtin local __c_one __c_all=
  [[ $__c_kind == files || $__c_kind == whole ]] || { __c_complete; builtin return 0; }
  __c_share
  if [[ -n $__c_is_one ]]; then __c_complete; builtin return 0; fi
  for __c_one in "${__c_sorted[@]}"; do
    __c_quote_name "${__c_one#"$__c_common"}" "$__c_style"
    __c_all+=,$__c_quoted
  done
  __c_text_for "$__c_common" ''
  __c_put "$__c_text{${__c_all#,}} "
}

# --- lists ------------------------------------------------------------------------------------------------------------
__c_ring() { [[ ${__c_set[bell-style]-} == none ]] || builtin printf '\a' >&2; }

# Copies `found` to `sorted` without duplicates, in the same order.
__c_leave_doubles() {
  builtin local __c_one
  builtin local -A __c_seen
  __c_seen=()
  __c_sorted=()
  for __c_one in "${__c_found[@]}"; do
    [[ -n ${__c_seen[.$__c_one]-} ]] && builtin continue
    __c_seen[.$__c_one]=1
    __c_sorted+=("$__c_one")
  done
}

# Sorts `sorted`. More than 5,000 names keep their order, because sorting in bash is slow.
__c_sort() { [[ $__c_options == *nosort* || ${#__c_sorted[@]} -gt 5000 ]] || __c_merge 0 "${#__c_sorted[@]}"; }

# Sorts a part of `sorted`.  $1: the index of its first name  $2: the index behind its last name
__c_merge() {
  (($2 - $1 < 2)) && builtin return 0
  builtin local __c_middle="$((($1 + $2) / 2))" __c_a="$1" __c_b
  builtin local -a __c_out
  __c_out=()
  __c_b=$__c_middle
  __c_merge "$1" "$__c_middle"
  __c_merge "$__c_middle" "$2"
  [[ ${__c_sorted[__c_middle]} < ${__c_sorted[__c_middle - 1]} ]] || builtin return 0
  while ((__c_a < __c_middle && __c_b < $2)); do
    if [[ ${__c_sorted[__c_b]} < ${__c_sorted[__c_a]} ]]; then __c_out+=("${__c_sorted[__c_b++]}"); else __c_out+=("${__c_sorted[__c_a++]}"); fi
  done
  __c_out+=("${__c_sorted[@]:__c_a:__c_middle-__c_a}")
  for __c_b in "${!__c_out[@]}"; do __c_sorted[$1 + __c_b]=${__c_out[__c_b]}; done
}

# Prints the names in columns. Sends no control characters of names to the terminal.
__c_list() {
  builtin local __c_one __c_width=0 __c_columns="${COLUMNS-}" __c_lines="${LINES-}" __c_across __c_rows __c_row __c_at __c_said=0 __c_row_text __c_tail
  builtin local -a __c_shown
  __c_shown=()
  [[ $__c_columns == [1-9]*([0-9]) && ${#__c_columns} -lt 6 ]] || __c_columns=80
  [[ $__c_lines == [1-9]*([0-9]) && ${#__c_lines} -lt 6 ]] || __c_lines=24
  __c_leave_doubles
  builtin printf '%s%s\n' "${__c_prompt##*$'\n'}" "${READLINE_LINE//[[:cntrl:]]/?}" >&2
  __c_may_list "${#__c_sorted[@]}" || builtin return 0
  __c_sort
  for __c_one in "${__c_sorted[@]}"; do
    __c_tail=
    if [[ $__c_kind == files || $__c_kind == whole ]]; then
      [[ -d $__c_dir$__c_one && ${__c_set[mark-directories]-} != off && $__c_one != */ ]] && __c_tail=/
    fi
    __c_one=${__c_one//[[:cntrl:]]/?}
    ((${#__c_one} > __c_width)) && __c_width=${#__c_one}
    __c_shown+=("$__c_one$__c_tail")
  done
  __c_width=$((__c_width + 2))
  __c_across=$((__c_columns / __c_width))
  ((__c_across > 1 && __c_across * __c_width == __c_columns)) && ((--__c_across))
  ((__c_across > 0)) || __c_across=1
  __c_rows=$(((${#__c_shown[@]} + __c_across - 1) / __c_across))
  for ((__c_row = 0; __c_row < __c_rows; __c_row++)); do
    __c_row_text=
    for ((__c_at = __c_row; __c_at < ${#__c_shown[@]}; __c_at += __c_rows)); do
      builtin printf -v __c_one '%-*s' "$__c_width" "${__c_shown[__c_at]}"
      __c_row_text+=$__c_one
    done
    builtin printf '%s\n' "$__c_row_text" >&2
    if ((++__c_said == __c_lines - 1 && __c_row + 1 < __c_rows)) && [[ ${__c_set[page-completions]-} != off ]]; then
      __c_more || builtin break
    fi
  done
  __c_after_list
}

# Prints the prompt again, except its last line, which bash itself draws.
__c_after_list() {
  [[ $__c_prompt == *$'\n'* ]] && builtin printf '%s\n' "${__c_prompt%$'\n'*}" >&2
  builtin return 0
}

# Asks the user whether to show a long list. Fails if the answer is no.  $1: the number of names
__c_may_list() {
  builtin local __c_ask_from="${__c_set[completion-query-items]-100}" __c_key
  [[ $__c_ask_from == [1-9]*([0-9]) && ${#__c_ask_from} -lt 7 ]] || builtin return 0
  (($1 < __c_ask_from)) && builtin return 0
  builtin printf 'Display all %s possibilities? (y or n)' "$1" >&2
  while IFS= builtin read -r -s -n 1 -d '' __c_key; do
    case $__c_key in
      y | Y | ' ') builtin printf '\n' >&2; builtin return 0 ;;
      n | N | $'\x7f' | $'\b') builtin printf '\n' >&2; __c_after_list; builtin return 1 ;;
      *) builtin printf '\a' >&2 ;;
    esac
  done
  builtin printf '\n' >&2
  builtin return 1
}

# Asks the user after each page of a long list. Fails if the user wants no more. Sets `said`: 0 for a further page, or a number that
# lets the list show one further line.
__c_more() {
  builtin local __c_key
  builtin printf '%s' '--More--' >&2
  while IFS= builtin read -r -s -n 1 -d '' __c_key; do
    builtin printf '\r        \r' >&2
    case $__c_key in
      ' ' | y | Y) __c_said=0; builtin return 0 ;;
      $'\n' | $'\r') __c_said=$((__c_lines - 2)); builtin return 0 ;;
      q | Q | n | N | $'\x7f') builtin return 1 ;;
      *) builtin printf '\a--More--' >&2 ;;
    esac
  done
  builtin return 1
}

# --- the key ----------------------------------------------------------------------------------------------------------
__c_main() {
  builtin local __c_line __c_name __c_value

  builtin declare -gA __c_set
  [[ $READLINE_POINT == +([0-9]) && ${#READLINE_POINT} -lt 6 ]] || builtin return 0
  __c_left=${READLINE_LINE:0:READLINE_POINT}
  ((${#__c_left} <= __c_limit)) || { __c_ring; builtin return 0; }
  while builtin read -r __c_line __c_name __c_value; do
    [[ $__c_line == set && $__c_name == +([a-z-]) ]] && __c_set[$__c_name]=$__c_value
  done < <(builtin bind -v 2>/dev/null)
  __c_breaks=${COMP_WORDBREAKS-$' \t\n"\'@><=;|&(:'}
  __c_read_line
  __c_ask && ((${#__c_found[@]} > 0)) || { __c_ring; builtin printf '='; builtin return 0; }
  __c_paths_to_files
  case $__c_do in
    list) __c_list; builtin printf '=' ;;
    insert) __c_leave_doubles; __c_sort; __c_insert_all ;;
    braces) __c_leave_doubles; __c_sort; __c_insert_braces ;;
    *) __c_complete ;;
  esac
}
__c_main
