# Functions that all other parts call.

__ape_status() { builtin return "$1"; }
# Sets $? to the user's $?, and $_ to the argument of this function. Behind each call comes `&&` with the same call again, or with `\:`.
# The reason: `set -e` and a trap on ERR ignore a command that fails before the last `&&`. With `set -T` the user's DEBUG trap runs in
# this function too, but the trap ignores `\builtin`.
__ape_z() { \builtin return "$__ape_st"; }

# bash itself assigns `_` (after every command), SHELLOPTS and BASHOPTS. If a line made one of these variables an integer, bash would
# evaluate the assigned value. An error in this evaluation ends all running commands, PROMPT_COMMAND too. Then no prompt would ever
# come. If `_` were a reference (`declare -n _=RANDOM`), bash would assign typed text to the other variable. So five functions remove
# such attributes: __ape_quiet, __ape_save, __ape_prompt, __ape_plain_names, and __ape_fetch (a trap may run while a line is edited).
# The code is repeated in each of the five: if FUNCNEST is 1, they cannot call another function.
#
# __ape_quiet notes and turns off the options that would show our commands, or would run the user's traps for our commands. It also
# sets FUNCNEST aside. The user's DEBUG trap ignores `\builtin`, but not `builtin` without the backslash (__ape_wrap_from).
__ape_quiet() {
  [[ -R _ || ${_@a}${SHELLOPTS@a}${BASHOPTS@a} == *[iulcn]* ]] &&
    { builtin enable declare unset; builtin unset -n _; builtin declare -g +iulc _ SHELLOPTS BASHOPTS; } 2>&"$__ape_null"
  __ape_flags+=$-
  \builtin set +xvET || \__ape_repair
  [[ -z $__ape_holder ]] || builtin __ape_confine literal # before FUNCNEST is read
  if [[ -n ${FUNCNEST-} && ${FUNCNEST@a} != *r* ]]; then __ape_funcnest=$FUNCNEST FUNCNEST=; fi
}

# Reads into a variable the text that was written to the private file since the last read.  $1: the variable
# After a Ctrl-C the file may contain output of an earlier command, even of a command that the user typed. So a command whose output is
# evaluated later writes a NUL first, and only the text after the last NUL counts. Before a tick, __ape_prompt writes that NUL. If
# __ape_prompt did not run (__ape_blank is empty), the tick writes the NUL. If a line was running (__ape_running is set), no NUL is
# written: texts in the file are then still needed. The tick's `printf` uses as its format __ape_blank or __ape_running, whichever is
# set: that format prints nothing. If both variables are empty, the format prints the NUL.
__ape_read() {
  builtin printf -v "$1" ''
  for __ape_nul in 1 2 3 4 5 6 7 8; do # no endless loop: `builtin` may be a function that does nothing
    IFS= builtin read -r -d '' -u "$__ape_in" "$1" || builtin return 0
  done
  builtin printf -v "$1" ''
}

# A `read` for input that may take long. This function reads into REPLY: bash leaves the input for REPLY unchanged, but removes
# separators from the input for any other variable. bash looks the separators up in the value that IFS had when `read` began. bash frees
# that value if a trap, or a key of `bind -x`, calls a function or sets IFS meanwhile. Then bash may drop the last character of the input.
# $1: the variable  the rest: options of `read`
__ape_fetch() {
  builtin local REPLY
  builtin read -r "${@:2}"
  builtin set -- "$1" "$?"
  [[ -R _ || ${_@a}${SHELLOPTS@a}${BASHOPTS@a} == *[iulcn]* ]] &&
    { builtin enable declare unset; builtin unset -n _; builtin declare -g +iulc _ SHELLOPTS BASHOPTS; } 2>&"$__ape_null"
  builtin printf -v "$1" '%s' "$REPLY"
  builtin return "$2"
}

# Puts the lines of a text into __ape_lines. A loop over `<<<` would read its pipe byte by byte.  $1: the text
__ape_split() {
  builtin printf '%s' "$1" >&"$__ape_out"
  builtin mapfile -t -u "$__ape_in" __ape_lines
}

# Reports to the gate that this bash can no longer be gated, and exits. The gate shows the reason.  $1: the reason
__ape_die() {
  builtin printf '%s\0' '' '' Z "$1" >&"$__ape_channel"
  builtin exit 97
}
