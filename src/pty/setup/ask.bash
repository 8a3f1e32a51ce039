# The user edits a line, and the gate decides about it.

# Edits a line and asks the gate. Sets __ape_text to the text that the tick will evaluate.  $@: the user's positional parameters
__ape_edit() {
  [[ -n $__ape_editing ]] && builtin set -o "$__ape_mode"
  __ape_ifs=${IFS+"IFS=$IFS"}
  # Options that are off while our functions run, and on for the user.
  __ape_options=$SHELLOPTS${__ape_exporting:+:allexport}
  [[ $__ape_flags != *E* ]] || __ape_options+=:errtrace
  [[ $__ape_flags != *T* ]] || __ape_options+=:functrace
  builtin local -
  builtin set +eufk
  builtin local IFS=$' \t\n'
  \__ape_sound
  __ape_arguments=${*@Q}
  \__ape_show
  \__ape_covered_off # after a Ctrl-C the variables may still be changed
  __ape_text=
  if [[ -n $__ape_running ]]; then
    \__ape_free # Ctrl-C ended the line
    __ape_running= __ape_last= __ape_ps=("$__ape_st")
    builtin printf '%s\0' '' '' R "$__ape_st" interrupted "=$PWD" >&"$__ape_channel"
  fi
  # __ape_forget writes to the private file. After a Ctrl-C __ape_show reads texts from that file, so __ape_show comes first.
  [[ -n $__ape_strewn ]] && \__ape_forget
  __ape_strewn=
  # If Ctrl-C ended the editing, the first entry of PROMPT_COMMAND has already restored and run the INT trap. A PROMPT_COMMAND that stays
  # read-only has no such entry. Then the next command restores and runs the INT trap.
  \__ape_give_back_interrupt && builtin kill -INT $$
  \__ape_set_interrupt_aside
  # After a Ctrl-C, __ape_undo restores the DEBUG trap, but only with the builtin. Without the builtin, bash does not block SIGINT. A
  # second Ctrl-C could then come before our code has set the restored trap aside, and the trap would be lost.
  [[ -n $__ape_debug && -n $__ape_holder ]] && \__ape_first_in
  \__ape_discard_interrupt
  __ape_turn=$((__ape_turn + 1)) __ape_token=
  builtin printf '%s\0' '' '' E "$__ape_st" "$__ape_turn" >&"$__ape_channel" || builtin exit 97
  \__ape_ps0_aside
  \__ape_ask_line
  \__ape_give_back_interrupt
  [[ -n $__ape_debug && -n $__ape_holder && ($__ape_held != "$__ape_token" || -z $__ape_text) ]] && \__ape_first_out
  [[ -n $__ape_text ]] || \__ape_ps0_back
  builtin return 0
}

# Notes the traps in __ape_trapped, and sets the user's INT trap aside while a line is edited. Without the trap, Ctrl-C ends the editing
# or the wait for the gate. Then the first entry of PROMPT_COMMAND restores the INT trap and runs it. If the trap itself ended the editing,
# bash would leave its line editor, but not remove the editor's signal handlers. Every later Ctrl-C would do nothing.
__ape_set_interrupt_aside() {
  { builtin printf '\0'; builtin trap -p; } >&"$__ape_out"
  __ape_read __ape_interrupt
  __ape_expansions= __ape_trapped=$__ape_interrupt
  if [[ -z $__ape_interrupt ]]; then __ape_expansions=$'\n'; builtin return 0; fi
  { builtin printf '\0'; builtin trap -p INT; } >&"$__ape_out"
  __ape_read __ape_interrupt
  [[ $__ape_interrupt == "trap -- '' "* || $__ape_interrupt == 'trap -- - '* ]] && __ape_interrupt=
  [[ -n $__ape_interrupt ]] || builtin return 0
  \__ape_run_traps
  \__ape_first_in
  [[ -n $__ape_holder ]] && builtin __ape_confine untrap || builtin trap - INT
}

# Runs the traps of the blocked signals that have come. This is a separate function, because a trap can end it with `return`.
__ape_run_traps() {
  \__ape_unblock
  \__ape_block
}

# Handles a Ctrl-C that came after the line, or while PROMPT_COMMAND ran. As in any bash, the next prompt comes, and $? is 130.
__ape_discard_interrupt() {
  [[ -n $__ape_holder ]] || builtin return 0
  builtin __ape_confine discard && builtin return 0
  builtin printf '\n' >&2
  __ape_st=130 __ape_last= __ape_ps=(130)
}

# Restores the user's INT trap. Fails if the trap was not set aside.
__ape_give_back_interrupt() {
  [[ -n $__ape_interrupt ]] || builtin return 1
  builtin eval "\\builtin $__ape_interrupt"
  __ape_interrupt=
  \__ape_first_out
}

# Reads a line, and further lines at PS2 until the text is complete. Expands history, and asks the gate.
__ape_ask_line() {
  __ape_typed= __ape_more= __ape_late=
  while \:; do
    if [[ -z $__ape_more ]]; then
      \__ape_unblock
      __ape_status "$__ape_st" # for `$?` in PS1
      __ape_shown=${PS1@P}
      \__ape_block
      \__ape_note_names
    else
      \__ape_unblock
      __ape_shown=${PS2@P} __ape_expansions=
      \__ape_block
    fi
    if \__ape_keys_only && [[ -n $__ape_editing ]]; then __ape_e=-e __ape_enter_key=$'\r'; else __ape_e= __ape_enter_key=$'\n'; fi
    builtin enable -n bind # a trap may run while the line is edited
    # The delimiter is CR, which the Enter key of a real terminal sends. With another delimiter, `read -e` would insert that CR.
    __ape_line= # a trap of the user's can end __ape_fetch
    \__ape_unblock
    __ape_fetch __ape_line $__ape_e -d "$__ape_enter_key" -p "$__ape_shown"
    __ape_rc=$?
    \__ape_block
    builtin enable bind
    if ((__ape_rc != 0)); then
      \__ape_no_line || builtin return 0
    fi
    __ape_typed+=$__ape_more$__ape_line
    [[ $__ape_typed == *[![:space:]]* ]] || { __ape_eof=0; builtin return 0; }
    if [[ $- == *H* && ($__ape_typed == *'!'* || $__ape_typed == '^'*) ]]; then
      \__ape_bang || builtin return 0
    fi
    __ape_frame=
    \__ape_ask
    # Tests the frame, not the status of __ape_ask: a trap of the user's can end __ape_ask with status 0 before the answer has
    # come. If this loop went on, the late answer would count for the longer text.
    [[ $__ape_frame == C ]] || builtin return 0
    __ape_more=$'\n'
  done
}

# Called if Ctrl-D, TMOUT or a signal came instead of a line. Sets __ape_line to `exit`, or fails if no line is to run. Compares the
# values of variables as texts, because bash evaluates a value that it compares as a number.
__ape_no_line() {
  if ((__ape_rc > 128)); then
    ((__ape_rc == 142)) || builtin return 1 # 142: SIGALRM, with which bash measures TMOUT; in posix mode a trap ends `read` too
    [[ ${TMOUT-} =~ ^0*[1-9][0-9]*$ ]] || builtin return 1
    builtin printf '\atimed out waiting for input: auto-logout\n' >&2
    __ape_line=exit __ape_late=1
    builtin return 0
  fi
  if [[ -n $__ape_more ]]; then
    builtin printf '%s: syntax error: unexpected end of file\n' "$0" >&2
    __ape_st=2
    builtin return 1
  fi
  if [[ -n ${IGNOREEOF+x} ]]; then
    __ape_most=10 # bash's own default
    [[ $IGNOREEOF =~ ^[0-9]{1,9}$ ]] && __ape_most=$((10#$IGNOREEOF))
    if ((__ape_eof++ < __ape_most)); then
      builtin printf 'Use "exit" to leave the shell.\n' >&2
      builtin return 1
    fi
  fi
  __ape_line=exit
}

# Expands history in the line, and shows the expanded text. The gate decides about that text. Fails if the expansion fails or leaves
# only blanks.
__ape_bang() {
  # In a subshell, because `history -p` removes the last entry of the history if the preceding line was added to the history.
  (builtin printf '\0'; builtin history -p -- "$__ape_typed") >&"$__ape_out" || { __ape_read __ape_expanded; __ape_st=1; builtin return 1; }
  __ape_read __ape_expanded
  __ape_expanded=${__ape_expanded%$'\n'}
  [[ $__ape_expanded == "$__ape_typed" ]] && builtin return 0
  __ape_typed=$__ape_expanded
  builtin printf '%s\n' "$__ape_typed" >&2
  # `!#` may expand to nothing. The gate must not get an empty line: no field of a frame may be empty.
  [[ $__ape_typed == *[![:space:]]* ]]
}

# Reads the gate's next frame into __ape_frame. Does not use `read`, for two reasons: `read` ends when TMOUT has passed, and a trap of
# the user's can set REPLY.
__ape_answer() {
  [[ -z $__ape_holder ]] || builtin __ape_confine interruptible 2>&"$__ape_null"
  builtin mapfile -d '' -n 1 -t -u "$__ape_channel" __ape_lines
  \__ape_block
  ((${#__ape_lines[@]} == 1)) || builtin exit 97
  __ape_frame=${__ape_lines[0]}
}

# Waits for the token that the gate sends for each prompt. __ape_ask sends the line with this token. An answer counts only if it begins
# with this token.
__ape_fetch_token() {
  while [[ -z $__ape_token ]]; do
    \__ape_answer
    [[ $__ape_frame == "$__ape_turn K "* ]] && __ape_token=${__ape_frame##* }
  done
}

# Asks the gate about __ape_typed and obeys the answer. If the line needs more input, __ape_frame is `C` afterwards. channel-frames.ts
# lists the answers.
__ape_ask() {
  \__ape_fetch_token
  \__ape_bound
  \__ape_words
  [[ -n $__ape_trapped ]] && \__ape_note_sent
  __ape_names_asked=()
  builtin printf '%s\0' '' '' L "$__ape_token" "=$PWD" "$__ape_typed" "${__ape_facts[@]}" "$__ape_token" \
    >&"$__ape_channel" || builtin exit 97
  __ape_asked=1 __ape_frame= # empty: a trap of the user's can call `break`, and then an old frame must not count as the answer
  while \:; do
    \__ape_answer
    [[ $__ape_frame == "$__ape_token "* ]] || builtin continue
    __ape_frame=${__ape_frame#* }
    [[ $__ape_frame == 'Q '* ]] || builtin break
    __ape_send_meanings "${__ape_frame#Q }"
    __ape_sent+=("${__ape_facts[@]}") __ape_names_asked+=("${__ape_frame#Q }")
  done
  if [[ -n $__ape_trapped && $__ape_frame != [CSN]* ]]; then
    __ape_probe=
    \__ape_run_traps # runs the traps of the signals that came while the line waited
    \__ape_still
    # Tests the variable, not the status of __ape_still: a trap can end that function.
    [[ $__ape_probe == still ]] || { \__ape_remember; __ape_st=77 __ape_ps=(77) __ape_frame=N; }
  fi
  case $__ape_frame in
    N) ;;
    C) ;;
    'S '*) \__ape_remember; __ape_st=${__ape_frame#S } __ape_ps=("${__ape_frame#S }") ;;
    # A denied line does not enter the history: `fc` could run the line, and the history file would keep it.
    'N '*) __ape_eof=0 __ape_st=${__ape_frame#N } __ape_ps=("${__ape_frame#N }") ;;
    X) __ape_prepare "$__ape_typed" '' ;;
    P) if \__ape_covered_on; then __ape_prepare "$__ape_typed" ''; else \__ape_remember; __ape_st=77 __ape_ps=(77); fi ;;
    'p '*) if \__ape_covered_on; then __ape_prepare "$__ape_typed" "${__ape_frame#p }"; else \__ape_remember; __ape_st=77 __ape_ps=(77); fi ;;
    'q '*) if \__ape_covered_on; then __ape_prepare $'(\n'"$__ape_typed"$'\n)' "${__ape_frame#q }"; else \__ape_remember; __ape_st=77 __ape_ps=(77); fi ;;
    'Y '*) __ape_prepare "${__ape_frame#Y }" '' ;;
    'x '*) __ape_prepare "$__ape_typed" "${__ape_frame#x }" ;;
    'y '*) __ape_frame=${__ape_frame#y } && __ape_prepare "${__ape_frame#* }" "${__ape_frame%% *}" ;;
    *) builtin exit 97 ;;
  esac
  builtin return 0
}

# Notes in __ape_sent the real directory, the value of PWD and the entries for the line. A read-only PWD may differ from the real directory.
__ape_note_sent() {
  builtin pwd -P >&"$__ape_out" 2>&"$__ape_null"
  __ape_read __ape_body
  __ape_sent=("$__ape_body" "$PWD" "${__ape_facts[@]}")
}

# A trap of the user's can run while the line waits. Sets __ape_probe=still if no trap changed the directory or any entry that was sent
# with the line. Variables that bash itself changes do not count.
__ape_still() {
  __ape_was=("${__ape_sent[@]}")
  \__ape_look
  \__ape_note_references
  \__ape_note_character_set
  \__ape_note_stack
  \__ape_note_parameters
  \__ape_words
  \__ape_note_sent
  for __ape_name in "${__ape_names_asked[@]}"; do
    __ape_meanings_of "$__ape_name"
    __ape_sent+=("${__ape_facts[@]}")
  done
  # Counts the equal entries instead of searching for a different one: a `break` or `continue` of the trap could skip the different one.
  __ape_whole=
  for ((__ape_i = 0; __ape_i < ${#__ape_was[@]} || __ape_i < ${#__ape_sent[@]}; __ape_i++)); do
    [[ ${__ape_was[__ape_i]-} == "${__ape_sent[__ape_i]-}" ]] && __ape_whole+=x && builtin continue
    [[ ${__ape_was[__ape_i]-} == *=* && ${__ape_sent[__ape_i]-} == "${__ape_was[__ape_i]%%=*}="* ]] || builtin continue
    case ${__ape_was[__ape_i]} in
      _=* | RANDOM=* | SRANDOM=* | SECONDS=* | EPOCHSECONDS=* | EPOCHREALTIME=* | BASHPID=* | BASH_COMMAND=* | LINENO=* | HISTCMD=*) __ape_whole+=x ;;
    esac
  done
  if ((${#__ape_whole} == ${#__ape_was[@]} && ${#__ape_whole} == ${#__ape_sent[@]})); then
    __ape_probe=still
  else
    builtin printf 'ape-shell: a trap changed the directory, or what the line means, while the line waited; nothing ran\n' >&2
  fi
  builtin return 0
}

# Sends the meanings of the names for which the gate has asked. __ape_words misses these names: only a parser of bash finds them in the
# line ($'\x63at').  $1: one name on each line; `*` means all aliases and functions, `$` all variables
__ape_send_meanings() {
  __ape_meanings_of "$1"
  builtin printf '%s\0' '' '' M "$__ape_token" "${__ape_facts[@]}" "$__ape_token" >&"$__ape_channel" || builtin exit 97
}

# Puts the meanings of names into __ape_facts.  $1: as for __ape_send_meanings
__ape_meanings_of() {
  __ape_facts=() __ape_chain=' '
  __ape_split "$1"
  for __ape_line in "${__ape_lines[@]}"; do
    # With a `=` in the name, `alias NAME` would define an alias, and no builtin looks up a function with such a name.
    if [[ $__ape_line == '$' ]]; then
      \__ape_all_variables
    elif [[ $__ape_line == '*' || $__ape_line == *=* ]]; then
      \__ape_meanings_of_all
    else
      __ape_meaning "$__ape_line"
    fi
  done
}
