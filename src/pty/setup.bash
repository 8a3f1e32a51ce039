# ape-shell: the set-up text of the gated bash.                                      needs bash 5.1 or newer
#
# bash never reads a command from the terminal. The standard input of bash is a private socket that carries only ticks. A tick is this
# constant line:
#
#     { { __ape_st=$? __ape_set+='"'\':$SHELLOPTS:;\builtin set +o emacs +o vi;\__ape_quiet;} 2>&"$__ape_null";\eval "$_A_";
#     \builtin set +o emacs +o vi;\__ape_z "$__ape_last"&&\__ape_z "$__ape_last";}
#
# The `eval` of the tick runs the user's line on bash's own top level. So job control, Ctrl-C, Ctrl-Z, $?, exit, exec, traps and
# aliases work as in any bash. The tick edits a line with `read -e` on the terminal. The tick asks the gate about the line on a second
# private socket, the channel, and evaluates only a line that the gate allows. channel-frames.ts describes the format of the channel.
#
# How bash reads its ticks matters:
# - bash never reads a tick with its line editor. Otherwise the rest of a key macro would become a command, and so would a macro that is
#   bound to a letter of the tick. `set +o emacs +o vi` on the top level makes bash read plain bytes. (A bash that reads plain bytes
#   runs PROMPT_COMMAND only while line editing is off. So the tick turns line editing off again after its eval.)
# - The line editor must still be somewhere on bash's stack of inputs; otherwise `set -o vi` inside an eval crashes bash 5.2. So the
#   first tick, and the first tick after a Ctrl-C, only opens a nested reader (`__ape_nest` in _A_). The descriptor __ape_mark is open
#   only in that reader.
# - After a Ctrl-C in the middle of an array assignment, bash fails to leave one level of its stack: it goes on with the input
#   of the outermost eval. bash must read plain bytes there too. Otherwise the line editor would read the ticks and wait forever.
#   So the nested reader has one more level of eval.
# - `set +o emacs` inside an eval makes bash read commands from standard input at once. While a line runs, standard input is the
#   terminal. But bash first uses up its input buffer of 1,024 bytes. A tick is always left in the buffer, because the gate sends ticks
#   in blocks that fill the buffer. The last two ticks of a block are shorter: they edit no line, and evaluate _B_ instead of _A_. Each
#   tick sets standard input to the socket again.
# - After a Ctrl-C bash is on its real top level, where it expands history in the tick. If `histchars` named a character of the
#   tick, an entry of the history would become a part of the tick. So the tick calls __ape_quiet, which turns this expansion off with
#   the builtin __ape_confine. (Without this builtin, __ape_usual_bangs removes such a `histchars`.)
# - A Ctrl-C makes bash drop the part of a tick that bash has read. So bash blocks SIGINT (__ape_block) from the end of a line until it
#   waits for the next line, also while PROMPT_COMMAND runs.
#
# This text does not protect this bash from an approved line. This text keeps keys, pastes, program output, typed-ahead text and key
# bindings from becoming commands. The gate itself runs in another process.
#
# A call of one word begins with a backslash (`\__ape_words`). Otherwise a bash with auto_resume set would resume a stopped job instead.
# Every name of ours starts with __ape_, except _A_ and _B_. The user's changes (aliases, functions, IFS, set -e, set -u, disabled
# builtins) must have no effect on this text. So this text calls each builtin through `builtin`, and options are local to each function.
# Only `exec` is called directly: through `builtin` its redirections would not persist.

if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 501)); then
  builtin printf 'ape-shell: %s is version %s, which cannot be gated; install bash 5.1 or newer and set `[shell] bash` in config.toml to it\n' \
    "$BASH" "$BASH_VERSION" >&2
  builtin exit 78
fi

# --- the private descriptors ------------------------------------------------------------------------------------------
# pty-leader passes the socket of the ticks as 0, the channel as 3, the terminal as 4, and the private file as 5 and 6. Child processes
# must not inherit these descriptors, but bash has no command to set close-on-exec. If a redirection closes a descriptor for a group,
# bash saves a copy of the descriptor. The saved copy is close-on-exec, and so is each copy made from it. The saved copy is number 10:
# bash looks for a free number from 10 on, and above 6 only bash's own copy of the terminal (255) is open. Our seven numbers begin at
# 241, or at 51 if the limit of open files is low. The user's lines hardly ever open such high numbers.
builtin ulimit -n >&6
builtin read -r __ape_n <&5
if [[ $__ape_n != unlimited ]] && ((__ape_n < 256)); then __ape_n=51; else __ape_n=241; fi
# __ape_mark is open only inside the nested reader, and is the lowest of our numbers. While a redirection such as `<&$__ape_tty` is in
# force, bash keeps a copy of the replaced descriptor under a number above $__ape_tty. That copy must not get the number of __ape_mark.
builtin declare -r __ape_mark=$((__ape_n)) __ape_tick=$((__ape_n + 1)) __ape_channel=$((__ape_n + 2)) \
  __ape_tty=$((__ape_n + 3)) __ape_in=$((__ape_n + 4)) __ape_out=$((__ape_n + 5)) __ape_null=$((__ape_n + 6))
builtin unset __ape_n
{ builtin eval "exec $__ape_tick<&10"; } <&- || builtin exit 97
{ builtin eval "exec $__ape_channel<&10"; } 3<&- || builtin exit 97
{ builtin eval "exec $__ape_tty<&10"; } 4<&- || builtin exit 97
{ builtin eval "exec $__ape_in<&10"; } 5<&- || builtin exit 97
{ builtin eval "exec $__ape_out<&10"; } 6<&- || builtin exit 97
exec 3<>/dev/null
{ builtin eval "exec $__ape_null<&10"; } 3<&- || builtin exit 97
exec 3<&- 4<&- 5<&- 6<&-

# The two values for the standard error of __ape_after. If `$-` contains `x`, standard error is /dev/null: `set -x` must not show our
# commands. Otherwise standard error stays descriptor 2: bash 5.3 reports jobs there.
builtin declare -r __ape_to_=2 __ape_to_x=$__ape_null

# --- values that the gate passed in the environment --------------------------------------------------------------------
if builtin shopt -q login_shell; then
  # A login shell reads the file that ENV names (this text) only in POSIX mode, so the gate started this bash in that mode.
  builtin set +o posix
  builtin unset -v ENV
  [[ -n ${APE_SETUP_HISTFILE+x} ]] || HISTFILE=~/.bash_history
fi
builtin read -r -a __ape_names <<<"$APE_SETUP_NAMES"

# The builtin that confines the processes of a line (bin/confine-builtin.c). A bash that cannot load this builtin runs no confined line.
if [[ -n ${APE_SETUP_CONFINE-} ]] && builtin enable -f "$APE_SETUP_CONFINE" __ape_confine 2>&"$__ape_null" &&
  builtin __ape_confine off 2>&"$__ape_null"; then
  builtin declare -r __ape_holder=__ape_confine
  __ape_dot=("$__ape_holder" source)
else
  builtin declare -r __ape_holder=
  __ape_dot=(.)
fi
builtin mapfile -t __ape_covered <<<"$APE_SETUP_COVERED"
builtin readonly __ape_covered
builtin unset -v APE_SETUP_NAMES APE_SETUP_COVERED APE_SETUP_HISTFILE APE_SETUP_CONFINE
# The variables of APE_SETUP_LATER_ name code. A program that a start-up file starts would load or run that code before the gate is
# asked. So __ape_start_up sets the variables after the start-up files, except those that a start-up file has set.
__ape_later=()
for __ape_name in "${!APE_SETUP_LATER_@}"; do
  __ape_later+=("${__ape_name#APE_SETUP_LATER_}=${!__ape_name}")
  builtin unset -v "$__ape_name"
done

# --- state ------------------------------------------------------------------------------------------------------------
# Every variable of ours is global, starts with __ape_, and always exists. So one test (__ape_sound) shows whether a line has given
# such a variable an attribute with which bash would evaluate, change or refuse an assigned value.
# "Set" below means: not empty.
__ape_started=      # set once __ape_start_up has begun: the start-up files are done
__ape_st=0          # $? as the user sees it
__ape_set=          # SHELLOPTS at each tick since the line began. The last value is not enough: after a first Ctrl-C our code has
                    # turned line editing off
__ape_last=         # $_ as the user sees it
__ape_ps=(0)        # PIPESTATUS as the user sees it
__ape_flags=        # the user's $-, if x, v, E or T was on
__ape_options=      # SHELLOPTS of the user
__ape_running=      # set while an approved text is evaluated; its value is a format that prints nothing
__ape_saved=        # set if the approved text came to its end
__ape_text=         # the text that the tick evaluates
__ape_debug=        # `=` and the text of the user's DEBUG trap; empty if the user has no such trap
__ape_aside=        # set while the user's DEBUG trap is only in __ape_debug, and bash itself has no DEBUG trap
__ape_trapped=      # the user's traps except DEBUG, before the line was edited
__ape_interrupt=    # the user's INT trap, set aside while the user edits a line and the gate decides about it
__ape_disabled=     # builtins that the user disabled; __ape_collect fills this variable and __ape_debug
__ape_blank=        # set while PS0, PS1, PS2 and HISTIGNORE are set aside for the tick; a format as in __ape_running
__ape_ps1= __ape_ps2= __ape_ps0= # the values of PS1, PS2 and PS0
__ape_kept_ps0=     # PS0, set aside while a line is edited or runs
__ape_ignore= __ape_ignored= # the value of HISTIGNORE, and whether it was set
__ape_mode=emacs    # the user's editing mode; bash itself has no editing mode while it reads ticks
__ape_editing=1     # whether the user has line editing on
__ape_commands=()   # PROMPT_COMMAND, set aside when a tick edits no line
__ape_locked=       # set while the user's read-only PROMPT_COMMAND is writable for us
__ape_unhooked=     # set if PROMPT_COMMAND cannot have our entry: it stays read-only, or is an associative array
__ape_reading=      # set while __ape_collect reads the private file
__ape_collected=    # set when __ape_nest has called __ape_collect for an interrupted line
__ape_strewn=       # set by __ape_nest: after Ctrl-Cs the history may contain ticks
__ape_bangs=        # set while history expansion is off for a line with `fc`
__ape_leaving=      # set when the previous line was `exit`, `logout` or `jobs`
__ape_eof=0         # how often Ctrl-D was ignored
__ape_keys=         # our bindings of `bind -x` after our last change
__ape_key_commands=() # the commands of the user's keys of `bind -x`, each run by `__ape_key INDEX`
__ape_begun=        # set by __ape_begin_keys, at the first prompt
__ape_tabbed=       # `POINT LINE` after the last TAB, if that TAB changed nothing
__ape_completion=${BASH_SOURCE[0]%/*}/completion.bash
__ape_uncover=        # commands that restore the variables of __ape_covered
__ape_facts=()      # the entries on which the meaning of the line depends: variables, aliases, functions, …
__ape_sent=()       # the directory and all entries that were sent with the line
__ape_was=()        # __ape_sent as it was before a trap may have run
__ape_chain=        # the words that __ape_meanings_in_alias has looked up
__ape_names_asked=() # the names that the gate asked about
__ape_lines=()      # the lines of a text; __ape_split makes them
__ape_ifs=          # IFS of the user: IFS=VALUE, or nothing when it is unset
__ape_expansions=   # has one of three values. A newline: __ape_note_names may note which variables are set. A text that begins with a
                    # blank: the expansions of the noted variables. Empty: __ape_look looks the variables up after Enter
__ape_asked=        # set once the gate was asked about a line
__ape_shopts=       # options of `shopt` that are off while our own functions run, and on for the user
__ape_exporting=    # set while the user's `set -a` is off for our own functions
__ape_funcnest=     # the user's FUNCNEST, set aside while our own functions run
__ape_turn=0        # the number of this prompt
__ape_token=        # the word with which the gate's answers to this prompt's line begin
__ape_typed=        # the text that the user has typed so far
__ape_more=         # a newline while a continuation line is read
__ape_late=         # set when TMOUT has passed
__ape_shown=        # the prompt
__ape_e=-e          # the option with which `read` edits the line, or nothing
__ape_enter_key=    # the delimiter of the `read` for the line
__ape_piped=        # commands that set PIPESTATUS again
# Used in one function, or passed from one to the next:
__ape_rc=0 __ape_probe= __ape_line= __ape_frame= __ape_seen= __ape_rest= __ape_name= __ape_i=0 __ape_before= __ape_behind=
__ape_whole= __ape_body= __ape_all= __ape_word= __ape_known= __ape_exported= __ape_fact= __ape_folder= __ape_expanded=
__ape_command= __ape_wrapped= __ape_first= __ape_nul= __ape_byte= __ape_most=0
__ape_made=         # the text that the tick will evaluate, once the line is confined
__ape_own=()        # the variables that bash itself expands, as they were before a confined line
__ape_now=()        # the same variables, as they are now
__ape_held=         # the token of the line whose processes are confined
# For the keys:
__ape_map= __ape_round=0 __ape_key_round=0 __ape_key_name= __ape_key_line= __ape_key_list= __ape_key_text= __ape_key_known= __ape_key_command= __ape_instead=

# --- small things -----------------------------------------------------------------------------------------------------
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
# written: texts in the file are then still needed. The tick takes __ape_blank or __ape_running as the format of its `printf`. A value
# of these variables is a format that prints nothing.
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

# --- our own functions begin and end ------------------------------------------------------------------------------------
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

# --- before a tick: the last entry of PROMPT_COMMAND ------------------------------------------------------------------
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

# Called after the start-up files. If a Ctrl-C ends a start-up file, the rest of setup.bash does not run; then the first tick calls this
# function.
__ape_start_up() {
  __ape_started=1
  \__ape_block
  [[ -z $__ape_holder ]] || builtin __ape_confine literal # for the first tick
  for __ape_name in "${__ape_later[@]}"; do
    [[ -v ${__ape_name%%=*} ]] || builtin export "$__ape_name" || \:
  done
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

# --- a tick has come --------------------------------------------------------------------------------------------------
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
# notes stay until __ape_start, and a builtin is enabled only after its name was noted.
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

# --- the line ---------------------------------------------------------------------------------------------------------
# Edits a line and asks the gate. Sets __ape_text to the text that the tick will evaluate.
__ape_edit() {
  [[ -n $__ape_editing ]] && builtin set -o "$__ape_mode"
  __ape_ifs=${IFS+"IFS=$IFS"}
  __ape_options=$SHELLOPTS
  builtin local -
  builtin set +eufk
  builtin local IFS=$' \t\n'
  \__ape_sound
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
  # After a Ctrl-C, __ape_undo sets the DEBUG trap again, but only with the builtin. Without the builtin, bash does not block SIGINT. More
  # Ctrl-Cs could then come before our code sets the trap aside again. The trap would be lost.
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
  \__ape_words
  \__ape_note_sent
  for __ape_name in "${__ape_names_asked[@]}"; do
    __ape_meanings_of "$__ape_name"
    __ape_sent+=("${__ape_facts[@]}")
  done
  # Counts the entries that are the same: a `break` or `continue` of the trap could skip the code for an entry that differs.
  __ape_whole=
  for ((__ape_i = 0; __ape_i < ${#__ape_was[@]} || __ape_i < ${#__ape_sent[@]}; __ape_i++)); do
    [[ ${__ape_was[__ape_i]-} == "${__ape_sent[__ape_i]-}" ]] && __ape_whole+=x && builtin continue
    [[ ${__ape_was[__ape_i]-} == *=* && ${__ape_sent[__ape_i]-} == "${__ape_was[__ape_i]%%=*}="* ]] || builtin continue
    case ${__ape_was[__ape_i]} in
      _=* | RANDOM=* | SRANDOM=* | SECONDS=* | EPOCH*=* | BASHPID=* | BASH_COMMAND=* | LINENO=* | HISTCMD=*) __ape_whole+=x ;;
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

# Sets the variables of __ape_covered for one line (src/core/covered-variables.ts). If a variable cannot be set, the line does not run.
__ape_covered_on() {
  for __ape_word in "${__ape_covered[@]}"; do
    __ape_name=${__ape_word%%=*}
    # If the variable has an attribute (integer, array, reference), bash would evaluate the assigned value, or not export the variable.
    if [[ -R $__ape_name || ${!__ape_name@a} == *[!x]* ]]; then
      \__ape_covered_off
      \__ape_no_covered
      builtin return 1
    fi
    if [[ -z ${!__ape_name+x} ]]; then
      builtin unset -v "$__ape_name" 2>&"$__ape_null" # a variable without a value may have an attribute
      __ape_uncover+="\\builtin unset -v $__ape_name"$'\n'
    else
      __ape_uncover+="$__ape_name=${!__ape_name@Q}"$'\n'
      [[ ${!__ape_name@a} == *x* ]] || __ape_uncover+="\\builtin export -n $__ape_name"$'\n'
    fi
    builtin export "$__ape_word" 2>&"$__ape_null" && [[ ${!__ape_name} == "${__ape_word#*=}" ]] && builtin continue
    \__ape_covered_off
    \__ape_no_covered
    builtin return 1
  done
}

__ape_no_covered() {
  builtin printf 'ape-shell: %s cannot be set here, and a line that only a scope covers needs it; nothing ran\n' "$__ape_name" >&2
}

__ape_covered_off() {
  [[ -n $__ape_uncover ]] && builtin eval "$__ape_uncover" 2>&"$__ape_null"
  __ape_uncover=
  builtin return 0
}

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
  # preceding command is ours. So if an `exit` follows such a line, our text begins with `jobs`.
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
  # - `fc` assumes that the last entry of the history is the line that calls `fc`. So if a line calls `fc`, bash's own parser puts each
  #   line into the history. The parser would put $__ape_after there too.
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

# --- after the line ---------------------------------------------------------------------------------------------------
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

# --- variables and meanings to which the line is bound -----------------------------------------------------------------
# Makes the function __ape_look, which puts variables into __ape_facts. One assignment `${NAME+"NAME=$NAME"} …` with all of __ape_names
# takes a tenth of the time of a loop. The variables of __ape_names matter whether they are exported or not. Other variables matter only
# to child processes. So __ape_look adds all exported variables, and the gate keeps those that matter for the line. While a line is
# edited, IFS and SHELLOPTS have values of ours, so __ape_look adds the noted values of the user. SHELLOPTS matters because of options such
# as `set -k`, with which every word `NAME=VALUE` is an assignment.
__ape_make_bound() {
  __ape_body='${__ape_ifs:+"$__ape_ifs"} "SHELLOPTS=$__ape_options" ' __ape_all=
  for __ape_name in "${__ape_names[@]}"; do
    __ape_all+=" || -R $__ape_name"
    [[ $__ape_name == IFS || $__ape_name == SHELLOPTS ]] || __ape_body+="\${$__ape_name+\"$__ape_name=\$$__ape_name\"} "
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
  __ape_facts=(${__ape_ifs:+"$__ape_ifs"} "SHELLOPTS=$__ape_options")
  for __ape_name in "${__ape_names[@]}"; do
    if [[ -R $__ape_name ]]; then
      \__ape_look_reference
    elif [[ $__ape_name != IFS && $__ape_name != SHELLOPTS ]]; then
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

# Notes which variables are set, before the prompt is shown, while no person waits. After Enter only the values of these variables are
# read. The notes are valid only if no code of the user's can run in between. So no trap may be set, and the line must not be a
# continuation line. (Keys run their commands in a fork.) Does nothing before the first line, because the first prompt must appear soon.
__ape_note_names() {
  [[ -n $__ape_expansions && -n $__ape_asked ]] || { __ape_expansions=; builtin return 0; }
  \__ape_look
  __ape_expansions=
  __ape_known=' ${__ape_ifs:+"$__ape_ifs"} "SHELLOPTS=$__ape_options" '
  for __ape_fact in "${__ape_facts[@]}"; do
    __ape_name=${__ape_fact%%=*}
    [[ $__ape_name == IFS || $__ape_name == SHELLOPTS || $__ape_known == *" \"$__ape_name="* ]] && builtin continue
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

# Adds all variables as one entry, in the form of `declare -p`. Leaves out our own variables, and variables that bash itself changes.
# Otherwise __ape_still would take a change by bash, while the line waits, for a change by a trap.
__ape_all_variables() {
  builtin local -
  builtin set -f
  builtin local IFS=$' \t\n'
  builtin compgen -v >&"$__ape_out" 2>&"$__ape_null"
  builtin mapfile -t -u "$__ape_in" __ape_lines
  __ape_all=
  for __ape_word in "${__ape_lines[@]}"; do
    case $__ape_word in
      BASH_REMATCH) __ape_all+=" $__ape_word" ;; # holds text that an earlier line has matched
      __ape_* | _ | _A_ | _B_ | IFS | RANDOM | SRANDOM | SECONDS | EPOCH* | BASHPID | BASH_* | FUNCNAME | LINENO | HISTCMD | PIPESTATUS) ;;
      *) __ape_all+=" $__ape_word" ;;
    esac
  done
  builtin declare -p -- $__ape_all >&"$__ape_out" 2>&"$__ape_null"
  __ape_read __ape_body
  __ape_facts+=("all variables=$__ape_body")
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
  builtin set -- $__ape_all
  for __ape_word in "$@"; do
    [[ $__ape_chain == *" $__ape_word "* ]] && builtin continue
    __ape_chain+="$__ape_word "
    __ape_meaning "$__ape_word"
  done
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

# --- keys -------------------------------------------------------------------------------------------------------------
# Commands of the line editor that evaluate nothing and start nothing. A key may call only these commands. __ape_free_keys removes every
# other command from its keys, also a new command of a later bash. __ape_stand_in names the replacement of a command, if there is one.
__ape_harmless=" abort accept-line alias-expand-line arrow-key-prefix backward-byte backward-char backward-delete-char \
backward-kill-line backward-kill-word backward-word beginning-of-history beginning-of-line bracketed-paste-begin \
call-last-kbd-macro capitalize-word character-search character-search-backward clear-display clear-screen \
copy-backward-word copy-forward-word copy-region-as-kill delete-char delete-horizontal-space digit-argument \
display-shell-version do-lowercase-version downcase-word dump-functions dump-macros dump-variables emacs-editing-mode \
end-kbd-macro end-of-history end-of-line exchange-point-and-mark fetch-history forward-backward-delete-char forward-byte \
forward-char forward-search-history forward-word history-and-alias-expand-line history-expand-line history-search-backward \
history-search-forward history-substring-search-backward history-substring-search-forward insert-comment \
insert-last-argument kill-line kill-region kill-whole-line kill-word magic-space next-history next-screen-line \
non-incremental-forward-search-history non-incremental-forward-search-history-again non-incremental-reverse-search-history \
non-incremental-reverse-search-history-again operate-and-get-next overwrite-mode paste-from-clipboard previous-history \
previous-screen-line print-last-kbd-macro quoted-insert redraw-current-line reverse-search-history revert-line self-insert \
set-mark shell-backward-kill-word shell-backward-word shell-forward-word shell-kill-word shell-transpose-words \
skip-csi-sequence start-kbd-macro tab-insert tilde-expand transpose-chars transpose-words tty-status undo \
universal-argument unix-filename-rubout unix-line-discard unix-word-rubout upcase-word vi-append-eol vi-append-mode \
vi-arg-digit vi-bWord vi-back-to-indent vi-backward-bigword vi-backward-word vi-bword vi-change-case vi-change-char \
vi-change-to vi-char-search vi-column vi-delete vi-delete-to vi-eWord vi-editing-mode vi-end-bigword vi-end-word \
vi-eof-maybe vi-eword vi-fWord vi-fetch-history vi-first-print vi-forward-bigword vi-forward-word vi-fword vi-goto-mark \
vi-insert-beg vi-insertion-mode vi-match vi-movement-mode vi-next-word vi-overstrike vi-overstrike-delete vi-prev-word \
vi-put vi-redo vi-replace vi-rubout vi-search vi-search-again vi-set-mark vi-subst vi-tilde-expand vi-undo \
vi-unix-word-rubout vi-yank-arg vi-yank-pop vi-yank-to yank yank-last-arg yank-nth-arg yank-pop "

# Sets __ape_instead to our replacement for a command of the line editor, or to nothing.  $1: the command
__ape_stand_in() {
  case $1 in
    complete | menu-complete | menu-complete-backward | old-menu-complete) __ape_instead='__ape_tab complete any' ;;
    possible-completions) __ape_instead='__ape_tab list any' ;;
    insert-completions) __ape_instead='__ape_tab insert any' ;;
    complete-into-braces) __ape_instead='__ape_tab braces file' ;;
    complete-filename) __ape_instead='__ape_tab complete file' ;;
    possible-filename-completions) __ape_instead='__ape_tab list file' ;;
    complete-command) __ape_instead='__ape_tab complete command' ;;
    possible-command-completions) __ape_instead='__ape_tab list command' ;;
    complete-variable) __ape_instead='__ape_tab complete variable' ;;
    possible-variable-completions) __ape_instead='__ape_tab list variable' ;;
    complete-username) __ape_instead='__ape_tab complete user' ;;
    possible-username-completions) __ape_instead='__ape_tab list user' ;;
    complete-hostname) __ape_instead='__ape_tab complete host' ;;
    possible-hostname-completions) __ape_instead='__ape_tab list host' ;;
    glob-complete-word | glob-list-expansions) __ape_instead='__ape_tab list pattern' ;;
    glob-expand-word) __ape_instead='__ape_tab insert pattern' ;;
    shell-expand-line) __ape_instead='__ape_key expand' ;;
    *) __ape_instead= ;;
  esac
}

# Called before each line. Fails if a key is left that would run a program: then the line is read without editing.
__ape_keys_only() {
  builtin enable bind # a Ctrl-C may have left it off
  [[ -n $__ape_begun ]] || \__ape_begin_keys
  \__ape_plain_line || builtin return 1
  for __ape_round in 1 2 3 4; do
    { \__ape_has_commands || \__ape_has_programs; } || builtin return 0
    for __ape_map in emacs vi-insert vi-command; do __ape_free_keys "$__ape_map"; done
    \__ape_know_keys
  done
  builtin printf 'ape-shell: a key that starts programs stays bound; lines are read without editing until you remove it (bind -r)\n' >&2
  builtin return 1
}

# Notes the bindings of `bind -x` that are ours. A binding of the user's that could not be removed is not noted, so __ape_has_programs
# finds it.
__ape_know_keys() {
  __ape_key_known=
  \__ape_keys_now
  __ape_split "$__ape_key_text"
  for __ape_key_line in "${__ape_lines[@]}"; do
    [[ $__ape_key_line != \"* || $__ape_key_line =~ $__ape_our_key ]] && __ape_key_known+=$__ape_key_line$'\n'
  done
  __ape_keys=$__ape_key_known
}

# Unsets the variables into which bash puts the line before a key runs a command. If such a variable were an integer, bash would evaluate
# the line. Fails if such a variable is read-only.
__ape_plain_line() {
  for __ape_key_name in READLINE_LINE READLINE_POINT READLINE_MARK READLINE_ARGUMENT; do
    builtin unset -n "$__ape_key_name"
    builtin unset -v "$__ape_key_name"
    builtin declare -p "$__ape_key_name" || builtin continue
    builtin printf 'ape-shell: %s is read-only, so lines are read without editing; start a new shell\n' "$__ape_key_name" >&"$__ape_tty"
    builtin return 1
  done >&"$__ape_null" 2>&"$__ape_null"
  builtin return 0
}

# Whether a key calls a command that is not harmless.
__ape_has_commands() {
  for __ape_map in emacs vi-insert vi-command; do
    for __ape_key_name in "${__ape_denied[@]}"; do
      builtin bind -m "$__ape_map" -q "$__ape_key_name" && builtin return 0
    done
  done >&"$__ape_null" 2>&"$__ape_null"
  builtin return 1
}

# Whether the bindings of `bind -x` differ from the noted ones.
__ape_has_programs() {
  \__ape_keys_now
  [[ $__ape_key_text != "$__ape_keys" ]]
}

# Puts the bindings of `bind -x` in all keymaps into __ape_key_text.
__ape_keys_now() {
  for __ape_map in emacs vi-insert vi-command; do
    builtin printf '%s\n' "$__ape_map"
    builtin bind -m "$__ape_map" -X
  done >&"$__ape_out" 2>&"$__ape_null"
  __ape_read __ape_key_text
}

# At the first prompt: notes the commands that no key may call, and binds three keys unless a start-up file has bound them.
__ape_begin_keys() {
  builtin bind -l >&"$__ape_out"
  __ape_read __ape_key_text
  builtin local -A __ape_may
  for __ape_key_name in $__ape_harmless; do __ape_may[$__ape_key_name]=1; done
  __ape_denied=()
  for __ape_key_name in $__ape_key_text; do [[ -n ${__ape_may[$__ape_key_name]-} ]] || __ape_denied+=("$__ape_key_name"); done
  builtin readonly __ape_denied
  __ape_begun=1
  # In vi's command mode `\`, `*` and `=` call a command of bash that has no name.
  builtin bind -m vi-command -p >&"$__ape_out"
  builtin bind -m vi-command -s >&"$__ape_out"
  builtin bind -m vi-command -X >&"$__ape_out"
  __ape_read __ape_key_text
  [[ $__ape_key_text == *'"\\":'* ]] || builtin bind -m vi-command -x '"\\": __ape_tab complete pattern'
  [[ $__ape_key_text == *'"*":'* ]] || builtin bind -m vi-command -x '"*": __ape_tab insert pattern'
  [[ $__ape_key_text == *'"=":'* ]] || builtin bind -m vi-command -x '"=": __ape_tab list pattern'
  builtin return 0
} 2>&"$__ape_null" # `bind` warns while line editing is off

# Removes all commands that are not harmless from the keys of a keymap. Binds each key of `bind -x` to __ape_key, which runs the user's
# command confined.  $1: the keymap
__ape_free_keys() {
  builtin bind -m "$1" -X >&"$__ape_out"
  builtin mapfile -t -u "$__ape_in" __ape_lines
  for __ape_key_line in "${__ape_lines[@]}"; do
    [[ $__ape_key_line == \"* && ! $__ape_key_line =~ $__ape_our_key ]] || builtin continue
    [[ $__ape_key_line =~ ^\"(([^\"\\]|\\.)*)\":?\ \"(.*)\"$ ]] || builtin continue
    __ape_key_name=${BASH_REMATCH[1]}
    __ape_read_command "${BASH_REMATCH[3]}"
    \__ape_note_command
    builtin bind -m "$1" -r "$__ape_key_name"
    builtin bind -m "$1" -x "\"$__ape_key_name\": __ape_key $__ape_i"
  done
  for __ape_key_name in "${__ape_denied[@]}"; do
    __ape_key_round=0
    # `bind -q` prints five keys at a time: NAME can be invoked via "KEY", "KEY", "KEY", "KEY", "KEY"...
    while ((__ape_key_round++ < 64)) && builtin bind -m "$1" -q "$__ape_key_name" >&"$__ape_null"; do
      builtin bind -m "$1" -q "$__ape_key_name" >&"$__ape_out"
      __ape_read __ape_key_list
      __ape_key_list=\"${__ape_key_list#*\"}
      while [[ $__ape_key_list =~ ^\"(([^\"\\]|\\.)*)\"(,\ |\.) ]]; do
        __ape_key_list=${__ape_key_list:${#BASH_REMATCH[0]}}
        __ape_free_key "$1" "$__ape_key_name" "${BASH_REMATCH[1]}"
      done
    done
  done
} 2>&"$__ape_null"

# Decodes the command of a key into __ape_key_command.  $1: the command as `bind -X` prints it: `\"` for `"`, `\C-x`, `\M-x` for a byte
# above 127 and so on
__ape_read_command() {
  builtin local LC_ALL=C
  __ape_key_text=$1 __ape_key_command=
  while [[ -n $__ape_key_text ]]; do
    [[ $__ape_key_text =~ ^((\\M-)?(\\C-.|\\.|[^\\])) ]] || builtin break
    __ape_key_text=${__ape_key_text:${#BASH_REMATCH[0]}}
    __ape_plain_byte "${BASH_REMATCH[3]}" "${BASH_REMATCH[2]}"
  done
}

# Decodes one character and appends it to __ape_key_command.  $1: a character, or its escape sequence  $2: not empty if its eighth bit
# is set too
__ape_plain_byte() {
  case $1 in
    '\C-?') __ape_byte=127 ;;
    '\C-'*) builtin printf -v __ape_byte '%d' "'${1#??-}"; __ape_byte=$((__ape_byte & 31)) ;;
    '\e') __ape_byte=27 ;;
    '\a') __ape_byte=7 ;;
    '\b') __ape_byte=8 ;;
    '\d') __ape_byte=127 ;;
    '\f') __ape_byte=12 ;;
    '\n') __ape_byte=10 ;;
    '\r') __ape_byte=13 ;;
    '\t') __ape_byte=9 ;;
    '\v') __ape_byte=11 ;;
    *) builtin printf -v __ape_byte '%d' "'${1#"\\"}" ;;
  esac
  [[ -n $2 ]] && __ape_byte=$((__ape_byte | 128))
  builtin printf -v __ape_byte '\\x%02x' $((__ape_byte & 255))
  builtin printf -v __ape_byte '%b' "$__ape_byte"
  __ape_key_command+=$__ape_byte
}

# Sets __ape_i to the index of __ape_key_command in __ape_key_commands. Each command has only one entry, because a PROMPT_COMMAND may
# bind the same command again before every prompt.
__ape_note_command() {
  for ((__ape_i = 0; __ape_i < ${#__ape_key_commands[@]}; __ape_i++)); do
    [[ ${__ape_key_commands[__ape_i]} == "$__ape_key_command" ]] && builtin return 0
  done
  __ape_key_commands+=("$__ape_key_command")
}

# Removes a command from a key, and binds the replacement, if the command has one.  $1: the keymap  $2: the command that the key calls
# $3: the key, as bash prints it
__ape_free_key() {
  # In the C locale bash prints ESC as `\M-`. bash cannot read `\M-` back when no character follows.
  __ape_key_text=${3//'\M-'/'\e'}
  # bash prints `\000` after a key sequence that is also the beginning of a longer sequence.
  [[ $__ape_key_text == *'\000' ]] && builtin bind -m "$1" -r "${__ape_key_text%'\000'}"
  builtin bind -m "$1" -r "$__ape_key_text"
  __ape_stand_in "$2"
  if [[ -n $__ape_instead && $__ape_key_text != *'\000' ]]; then builtin bind -m "$1" -x "\"$__ape_key_text\": $__ape_instead"
  elif [[ $2 == delete-char-or-list ]]; then builtin bind -m "$1" "\"$__ape_key_text\": delete-char"
  fi
}

# --- TAB --------------------------------------------------------------------------------------------------------------
# Runs for a key that completes or lists. A fork without the private descriptors does the work (completion.bash) and prints the new text
# of the line. An approved line can make a variable an integer, and bash evaluates each text that is assigned to an integer. So the
# only variable of ours that gets the text is __ape_tabbed, which is unset first.
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

# Makes __ape_sound, which ends this bash if a line has unset a variable of ours, or has given the variable an attribute. With an
# attribute, an assignment might evaluate typed text, or always fail. __ape_tabbed may be unset: a Ctrl-C in the middle of a TAB leaves it
# unset.
__ape_make_sound() {
  __ape_all= __ape_before= __ape_behind= __ape_known=
  for __ape_name in "${!__ape_@}"; do
    case $__ape_name in
      __ape_ps | __ape_commands | __ape_facts | __ape_lines | __ape_names | __ape_later | __ape_key_commands | __ape_dot | __ape_tabbed | __ape_own | __ape_now | __ape_sent | __ape_was | __ape_names_asked)
        __ape_before+="\${$__ape_name@a}"
        ;;
      *)
        [[ ${!__ape_name@a} == *r* ]] && builtin continue
        __ape_all+="\${$__ape_name+s}\${$__ape_name@a}"
        __ape_known+=s
        ;;
    esac
    __ape_behind+=" || -R $__ape_name"
  done
  # With `set -a` bash may export variables that our functions set.
  builtin eval "__ape_sound() {
    builtin set -- \"$__ape_all\" \"$__ape_before\"
    if [[ \${1//x/} != $__ape_known || \${2//x/} == *[!a]* $__ape_behind ]]; then \__ape_unsound; fi
    if [[ \$1\$2 == *x* ]]; then builtin export -n \"\${!__ape_@}\"; fi
  }"
}

__ape_unsound() {
  __ape_die 'a line changed a variable of the gate (__ape_...)'
}

# A pattern for a key of ours, as `bind -X` prints it.
builtin printf -v __ape_our_key '%s' '"(:)? "__ape_(tab [a-z]+ [a-z]+|key ([0-9]+|expand))"$'
# The last entry of PROMPT_COMMAND. If an earlier entry has set a DEBUG trap, that trap runs for one command of ours. The output of
# that command is no terminal, so hooks of other projects can see that the command is not the user's.
builtin printf -v __ape_entry '{ \\__ape_prompt; \\builtin trap -p DEBUG >&%d; \\builtin trap - DEBUG; } >&%d 2>&%d' \
  "$__ape_out" "$__ape_null" "$__ape_null"
# The text with which the first entry of PROMPT_COMMAND begins (__ape_first_in). The last list of this text sets $? for the entry. A command
# that may fail is never the last of its list, so `set -e` and a trap on ERR ignore the failure.
__ape_undo=$'\\__ape_interrupted "$?"&&(\\builtin kill -INT $$;\\builtin exit "$__ape_rc")&&\\:\n\\__ape_status "$__ape_rc"&&\\:\n'
builtin printf -v __ape_after '\n{ \\__ape_save "$?" "$_" "${PIPESTATUS[@]}"; \\builtin trap -p DEBUG >&%d; \\builtin trap - DEBUG; } >&%d 2>&"$((__ape_to_${-//[!x]/}))"' \
  "$__ape_out" "$__ape_null"
# The text around the user's DEBUG trap, with which the trap ignores our own commands. The text is one line without single quotes, because
# bash-preexec and starship parse the output of `trap -p` with sed and cut.
__ape_wrap_from='case $BASH_COMMAND in \\__ape_*|__ape_*|"\builtin "*|"\eval \"\$_"*) ;; *) '
__ape_wrap_to=';; esac'
# Removes aliases of reserved words at the beginning of each tick. bash expands such an alias also in the texts below, where a reserved
# word cannot be quoted. The alias would run with every line, and the line would not show the alias. The removal is a line of its own:
# bash runs a line before it parses the next line. Because of the `||`, no ERR trap runs, and `set -e` does not end bash.
builtin printf -v __ape_plain_words '%s' "\\builtin unalias -- '!' case coproc do done elif else esac fi for function if in select " \
  "then time until while '{' '}' '[[' ']]' 2>&$__ape_null||\\builtin :"$'\n'
# The text that a tick evaluates. It restores standard input. If a nested reader is open, the user edits a line, and the line
# runs. Otherwise the text opens a nested reader.
# A trap of the user's can call `return`, and so end any function of ours at any command. So __ape_text is emptied outside of functions.
# Otherwise the text of the previous line could run once more, without its confinement.
builtin printf -v _A_ '%s' "$__ape_plain_words" \
  "{ \\builtin printf \"\${__ape_blank:-\${__ape_running:-\\\\0}}\" >&$__ape_out; \\builtin trap -p DEBUG >&$__ape_out; \\builtin trap - DEBUG; [[ -t 0 ]]; } >&$__ape_null 2>&$__ape_null && \\exec 0<&$__ape_tick; " \
  "if { \\builtin :; } 2>&$__ape_null <&$__ape_mark; then " \
  'if \__ape_enter; __ape_text=; \__ape_edit; \__ape_leave "$__ape_last"; then \eval -- "$__ape_text"; else \eval -- "$__ape_text"; fi ' "<&$__ape_tty; " \
  '{ \__ape_enter "$?"; '"\\__ape_quiet 2>&$__ape_null; "'} 2>&"$((__ape_to_${-//[!x]/}))"; ' \
  '\__ape_end; \__ape_leave || \__ape_status 0; ' \
  'else \__ape_nest; \builtin set +o emacs +o vi; ' \
  "\\eval '\\builtin set -o \"\$__ape_mode\";\\eval \"\\builtin set +o emacs +o vi;\\__ape_z&&\\:\"' $__ape_mark<&$__ape_null; fi"
# The text that the last two ticks of a block evaluate: it asks the gate for the next block.
builtin printf -v _B_ '%s' "$__ape_plain_words" "[[ -t 0 ]] && \\exec 0<&$__ape_tick; \\__ape_forget; \\__ape_commands_aside; \\builtin printf '\\0\\0T\\0' >&$__ape_channel; \\:"
builtin readonly _A_ _B_ __ape_our_key __ape_after __ape_entry __ape_undo __ape_plain_words __ape_wrap_from __ape_wrap_to __ape_harmless __ape_completion
\__ape_make_sound
builtin compgen -A function __ape_ >&"$__ape_out"
__ape_read __ape_body
builtin readonly -f $__ape_body

# --- the user's own start-up files ------------------------------------------------------------------------------------
# Until here the gate keeps all keys back, because a Ctrl-C would end this text. From here on a Ctrl-C ends only a start-up file.
\__ape_block
builtin printf '\0\0U\0' >&"$__ape_channel"
# In a start-up file `set -e` and a trap on ERR must work, but a file with a status other than 0 must not end this bash. `!` meets both
# needs. PIPESTATUS keeps the status.
if builtin shopt -q login_shell; then
  if [[ -r /etc/profile ]]; then ! builtin "${__ape_dot[@]}" /etc/profile <&"$__ape_tty"; fi
  if [[ -r ~/.bash_profile ]]; then
    ! builtin "${__ape_dot[@]}" ~/.bash_profile <&"$__ape_tty"
  elif [[ -r ~/.bash_login ]]; then
    ! builtin "${__ape_dot[@]}" ~/.bash_login <&"$__ape_tty"
  elif [[ -r ~/.profile ]]; then
    ! builtin "${__ape_dot[@]}" ~/.profile <&"$__ape_tty"
  fi
elif [[ -r ~/.bashrc ]]; then
  ! builtin "${__ape_dot[@]}" ~/.bashrc <&"$__ape_tty"
fi
{ __ape_st=${PIPESTATUS[0]}; \__ape_quiet; \builtin printf '\0' >&"$__ape_out" || \__ape_repair; \builtin trap -p DEBUG >&"$__ape_out"; \builtin trap - DEBUG; } >&"$__ape_null" 2>&"$__ape_null"
if [[ $- == *a* ]]; then
  builtin set +a
  builtin export -n "${!__ape_@}"
  __ape_exporting=1
fi
\__ape_collect || \:
\__ape_start_up
__ape_note_mode "$SHELLOPTS"
if [[ -n $__ape_debug ]]; then
  \__ape_wrap
  builtin trap -- "$__ape_wrapped" DEBUG
fi
__ape_aside=
\builtin set +o emacs +o vi # from here on bash itself reads plain bytes
\__ape_z && \__ape_z
