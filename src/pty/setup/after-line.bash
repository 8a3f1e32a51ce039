# After the line: its results are saved, and the confinement ends.

# The first command after the user's line: saves the results of the line.  $1: $?   $2: $_   the rest: PIPESTATUS
__ape_save() {
  [[ -z $__ape_holder ]] || builtin __ape_confine block 2>&"$__ape_null"
  [[ -R _ || ${_@a}${SHELLOPTS@a}${BASHOPTS@a} == *[iulcn]* ]] &&
    { builtin enable declare unset; builtin unset -n _; builtin declare -g +iulc _ SHELLOPTS BASHOPTS; } 2>&"$__ape_null"
  if [[ $- == *a* ]]; then
    builtin set +a
    __ape_exporting=1
  fi
  __ape_flags+=$-
  builtin set +xvET
  __ape_st=$1 __ape_last=$2 __ape_saved=1
  builtin shift 2
  __ape_ps=("$@")
}

# Called after the text. If the text did not come to its end (__ape_saved is empty), the line's status is __ape_rc: the $? of the text.
__ape_end() {
  \__ape_block
  for __ape_word in '{' '}'; do # the tick begins with `{`; the tick itself removes aliases of other reserved words (__ape_plain_words)
    builtin unalias "$__ape_word" 2>&"$__ape_null" || builtin continue
    builtin printf 'ape-shell: the alias of %s is removed: a gated shell needs this word\n' "$__ape_word" >&2
  done
  [[ -n $__ape_bangs ]] && builtin set -H
  __ape_bangs=
  __ape_note_mode "$SHELLOPTS"
  builtin local -
  builtin set +eufk
  builtin local IFS=$' \t\n'
  if [[ -n $__ape_running ]]; then
    \__ape_ps0_back
    \__ape_own_back # before the confinement ends: a Ctrl-C in between must not leave a prompt that the line has set
  fi
  if [[ -n $__ape_saved ]]; then __ape_free "$__ape_st"; else __ape_free "$__ape_rc"; fi
  [[ $__ape_flags == *[xvET]* ]] || __ape_flags=
  __ape_set=
  if [[ -n $__ape_running ]]; then
    # The kernel delivers the line's output through the pseudo-terminal when this processor is idle. Without this pause of 0.2 ms the
    # output would wait for all commands below, which may take longer than the line. `read -t` cannot be the pause: it unblocks SIGINT.
    [[ -z $__ape_holder ]] || builtin __ape_confine pause 2>&"$__ape_null"
    [[ -n $__ape_saved ]] || __ape_st=$__ape_rc __ape_last= __ape_ps=("$__ape_rc")
    __ape_running=
    \__ape_first_out
    \__ape_covered_off
    \__ape_collect
    builtin printf '%s\0' '' '' R "$__ape_st" 'done' "=$PWD" >&"$__ape_channel" || builtin exit 97
  fi
  \__ape_pipe_first
  \__ape_usual_bangs
  \__ape_hook
  [[ -n $__ape_unhooked ]] && \__ape_prompt
  # The user's DEBUG trap applies to PROMPT_COMMAND, as in any bash. This function sets the trap last, because the trap runs for every later
  # command.
  if [[ -n $__ape_debug ]]; then
    \__ape_wrap
    builtin trap -- "$__ape_wrapped" DEBUG
  fi
  __ape_aside=
}
