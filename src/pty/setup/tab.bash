# Keys that complete, and keys of `bind -x`: a confined fork does their work.

# Runs for a key that completes or lists. A fork without the private descriptors does the work (completion.bash) and prints the new text
# of the line. An approved line can make a variable an integer, and bash evaluates each text that is assigned to an integer. So the
# only variable of ours that gets a text of the line is __ape_tabbed, which is unset first.
# $1, $2: as in completion.bash
__ape_tab() {
  builtin local -
  { builtin set +euvxf; } 2>&"$__ape_null"
  builtin set -- "$(__ape_complete "$1" "$2")"
  \__ape_report_key_end
  builtin unset -n __ape_tabbed
  builtin unset -v __ape_tabbed 2>&"$__ape_null" || builtin return 0
  __ape_tabbed=
  if [[ $1 == = ]]; then
    __ape_tabbed="$READLINE_POINT $READLINE_LINE"
  elif [[ $1 == [0123456789]*:*. ]]; then
    builtin set -- "${1%%:*}" "${1#*:}"
    READLINE_LINE=${2%.} READLINE_POINT=$1
  fi
  builtin return 0
}

# Reports to the gate that the program of a key has ended: a Ctrl-C that this program read as a character must not end the line.
__ape_report_key_end() {
  builtin printf '%s\0' '' '' B >&"$__ape_channel" 2>&"$__ape_null"
}

__ape_complete() {
  builtin shopt -u expand_aliases
  builtin unset -f exec || builtin exit 1
  builtin eval "exec $__ape_mark<&- $__ape_tick<&- $__ape_channel<&- $__ape_in<&- $__ape_out<&-"
  { builtin : >&"$__ape_channel"; } 2>&"$__ape_null" && builtin exit 1
  builtin . "$__ape_completion" "$1" "$2" "${__ape_tabbed-}" "${__ape_shown-}"
}

# Runs for a key of `bind -x`. The key's command runs in a fork, after the kernel has confined the fork. This bash takes only the new line,
# the cursor, the mark and the status from the fork.  $1: the command's index in __ape_key_commands, or `expand`. `expand` replaces a line
# that is only `NAME` in backquotes by the output of the function NAME. (fzf types such a line for M-c. Expanding any other line would run
# typed text.)
__ape_key() {
  builtin local -
  { builtin set +euvxf; } 2>&"$__ape_null"
  builtin set -- "$(__ape_run_key "$1")"
  \__ape_report_key_end
  [[ $1 =~ ^([0-9]+):([0-9]*):([0-9]*):(.*)\.$ ]] || builtin return 0
  READLINE_LINE=${BASH_REMATCH[4]} READLINE_POINT=${BASH_REMATCH[2]} # without a number the cursor is at the end
  [[ -n ${BASH_REMATCH[3]} && -n ${READLINE_MARK+x} ]] && READLINE_MARK=${BASH_REMATCH[3]}
  builtin return "${BASH_REMATCH[1]}"
}

# Runs in the fork, which has the terminal, but no other open file of the main bash. The main bash treats the fork's output as text.
__ape_run_key() {
  builtin shopt -u expand_aliases
  builtin unset -f exec || builtin exit 1
  __ape_key_text=
  if [[ $1 != expand ]]; then __ape_key_text=${__ape_key_commands[$1]-}
  elif [[ $READLINE_LINE =~ ^[[:space:]]*\`([A-Za-z_][A-Za-z0-9_-]*)\`[[:space:]]*$ ]] && builtin declare -F -- "${BASH_REMATCH[1]}" >&2; then
    __ape_key_text="builtin set -f; __ape_lines=(\$(${BASH_REMATCH[1]})); READLINE_LINE=\${__ape_lines[*]} READLINE_POINT="
  fi 2>&"$__ape_null"
  [[ -n $__ape_key_text ]] || builtin exit 1
  exec 3>&1 >&"$__ape_tty" || builtin exit 1
  builtin printf -v __ape_all '%s>&- ' {4..255}
  builtin eval "exec $__ape_all"
  { builtin : >&"$__ape_channel"; } 2>/dev/null && builtin exit 1
  if [[ -z ${__ape_holder-} ]] || ! builtin __ape_confine enter keys terminal 2>/dev/null; then
    builtin printf 'ape-shell: this key runs a program, and here it cannot be confined; nothing ran\n'
    builtin exit 1
  fi
  builtin enable bind
  builtin set --
  { builtin eval -- "$__ape_key_text"; } 3>&-
  builtin set -- "$?" "$READLINE_POINT" "$READLINE_MARK" "$READLINE_LINE"
  [[ $2 == *[!0-9]* ]] && builtin set -- "$1" '' "$3" "$4"
  [[ $3 == *[!0-9]* ]] && builtin set -- "$1" "$2" '' "$4"
  builtin printf '%s:%s:%s:%s.' "$@" >&3
}
