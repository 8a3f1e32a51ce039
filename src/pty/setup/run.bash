# Runs a line that the gate allows.

# Puts the typed line into the history, and forgets the Ctrl-Ds before it (IGNOREEOF).
__ape_remember() {
  __ape_eof=0
  [[ -o history ]] && builtin history -s -- "$__ape_typed"
}

# Makes the text for the tick: commands that restore the user's settings, the user's line, commands that save the line's results.
# $1: the line  $2: the length of the line's profile, which comes next on the channel; empty if the line runs unconfined
__ape_prepare() {
  \__ape_ps0_back
  __ape_before= __ape_behind= __ape_whole=1 __ape_made=
  # A second `exit` ends bash even if jobs are stopped. bash checks whether the preceding command was `exit` or `jobs`, but here the
  # preceding command is ours. So if an `exit` follows a line that is `exit`, `logout` or `jobs`, our text begins with `jobs`.
  if [[ ($1 == *exit* || $1 == *logout*) && $1 =~ ^[[:space:]]*(exit|logout)[[:space:]]*[0-9]*[[:space:]]*$ ]]; then
    [[ -n $__ape_leaving ]] && __ape_before+="\\builtin jobs >&$__ape_null"$'\n'
    __ape_leaving=1
  elif [[ $1 =~ ^[[:space:]]*jobs([[:space:]]+-[lnprs]+)*[[:space:]]*$ ]]; then
    __ape_leaving=1 # an `exit` after `jobs` ends bash, too
  else
    __ape_leaving=
  fi
  # __ape_start empties __ape_disabled. Our text calls __ape_start only after it has disabled the builtins and set the trap. So a Ctrl-C
  # in between loses nothing.
  [[ -n $__ape_disabled ]] && __ape_before+="\\builtin enable -n $__ape_disabled"$'\n'
  if [[ -n $__ape_debug ]]; then
    \__ape_wrap
    __ape_before+=$'\\builtin trap -- "$__ape_wrapped" DEBUG; __ape_aside=\n'
  fi
  if [[ $__ape_flags == *[xvET]* || -n $__ape_disabled$__ape_debug ]]; then __ape_before+=$'\\__ape_start\n'; else \__ape_start; fi
  [[ $__ape_flags == *E* ]] && __ape_before+=$'\\builtin set -E\n'
  [[ $__ape_flags == *T* ]] && __ape_before+=$'\\builtin set -T\n'
  [[ $__ape_flags == *x* ]] && __ape_before+=$'\\builtin set -x\n'
  # An unconfined line that contains `trap` or `DEBUG` gets the DEBUG trap as the user set it. Every other line gets a trap that ignores
  # our own commands. (A confined line cannot set a trap.)
  if [[ -n $__ape_debug && -z $2 && ($1 == *trap* || $1 == *DEBUG*) ]]; then
    __ape_name=${__ape_debug#=}
    __ape_before+="\\builtin trap -- ${__ape_name@Q} DEBUG"$'\n'
  fi
  if [[ $1 == *PIPESTATUS* ]] && ((${#__ape_ps[@]} > 1)); then
    \__ape_make_piped
    __ape_word=$__ape_piped
  elif [[ -n $__ape_debug && (-n $2 || $1 != *trap* && $1 != *DEBUG*) ]]; then
    __ape_word='\__ape_z "$__ape_last" && \__ape_z "$__ape_last"'
  elif [[ (-n $__ape_before || $__ape_flags == *v*) && $__ape_st != 0 ]]; then
    __ape_word="(\\builtin exit $__ape_st) && \\:"
  else
    __ape_word=
  fi
  # `set -v` is in our last line before the user's line, because `set -v` shows all lines that bash reads later. With `set -x`, our last
  # line prints to /dev/null.
  [[ $__ape_flags == *v* ]] && __ape_word="\\builtin set -v${__ape_word:+; $__ape_word}"
  [[ -n $__ape_word && $__ape_flags == *x* ]] && __ape_word="{ $__ape_word; } 2>&$__ape_null"
  [[ -n $__ape_word ]] && __ape_before+=$__ape_word$'\n'
  # In two cases our text ends with the user's line, without $__ape_after. Then $_ and PIPESTATUS are lost: only $__ape_after saves them.
  # - With `set -v` bash would print $__ape_after too.
  # - `fc` assumes that the last entry of the history is the line that calls `fc`. So if a line calls `fc`, our text contains
  #   `set -o history`: bash's own parser then puts each later line into the history. The parser would put $__ape_after there too.
  [[ $__ape_flags == *v* || $1 == *set*v* ]] && __ape_whole=
  if [[ $1 == *fc* && $1 =~ (^|[[:space:]\;\&\|\(])fc($|[[:space:]\;\&\|\)]) && -o history ]]; then
    [[ $- == *H* ]] && __ape_bangs=1
    __ape_before+=$'\\builtin set +H -o history\n' __ape_whole= __ape_eof=0
  else
    \__ape_remember
  fi
  [[ -n $__ape_whole ]] && __ape_behind=$__ape_after
  [[ -n $__ape_late ]] && __ape_before="\\builtin trap '\\builtin exit $__ape_st' ALRM"$'\n\\builtin kill -ALRM $$\n'
  __ape_made=$__ape_before$1$__ape_behind __ape_running=%.0s __ape_saved= __ape_own=()
  if [[ -n $2 ]]; then
    # A trap of the user's can set the variables of __ape_note_own while the line runs. So these variables are checked only if the user has
    # no trap.
    if [[ -z $__ape_debug$__ape_trapped ]]; then
      \__ape_note_own
      __ape_own=("${__ape_now[@]}")
    fi
  fi
  if [[ -n ${PS0-} ]]; then
    if ! __ape_is_remark "$1"; then
      \__ape_unblock
      builtin printf '%s' "${PS0@P}" >&2
      \__ape_block
    fi
    [[ $1 == *PS0* ]] || \__ape_ps0_aside
  fi
  if [[ -n $2 ]]; then
    __ape_arm "$2" || builtin return 0
    # A trap of the user's may have ended __ape_arm with status 0.
    [[ -n $__ape_token && $__ape_held == "$__ape_token" ]] || { __ape_st=72 __ape_ps=(72) __ape_saved=1; builtin return 0; }
  fi
  __ape_text=$__ape_made
}

# Whether the line is only a remark: for such a line bash runs nothing and prints no PS0.  $1: the line
__ape_is_remark() {
  [[ $1 == *'#'* && $1 != *$'\n'* && $BASHOPTS == *interactive_comments* ]] || builtin return 1
  __ape_body=${1%%[![:blank:]]*}
  [[ ${1:${#__ape_body}:1} == '#' ]]
}

# Forgets the notes of the previous line. From now on notes are about the new line. Called before the text restores the user's options.
__ape_start() {
  __ape_flags= __ape_disabled= __ape_set=
}

# Confines the processes that the line starts. Fails if that is impossible: then no text runs, and the line ends with status 72.
# $1: the length of the profile
__ape_arm() {
  __ape_held=
  if [[ -z $__ape_holder ]]; then
    builtin printf 'ape-shell: cannot confine it: %s cannot load confine.so; nothing ran; ask for the exact line, which runs unconfined\n' "$BASH" >&2
  elif { \__ape_give_back_interrupt; \__ape_first_in; } && builtin __ape_confine arm "$__ape_channel" "$1" "$__ape_token" && [[ $__ape_held == "$__ape_token" ]]; then
    builtin return 0
  fi
  __ape_st=72 __ape_ps=(72) __ape_saved=1
  builtin return 1
}

# Puts HISTFILE, and the variables that bash itself expands after a line, into __ape_now. An entry is NAME=VALUE. If the variable is unset
# or a reference, the entry is only NAME.
__ape_note_own() {
  __ape_now=()
  for __ape_name in PS0 PS1 PS2 PS4 MAIL MAILPATH HISTFILE; do
    if [[ -R $__ape_name ]]; then __ape_now+=("$__ape_name"); else __ape_now+=("$__ape_name${!__ape_name+"=${!__ape_name}"}"); fi
  done
}

# Restores the variables of __ape_note_own if a confined line has changed them. Otherwise bash would run commands in their values
# unconfined. No scope covers a line that changes these variables, so this function matters only if src/core or a rule file is wrong.
__ape_own_back() {
  ((${#__ape_own[@]} > 0)) || builtin return 0
  __ape_probe=
  \__ape_note_own
  for __ape_i in "${!__ape_own[@]}"; do
    [[ ${__ape_now[__ape_i]} != "${__ape_own[__ape_i]}" ]] || builtin continue
    __ape_probe=1 __ape_name=${__ape_own[__ape_i]%%=*}
    builtin unset -n "$__ape_name"
    builtin unset -v "$__ape_name"
    [[ ${__ape_own[__ape_i]} == *=* ]] && builtin printf -v "$__ape_name" '%s' "${__ape_own[__ape_i]#*=}"
  done 2>&"$__ape_null"
  if [[ -n $__ape_probe ]]; then
    \__ape_note_own
    for __ape_i in "${!__ape_own[@]}"; do
      [[ ${__ape_now[__ape_i]} != "${__ape_own[__ape_i]}" ]] || builtin continue
      builtin history -c # otherwise bash would write the history to HISTFILE at its exit
      __ape_die "a confined line made ${__ape_own[__ape_i]%%=*} read-only"
    done
    builtin printf 'ape-shell: a confined line may not change its own shell; what bash itself expands (PS1, …) is as it was\n' >&2
  fi
  __ape_own=()
}

# Puts __ape_undo, which ends the confinement and restores the traps, in front of the first entry of PROMPT_COMMAND. After a Ctrl-C bash
# runs PROMPT_COMMAND before any other command. __ape_undo stays there while a confined line runs, and while the user's INT or DEBUG trap
# is set aside.
__ape_first_in() {
  \__ape_unlock || builtin return 0
  \__ape_find_first
  PROMPT_COMMAND[__ape_i]=$__ape_undo${PROMPT_COMMAND[__ape_i]#"$__ape_undo"}
  \__ape_lock
}

__ape_first_out() {
  \__ape_unlock || builtin return 0
  \__ape_find_first
  PROMPT_COMMAND[__ape_i]=${PROMPT_COMMAND[__ape_i]#"$__ape_undo"}
  \__ape_lock
}

# Sets __ape_i to the index of the first entry of PROMPT_COMMAND.
__ape_find_first() {
  for __ape_i in "${!PROMPT_COMMAND[@]}"; do builtin break; done
}

# The first command of __ape_undo. Succeeds if it has restored the user's INT trap; the rest of __ape_undo then runs the trap.  $1: the
# user's $?, which the rest of __ape_undo sets again
__ape_interrupted() {
  [[ -z $__ape_holder ]] || builtin __ape_confine block 2>&"$__ape_null" # before FUNCNEST is read
  builtin set -- "$1" "${FUNCNEST-}"
  builtin local -
  builtin set +euxvkaf
  [[ -n $2 && ${FUNCNEST@a} != *r* ]] && FUNCNEST=
  __ape_rc=$1
  if [[ -n $__ape_running ]]; then \__ape_release; fi
  \__ape_give_back_interrupt && \__ape_unblock
  builtin set -- "$?" "$2"
  if [[ -n $__ape_aside && -n $__ape_debug && -n $__ape_holder ]]; then
    \__ape_first_out
    \__ape_wrap
  else
    __ape_wrapped=
  fi
  [[ -n $2 && ${FUNCNEST@a} != *r* ]] && FUNCNEST=$2
  [[ -n $__ape_wrapped ]] || builtin return "$1"
  builtin trap -- "$__ape_wrapped" DEBUG # from here on only commands that the trap ignores
  __ape_aside= # not earlier: if a Ctrl-C came in between, the trap would be forgotten
  \builtin return "$1"
}

__ape_release() {
  \__ape_ps0_back
  \__ape_own_back # before the confinement ends: a Ctrl-C in between must not leave a prompt that the line has set
  \__ape_free
  \__ape_first_out
}

# Ends the confinement of new processes.  $1: the line's status, or nothing; after a confined line with a status other than 0, the builtin
# prints that the line was confined
__ape_free() {
  [[ -z $__ape_holder ]] || builtin __ape_confine off ${1:+"$1"}
  builtin return 0
}
