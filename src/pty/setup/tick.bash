# A tick has come: restores the settings that the prompt set aside.

# Undoes __ape_prompt. Notes the user's DEBUG trap, and after a Ctrl-C also the disabled builtins, unless __ape_nest has noted both.
__ape_show() {
  if [[ -n $__ape_blank ]]; then
    if [[ ${HISTIGNORE@a} != *r* ]]; then
      if [[ -n $__ape_ignored ]]; then HISTIGNORE=$__ape_ignore; else builtin unset -v HISTIGNORE; fi
    fi
    [[ ${PS1@a} != *r* ]] && PS1=$__ape_ps1
    [[ ${PS2@a} != *r* ]] && PS2=$__ape_ps2
    [[ ${PS0@a} != *r* ]] && PS0=$__ape_ps0
  else
    \__ape_forget
  fi
  __ape_blank=
  ((${#__ape_commands[@]} > 0)) && \__ape_commands_back
  \__ape_ps0_back
  if [[ -n $__ape_running && -z $__ape_collected ]]; then
    \__ape_collect
  else
    __ape_read __ape_seen
    [[ -n $__ape_collected ]] || \__ape_note_debug # else __ape_nest has noted it
  fi
  __ape_collected=
}

# If the builtin is not loaded, bash expands history in a tick. Then histchars must have its usual characters, which are in no tick.
__ape_usual_bangs() {
  [[ ${histchars-'!^#'} != '!^#' || -R histchars ]] || builtin return 0
  [[ -n $__ape_holder ]] && builtin __ape_confine literal && builtin return 0
  [[ ${histchars@a} == *r* ]] && __ape_die 'histchars is read-only'
  builtin unset -n histchars
  builtin unset -v histchars
  builtin printf 'ape-shell: histchars is removed: without confine.so a gated shell needs the usual characters\n' >&2
}

# Restores PS0, unless the line or PROMPT_COMMAND has set it.
__ape_ps0_back() {
  [[ -n $__ape_kept_ps0 && -z ${PS0-} && ${PS0@a} != *r* ]] && PS0=$__ape_kept_ps0
  __ape_kept_ps0=
}

# Sets PS0 aside: after a Ctrl-C bash would print it for each tick.
__ape_ps0_aside() {
  [[ -n ${PS0-} && ${PS0@a} != *r* ]] || builtin return 0
  __ape_kept_ps0=$PS0 PS0=
}

# Reads the user's DEBUG trap and disabled builtins from the private file into __ape_debug and __ape_disabled. Enables the
# builtins that we need, until the user's next line. A Ctrl-C can end this function at any command; then it is called again. So the
# notes stay until __ape_start, and a builtin is enabled only after its name is in __ape_disabled (printf, read and
# return: after it is in the private file).
__ape_collect() {
  builtin unset -f builtin exec eval : # a function with the name `:` would call itself forever
  builtin enable -n >&"$__ape_out"
  builtin enable printf read return
  [[ -n $__ape_reading ]] && __ape_aside=1 # the call before was interrupted: it may have read the trap, but not noted it
  __ape_reading=1
  __ape_read __ape_seen
  \__ape_note_debug
  while [[ $__ape_rest == *'enable -n '* ]]; do
    __ape_rest=${__ape_rest#*'enable -n '}
    __ape_name=${__ape_rest%%$'\n'*}
    [[ $__ape_name == *[!a-z.:[]* || " $__ape_disabled " == *" $__ape_name "* ]] || __ape_disabled+=" $__ape_name"
  done
  builtin enable alias bind break compgen complete continue declare enable eval exec exit export fc hash history jobs kill local mapfile printf \
    read return set shift shopt trap unset [ ${__ape_holder:+"$__ape_holder"}
  __ape_reading=
}

# Copies the DEBUG trap from __ape_seen to __ape_debug, and the text behind the trap to __ape_rest. `trap -p` prints a trap in single
# quotes. This function removes the quotes without evaluating the text. After a Ctrl-C __ape_seen may have two DEBUG traps; the last
# trap counts.
__ape_note_debug() {
  __ape_rest=$__ape_seen __ape_body=
  while [[ $__ape_rest == *"trap -- '"* ]]; do
    __ape_rest=${__ape_rest#*"trap -- '"}
    __ape_name=${__ape_rest%%"'"*} __ape_rest=${__ape_rest#*"'"}
    while [[ $__ape_rest == "\\''"* ]]; do
      __ape_rest=${__ape_rest#"\\''"}
      __ape_name+="'"${__ape_rest%%"'"*} __ape_rest=${__ape_rest#*"'"}
    done
    [[ $__ape_rest == ' DEBUG'* ]] && __ape_body="=$__ape_name"
  done
  if [[ -z $__ape_body ]]; then
    [[ -n $__ape_aside ]] || __ape_debug=
    builtin return 0
  fi
  __ape_aside=1
  if [[ $__ape_body == ="$__ape_wrap_from"*[$' \n']"$__ape_wrap_to" ]]; then
    __ape_body="=${__ape_body#="$__ape_wrap_from"}"
    __ape_body=${__ape_body%?"$__ape_wrap_to"}
  fi
  __ape_debug=$__ape_body
}

# Sets __ape_wrapped to the user's DEBUG trap of __ape_debug, changed so that it ignores our own commands.
__ape_wrap() {
  __ape_wrapped=${__ape_debug#=}
  if [[ $__ape_wrapped == *[$'#\n']* || $__ape_wrapped == *'\' ]]; then __ape_wrapped+=$'\n'; else __ape_wrapped+=' '; fi
  __ape_wrapped=$__ape_wrap_from$__ape_wrapped$__ape_wrap_to
}
