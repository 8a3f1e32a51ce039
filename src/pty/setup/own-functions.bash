# What happens before and after our own functions run: the user's options, signals and prompts are set aside and restored.

# Called on the top level before our functions. Sets aside the user's options that would change how our functions work.  $1: $?
__ape_enter() {
  if [[ -n ${FUNCNEST-} ]]; then
    if [[ ${FUNCNEST@a} == *r* ]]; then
      builtin printf '%s\0' '' '' Z 'FUNCNEST is read-only' >&"$__ape_channel"
      builtin exit 97
    fi
    __ape_funcnest=$FUNCNEST FUNCNEST=
  fi
  __ape_probe=
  builtin printf -v __ape_probe ok >&"$__ape_null" 2>&"$__ape_null" || __ape_probe=
  [[ $__ape_probe == ok ]] || \__ape_repair
  if [[ $BASHOPTS == *nocasematch* || $BASHOPTS == *localvar_inherit* ]]; then
    [[ $BASHOPTS == *nocasematch* ]] && __ape_shopts+=' nocasematch'
    [[ $BASHOPTS == *localvar_inherit* ]] && __ape_shopts+=' localvar_inherit'
    builtin shopt -u nocasematch localvar_inherit
  fi
  if [[ $- == *a* ]]; then
    builtin set +a
    __ape_exporting=1
    builtin export -n __ape_st __ape_set __ape_probe __ape_shopts __ape_funcnest
  fi
  __ape_rc=${1-0}
  \__ape_plain_names
}

# Blocks signals while our commands run, for two reasons. A trap of the user's can end any function of ours. A Ctrl-C would make bash drop
# a tick or lose the notes of the user's settings. A blocked signal takes effect once bash waits for the user or runs the user's text.
# A Ctrl-C takes effect while bash waits for the gate, too. A bash without the builtin blocks no signals.
__ape_block() {
  [[ -z $__ape_holder ]] || builtin __ape_confine block 2>&"$__ape_null"
}

# Unblocks the signals of __ape_block. Signals that came meanwhile take effect.
__ape_unblock() {
  [[ -z $__ape_holder ]] || builtin __ape_confine unblock 2>&"$__ape_null"
}

# Restores the user's options, and unblocks the signals if a line is about to run.  Returns the user's $?.  $1: the value for $_
__ape_leave() {
  builtin set -- "$__ape_exporting" "$__ape_shopts" "$__ape_funcnest"
  __ape_exporting= __ape_shopts= __ape_funcnest=
  [[ $2 == *nocasematch* ]] && builtin shopt -s nocasematch
  [[ $2 == *localvar_inherit* ]] && builtin shopt -s localvar_inherit
  [[ -n $__ape_running ]] && \__ape_unblock
  [[ -n $3 ]] && FUNCNEST=$3
  [[ -n $1 ]] && builtin set -a
  builtin return "$__ape_st"
}

# Called if `builtin` is disabled or is a function. In POSIX mode bash finds the builtin `unset` before any function of that name, and
# an assignment to POSIXLY_CORRECT is enough to enter that mode.
__ape_repair() {
  if [[ $SHELLOPTS == *posix* ]]; then
    \unset -f builtin enable exec eval
    \enable builtin enable exec eval printf
  else
    POSIXLY_CORRECT=1
    \unset -f builtin enable exec eval
    \enable builtin enable exec eval printf
    \unset -v POSIXLY_CORRECT
  fi 2>&"$__ape_null"
  builtin printf -v __ape_probe ok 2>&"$__ape_null"
  [[ $__ape_probe == ok ]] && builtin return 0
  POSIXLY_CORRECT=1
  \exit 97
  # `exit` failed too. A failing expansion returns bash to its top level. When the ticks are used up, the gate ends bash.
  __ape_rc=${__ape_none:?a line took away builtins that the gate needs}
}

# Ends this bash if a line made IFS or REPLY read-only, or closed a descriptor of ours. Removes attributes (integer, upper case, …) from
# the prompts and IFS. With an attribute, bash would evaluate or change a value that our code restores. A prompt may be a reference to
# a variable of ours. Then bash would expand each later value of that variable as the prompt, even a text that the gate has not allowed.
# So the prompt becomes a copy of the present value.
__ape_plain_names() {
  builtin local -
  builtin set +eu
  [[ ${IFS@a} == *r* ]] && __ape_die 'IFS is read-only'
  [[ ${REPLY@a} == *r* ]] && __ape_die 'REPLY is read-only'
  { builtin :; } 2>&"$__ape_null" <&"$__ape_in" >&"$__ape_out" || __ape_die 'a line closed a descriptor of the gate'
  [[ -R _ || ${_@a}${SHELLOPTS@a}${BASHOPTS@a} == *[iulcn]* ]] &&
    { builtin enable declare unset; builtin unset -n _; builtin declare -g +iulc _ SHELLOPTS BASHOPTS; } 2>&"$__ape_null"
  if [[ -R PS0 || -R PS1 || -R PS2 || -R HISTIGNORE || -R IFS ]]; then
    for __ape_name in PS0 PS1 PS2 HISTIGNORE IFS; do
      [[ -R $__ape_name ]] || builtin continue
      builtin set -- "${!__ape_name}"
      builtin unset -n "$__ape_name"
      builtin printf -v "$__ape_name" '%s' "$1"
    done
  fi
  # If IFS is an array, bash takes the memory of the array for a text when it splits words.
  if [[ ${IFS@a} == *[aA]* ]]; then
    builtin set -- "${IFS+x}" "${IFS-}"
    builtin enable unset
    builtin unset -v IFS
    [[ -n $1 ]] && IFS=$2
  fi
  [[ ${PROMPT_COMMAND@a}${PS0@a}${PS1@a}${PS2@a}${HISTIGNORE@a}${IFS@a} == *[iulc]* ]] || builtin return 0
  builtin declare -g +iulc PROMPT_COMMAND PS0 PS1 PS2 HISTIGNORE 2>&"$__ape_null"
  [[ -n ${IFS+x} ]] && builtin declare -g +iulc IFS
  builtin return 0
}

# Remembers the user's editing mode.  $1: SHELLOPTS as the user left it
__ape_note_mode() {
  __ape_editing=1
  case :$1: in
    *:emacs:*) __ape_mode=emacs ;;
    *:vi:*) __ape_mode=vi ;;
    *) __ape_editing= ;;
  esac
}
