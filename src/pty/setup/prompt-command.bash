# Before a tick: the last entry of PROMPT_COMMAND.

# If PROMPT_COMMAND cannot have our entry (__ape_unhooked), the preceding tick calls this function.
__ape_prompt() {
  [[ -z $__ape_holder ]] || builtin __ape_confine block 2>&"$__ape_null"
  # Between lines the user's FUNCNEST applies, and this function calls others.
  [[ -n ${FUNCNEST-} && ${FUNCNEST@a} != *r* ]] && __ape_funcnest=$FUNCNEST FUNCNEST=
  [[ -R _ || ${_@a}${SHELLOPTS@a}${BASHOPTS@a} == *[iulcn]* ]] &&
    { builtin enable declare unset; builtin unset -n _; builtin declare -g +iulc _ SHELLOPTS BASHOPTS; } 2>&"$__ape_null"
  builtin local -
  builtin set +euxvkaf
  builtin unset -f exec eval
  \__ape_sound # first: with a damaged variable of ours, __ape_prompt would fail again before every tick
  [[ -t 0 ]] && exec 0<&"$__ape_tick" # bash itself must not read the terminal
  if [[ -z $__ape_blank ]]; then
    [[ -n $__ape_running ]] || builtin printf '\0' >&"$__ape_out"
    # Saves all values in one command, before the commands below empty them. Otherwise, after a Ctrl-C in between, this function could
    # save an empty prompt.
    __ape_ignore=${HISTIGNORE-} __ape_ignored=${HISTIGNORE+x} __ape_ps1=${PS1-} __ape_ps2=${PS2-} __ape_ps0=${PS0-} __ape_blank=%.0s
  fi
  [[ ${HISTIGNORE@a} != *r* ]] && HISTIGNORE='*' # keeps the tick out of the history
  [[ ${PS1@a} != *r* ]] && PS1=
  [[ ${PS2@a} != *r* ]] && PS2=
  [[ ${PS0@a} != *r* ]] && PS0=
  builtin return 0
}

# Called when the tick opens a nested reader: at the start, and after a Ctrl-C, which may have interrupted the user's line.
__ape_nest() {
  if [[ -n $__ape_running || -z $__ape_started ]]; then
    __ape_note_mode "$__ape_set"
    \__ape_collect
    __ape_collected=1
  fi
  if [[ -z $__ape_started ]]; then
    builtin printf "\r" >&2 # bash has shown the prompt, because it reads without its line editor
    \__ape_start_up
  fi
  \__ape_forget
  __ape_strewn=1
  \__ape_commands_aside
}

# Called after the start-up files. If a Ctrl-C ends a start-up file, the rest of the set-up text does not run; then the first tick calls
# this function.
__ape_start_up() {
  __ape_started=1
  \__ape_block
  [[ -z $__ape_holder ]] || builtin __ape_confine literal # for the first tick
  for __ape_name in "${__ape_later[@]}"; do
    [[ -v ${__ape_name%%=*} ]] || builtin export "$__ape_name" || \:
  done
  { builtin printf '\0'; builtin declare -f command_not_found_handle || \:; } >&"$__ape_out" 2>&"$__ape_null"
  __ape_read __ape_unfound
  \__ape_usual_bangs
  \__ape_hook
  [[ -n $__ape_unhooked ]] && \__ape_prompt
  builtin return 0
}

# Removes ticks from the end of the history. bash puts a tick into the history if our entry of PROMPT_COMMAND did not run before that
# tick. After several Ctrl-Cs the history may have several ticks and parts of ticks.
__ape_forget() {
  [[ -z $__ape_blank && -o history ]] || builtin return 0
  for __ape_i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
    { builtin printf '\0'; builtin history 1; } >&"$__ape_out"
    __ape_read __ape_body
    [[ $__ape_body == *'{ { __ape_st=$?'* || $__ape_body == *'\__ape_z "$__ape_last";}'* || $__ape_body == *'\__ape_z&&\:;}'* ]] || builtin return 0
    __ape_body=${__ape_body#"${__ape_body%%[![:space:]]*}"}
    builtin history -d "${__ape_body%%[![:digit:]]*}" # bash 5.1 rejects -1 if the history has only one entry
  done
}

# Makes a read-only PROMPT_COMMAND writable for us, until __ape_lock. A read-only PROMPT_COMMAND stays so, and this function fails, in two
# cases: a line is confined, or the builtin is not loaded.
__ape_unlock() {
  [[ ${PROMPT_COMMAND@a} == *r* ]] || builtin return 0
  [[ -n $__ape_holder ]] && builtin __ape_confine unlock && __ape_locked=1
}

__ape_lock() {
  [[ -z $__ape_locked ]] || builtin readonly PROMPT_COMMAND
  __ape_locked=
}

# Empties PROMPT_COMMAND for the next tick, which follows at once. The user's PROMPT_COMMAND must not run a second time.
__ape_commands_aside() {
  builtin local -
  builtin set +u
  if [[ -n $__ape_unhooked ]]; then \__ape_prompt; builtin return 0; fi
  [[ -n $__ape_blank && ${#PROMPT_COMMAND[@]} != 0 ]] && \__ape_unlock || builtin return 0
  __ape_commands=()
  for __ape_i in "${!PROMPT_COMMAND[@]}"; do __ape_commands[__ape_i]=${PROMPT_COMMAND[__ape_i]}; done
  PROMPT_COMMAND=()
  \__ape_lock
}

__ape_commands_back() {
  \__ape_unlock || builtin return 0
  for __ape_i in "${!__ape_commands[@]}"; do PROMPT_COMMAND[__ape_i]=${__ape_commands[__ape_i]}; done
  \__ape_lock
  __ape_commands=()
}

# Puts our entry into PROMPT_COMMAND behind all others. Our entry has index 900, which most lines do not use. If a line has appended an
# entry (`+=`), the other entries get new indices.
__ape_hook() {
  builtin local -
  builtin set +u
  __ape_unhooked=
  if [[ ${PROMPT_COMMAND@a} == *A* ]]; then __ape_unhooked=1; builtin return 0; fi # bash runs nothing of an associative array
  for __ape_i in "${!PROMPT_COMMAND[@]}"; do \:; done
  [[ ${__ape_i-} == 900 && ${PROMPT_COMMAND[900]-} == "$__ape_entry" ]] && builtin return 0
  \__ape_unlock || { __ape_unhooked=1; builtin return 0; }
  __ape_lines=()
  for __ape_i in "${!PROMPT_COMMAND[@]}"; do
    [[ ${PROMPT_COMMAND[__ape_i]} == "$__ape_entry" ]] || __ape_lines+=("${PROMPT_COMMAND[__ape_i]}")
  done
  PROMPT_COMMAND=("${__ape_lines[@]}" [900]="$__ape_entry")
  \__ape_lock
}

# The first entry of the user's PROMPT_COMMAND must see the line's PIPESTATUS. Only a pipeline can give PIPESTATUS more than one
# value, so this function puts a pipeline in front of that entry.
__ape_pipe_first() {
  ((${#__ape_ps[@]} > 1)) || builtin return 0
  \__ape_find_first
  [[ $__ape_i != 900 ]] && \__ape_unlock || builtin return 0
  \__ape_make_piped
  __ape_first=${PROMPT_COMMAND[__ape_i]}
  PROMPT_COMMAND[__ape_i]=$'\\__ape_first_back\n'$__ape_piped$'\n'$__ape_first
  \__ape_lock
}

__ape_first_back() {
  \__ape_find_first
  [[ ${PROMPT_COMMAND[__ape_i]} == *"$__ape_piped"$'\n'"$__ape_first" ]] && \__ape_unlock && PROMPT_COMMAND[__ape_i]=$__ape_first
  \__ape_lock
}

# Makes a pipeline that sets the user's PIPESTATUS. A pipeline that fails gets `&& \:` behind it: `set -e` and a trap on ERR ignore
# a command that is not the last of its list.
__ape_make_piped() {
  builtin printf -v __ape_piped '(\\builtin exit %s)|' "${__ape_ps[@]}"
  __ape_piped=${__ape_piped%|}
  [[ -o pipefail || ${__ape_ps[-1]} != 0 ]] && __ape_piped+=' && \:'
  builtin return 0
}
