# ape-shell: the set-up text of the gated bash.                                      needs bash 5.1 or newer
#
# bash never reads a command from the terminal. Its standard input is a private socket that only ever carries one constant
# line, the tick:
#
#     __ape_st=$? __ape_set=$SHELLOPTS;\builtin set +o emacs +o vi;\eval "$_A_";\builtin set +o emacs +o vi;\__ape_z&&:
#
# so bash's own top level runs what the user typed, and job control, Ctrl-C, Ctrl-Z, $?, exit, exec, traps and aliases are
# bash's own. The tick edits a line with `read -e` on the terminal, asks the gate on a second private socket, the channel,
# and evaluates the line only when the gate says so. The language of the channel is told in channel-frames.ts.
#
# How bash reads its ticks matters:
# - never with its line editor: what a key macro typed beyond its line, or a key bound to a letter of the tick, would become
#   a command. `set +o emacs +o vi` on the top level makes it read plain bytes. (It also runs PROMPT_COMMAND only while
#   line editing is off, if it reads so: hence the second one.)
# - but with the line editor somewhere on its stack of inputs: otherwise `set -o vi` inside an eval crashes bash 5.2. So the
#   first tick, and the first one after a Ctrl-C, only opens a nested reader (`__ape_nest` in _A_), marked by a descriptor.
# - a Ctrl-C in the middle of an array assignment makes bash forget to leave one level of its stack: it then goes on with the
#   input of the first eval above its top level. That must be a reader of plain bytes too, or the line editor would read the
#   ticks, and wait for ever: so the nested reader lies one level deeper than it had to.
# - `set +o emacs` inside an eval makes bash read commands from standard input, then and there. Standard input is the
#   terminal while a line runs. But bash first takes the ticks it has in its own buffer, and there is always one: they come
#   in blocks that fill that buffer (1,024 bytes) and whose last tick edits no line. A tick puts standard input right again.
#
# Nothing here keeps anybody from wrecking this bash; what an approved line does is done. It keeps keys, pastes, program
# output, typed-ahead text and key bindings from becoming commands. The gate is another process.
#
# Every name starts with __ape_. Whatever the user may have changed (aliases, functions, IFS, set -e, set -u, disabled
# builtins) must not matter: builtins are called through `builtin` (but `exec`, whose redirections would not stay), options are local to each function.

if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 501)); then
  builtin printf 'ape-shell: %s is version %s, which cannot be gated; install bash 5.1 or newer and set `[shell] bash` in config.toml to it\n' \
    "$BASH" "$BASH_VERSION" >&2
  builtin exit 78
fi

# --- the private descriptors ------------------------------------------------------------------------------------------
# The leader gave us 0 tick, 3 channel, 4 terminal, 5 and 6 the private file. Children must never see them. bash has no way
# to set close-on-exec, but the copy it keeps while a descriptor is closed for a group is close-on-exec, and a copy of such
# a copy is so too. That copy is number 10: nothing else is open yet above 6 but bash's own copy of the terminal.
builtin ulimit -n >&6
builtin read -r __ape_n <&5
if [[ $__ape_n != unlimited ]] && ((__ape_n < 256)); then __ape_n=51; else __ape_n=241; fi
# The mark is the lowest: bash keeps what a redirection covers above the number it copies, and must not make a mark so.
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

# Where standard error goes right after a line, by what `$-` has of `x`: `set -x` must not show what is ours, and bash 5.3
# tells of jobs there.
builtin declare -r __ape_to_=2 __ape_to_x=$__ape_null

# --- what the gate told us through the environment --------------------------------------------------------------------
if builtin shopt -q login_shell; then
  # Only a POSIX shell reads a file of our choice when it is a login shell: the gate started us as one.
  builtin set +o posix
  if [[ -n ${APE_SETUP_ENV+x} ]]; then ENV=$APE_SETUP_ENV; else builtin unset -v ENV; fi
  [[ -n ${APE_SETUP_HISTFILE+x} ]] || HISTFILE=~/.bash_history
fi
builtin read -r -a __ape_names <<<"$APE_SETUP_NAMES"
builtin read -r -a __ape_pagers <<<"$APE_SETUP_PAGERS"
builtin readonly __ape_pagers
builtin unset -v APE_SETUP_NAMES APE_SETUP_PAGERS APE_SETUP_ENV APE_SETUP_HISTFILE

# --- state ------------------------------------------------------------------------------------------------------------
__ape_st=0          # $? as the user sees it
__ape_last=         # $_ as the user sees it
__ape_ps=(0)        # PIPESTATUS as the user sees it
__ape_flags=        # $- of the user, when x or v was on
__ape_options=      # SHELLOPTS of the user
__ape_running=      # set while an approved text is evaluated
__ape_saved=        # set when that text came to its end
__ape_text=         # what the tick evaluates
__ape_debug=        # the user's DEBUG trap, set aside between lines
__ape_interrupt=    # the user's INT trap, set aside while a line is edited and asked for
__ape_disabled=     # builtins the user disabled and that we need; __ape_collect fills both
__ape_blank=        # set while PS0, PS1, PS2 and HISTIGNORE are set aside for the tick
__ape_ps1= __ape_ps2= __ape_ps0= # what they are
__ape_ignore= __ape_ignored=
__ape_mode=emacs    # the user's editing mode, while bash itself has none
__ape_editing=1     # whether the user has line editing on
__ape_commands=()   # PROMPT_COMMAND, set aside when a tick edits no line
__ape_collected=    # set when that was done for a line that was interrupted
__ape_tabs=         # set while TAB is ours
__ape_bangs=        # set while history expansion is off for a line with `fc`
__ape_leaving=      # the line before was `exit`
__ape_eof=0         # how often Ctrl-D was ignored
__ape_keys=         # `bind -x` keys of the user's own start-up files
__ape_begun=        # set when the first prompt was up
__ape_tabbed=       # the line as the last TAB left it
__ape_paged=        # puts back what a line without a pager went without
__ape_facts=()      # what the line is bound to
__ape_ifs=          # IFS of the user: IFS=VALUE, or nothing when it is unset
__ape_told=         # the values to tell after Enter, while it is known which names are set
__ape_asked=        # set when a line was asked for before

# --- small things -----------------------------------------------------------------------------------------------------
__ape_status() { builtin return "$1"; }
__ape_z() { builtin return "$__ape_st"; }

# Reads what was written to the private file since last time.  $1: the variable
__ape_read() { IFS= builtin read -r -d '' -u "$__ape_in" "$1"; builtin return 0; }

# --- before a tick: the last entry of PROMPT_COMMAND ------------------------------------------------------------------
__ape_prompt() {
  builtin local s="$?"
  [[ -t 0 ]] && exec 0<&"$__ape_tick" # bash itself must not read the terminal
  [[ -n $__ape_blank ]] && builtin return "$s"
  if [[ $- == *[xv]* ]]; then __ape_flags=$-; { builtin set +xv; } 2>&"$__ape_null"; fi
  builtin local -
  builtin set +euf
  # All of it is noted, in one command, before anything is emptied: a Ctrl-C in between must not note an empty prompt.
  __ape_ignore=${HISTIGNORE-} __ape_ignored=${HISTIGNORE+x} __ape_ps1=${PS1-} __ape_ps2=${PS2-} __ape_ps0=${PS0-} __ape_blank=1
  [[ ${HISTIGNORE@a} != *r* ]] && HISTIGNORE='*' # the tick is no history
  [[ ${PS1@a} != *r* ]] && PS1=
  [[ ${PS2@a} != *r* ]] && PS2=
  [[ ${PS0@a} != *r* ]] && PS0=
  builtin return "$s"
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

# A nested reader is being opened: after the first start, and after a Ctrl-C, which may have hit the user's line.
__ape_nest() {
  if [[ -n $__ape_running ]]; then
    builtin local seen
    __ape_note_mode "$__ape_set"
    __ape_collect
    __ape_collected=1
  fi
  __ape_forget
  __ape_commands_aside
}

# bash keeps the tick as history if our entry of PROMPT_COMMAND was not there to prevent it.
__ape_forget() {
  builtin local last
  [[ -z $__ape_blank && -o history ]] || builtin return 0
  builtin history 1 >&"$__ape_out"
  __ape_read last
  [[ $last == *'__ape_st=$?'* ]] || builtin return 0
  last=${last#"${last%%[![:space:]]*}"}
  builtin history -d "${last%%[![:digit:]]*}" # bash 5.1 does not take -1 for the only entry
}

# The next tick follows at once: if the user's PROMPT_COMMAND had its turn already, it shall not have another.
__ape_commands_aside() {
  [[ -z $__ape_blank || ${PROMPT_COMMAND@a} == *r* || ${#PROMPT_COMMAND[@]} == 0 ]] && builtin return 0
  builtin local i
  __ape_commands=()
  for i in "${!PROMPT_COMMAND[@]}"; do __ape_commands[i]=${PROMPT_COMMAND[i]}; done
  PROMPT_COMMAND=()
}

__ape_commands_back() {
  builtin local i
  for i in "${!__ape_commands[@]}"; do PROMPT_COMMAND[i]=${__ape_commands[i]}; done
  __ape_commands=()
}

# Puts the entry in, and at the end, whatever the user's line made of PROMPT_COMMAND.
__ape_hook() {
  builtin local i
  [[ ${PROMPT_COMMAND[900]-} == '__ape_prompt && :' || ${PROMPT_COMMAND@a} == *r* ]] && builtin return 0
  for i in "${!PROMPT_COMMAND[@]}"; do
    [[ ${PROMPT_COMMAND[i]} == '__ape_prompt && :' ]] && builtin unset -v "PROMPT_COMMAND[$i]"
  done
  PROMPT_COMMAND[900]='__ape_prompt && :'
}

# --- a tick has come --------------------------------------------------------------------------------------------------
# Undoes __ape_prompt.
__ape_show() {
  builtin local seen
  if [[ -n $__ape_blank ]]; then
    if [[ ${HISTIGNORE@a} != *r* ]]; then
      if [[ -n $__ape_ignored ]]; then HISTIGNORE=$__ape_ignore; else builtin unset -v HISTIGNORE; fi
    fi
    [[ ${PS1@a} != *r* ]] && PS1=$__ape_ps1
    [[ ${PS2@a} != *r* ]] && PS2=$__ape_ps2
    [[ ${PS0@a} != *r* ]] && PS0=$__ape_ps0
  else
    __ape_forget
  fi
  __ape_blank=
  ((${#__ape_commands[@]} > 0)) && __ape_commands_back
  if [[ -n $__ape_running && -z $__ape_collected ]]; then __ape_collect; else __ape_read seen; fi
  __ape_collected=
}

# Takes the user's DEBUG trap and disabled builtins out of the private file into __ape_debug, __ape_disabled and what was
# read into `seen`. Builtins that we need work for us until the user's next line.
__ape_collect() {
  builtin local rest name
  builtin unset -f builtin
  builtin enable -n >&"$__ape_out"
  builtin enable alias bind declare enable eval exec exit hash history jobs kill local printf read return set shift shopt trap unset
  __ape_read seen
  rest=$seen
  __ape_debug= __ape_disabled=
  if [[ $rest == *'trap -- '*DEBUG* ]]; then
    __ape_debug='trap -- '${rest#*'trap -- '}
    rest=${__ape_debug##*DEBUG}
    __ape_debug=${__ape_debug%"$rest"}
    [[ $__ape_debug == 'trap -- - '* ]] && __ape_debug= # POSIX mode says it so
  fi
  while [[ $rest == *'enable -n '* ]]; do
    rest=${rest#*'enable -n '}
    name=${rest%%$'\n'*}
    [[ $name == *[!a-z.:[]* ]] || __ape_disabled+=" $name"
  done
}

# --- the line ---------------------------------------------------------------------------------------------------------
# Edits a line and asks; leaves what the tick shall evaluate in __ape_text. Returns the user's $?.
__ape_edit() {
  if [[ $- == *[xv]* ]]; then __ape_flags=$-; { builtin set +xv; } 2>&"$__ape_null"; fi
  [[ -n $__ape_editing ]] && builtin set -o "$__ape_mode"
  __ape_ifs=${IFS+"IFS=$IFS"}
  builtin local - IFS=$' \t\n'
  __ape_options=$SHELLOPTS
  builtin set +euf
  __ape_show
  __ape_pagers_back # a Ctrl-C may have left them
  __ape_text=
  if [[ -n $__ape_running ]]; then
    __ape_running= __ape_last= __ape_ps=("$__ape_st")
    builtin printf '%s\0' '' '' R "$__ape_st" interrupted "=$PWD" >&"$__ape_channel"
  fi
  __ape_give_back_interrupt # it was set aside when Ctrl-C ended the editing
  builtin printf '%s\0' '' '' E "$__ape_st" >&"$__ape_channel" || builtin exit 97
  __ape_tab_off # a Ctrl-C may have left it on
  __ape_keys_only
  __ape_set_interrupt_aside
  __ape_ask_line
  __ape_give_back_interrupt
  builtin return "$__ape_st"
}

# Ctrl-C must end the editing, and withdraw the request, after the user's trap on it had its turn.
__ape_set_interrupt_aside() {
  builtin local command
  builtin trap -p >&"$__ape_out"
  __ape_read __ape_interrupt
  __ape_told=
  if [[ -z $__ape_interrupt ]]; then __ape_told=$'\n'; builtin return 0; fi
  builtin trap -p INT >&"$__ape_out"
  __ape_read __ape_interrupt
  [[ $__ape_interrupt == "trap -- '' "* || $__ape_interrupt == 'trap -- - '* ]] && __ape_interrupt=
  [[ -n $__ape_interrupt ]] || builtin return 0
  command=${__ape_interrupt#trap -- }
  builtin eval "command=${command% *}"
  builtin trap -- "$command"$'\nbuiltin trap - INT; builtin kill -INT $$; :' INT
}

__ape_give_back_interrupt() {
  builtin local saved="$__ape_interrupt"
  __ape_interrupt=
  [[ -n $saved ]] && builtin eval "$saved"
}

# Reads, with PS2 until it is complete, expands history, asks.
__ape_ask_line() {
  builtin local text= more= line prompt token rc edit=-e end=$'\r' is_late=
  [[ -n $__ape_editing ]] || { edit= end=$'\n'; }
  while :; do
    if [[ -z $more ]]; then
      __ape_status "$__ape_st"
      prompt=${PS1@P}
      __ape_note_names
    else
      prompt=${PS2@P} __ape_told=
    fi
    __ape_tab_on
    # The delimiter is CR: `read -e -d X` makes the Enter key of a real terminal (CR, not LF) insert itself unless X is CR.
    IFS= builtin read $edit -r -d "$end" -p "$prompt" line
    rc=$?
    if ((rc != 0)); then
      __ape_tab_off
      __ape_no_line "$rc" "$more" || builtin return 0
    fi
    text+=$more$line
    [[ $text == *[![:space:]]* ]] || { __ape_tab_off; __ape_eof=0; builtin return 0; }
    if [[ $- == *H* && $text == *'!'* ]]; then __ape_bang || { __ape_tab_off; builtin return 0; }; fi
    __ape_ask || builtin return 0
    more=$'\n'
  done
}

# Ctrl-D, TMOUT or a signal instead of a line. Sets `line` to `exit`, or fails: no line this time.
__ape_no_line() {
  if (($1 > 128)); then
    [[ ${TMOUT:-0} -gt 0 ]] 2>&"$__ape_null" || builtin return 1
    builtin printf '\atimed out waiting for input: auto-logout\n' >&2
    line=exit is_late=1
    builtin return 0
  fi
  if [[ -n $2 ]]; then
    builtin printf '%s: syntax error: unexpected end of file\n' "$0" >&2
    __ape_st=2
    builtin return 1
  fi
  if [[ -n ${IGNOREEOF+x} ]] && ((__ape_eof++ < ${IGNOREEOF:-10})); then
    builtin printf 'Use "exit" to leave the shell.\n' >&2
    builtin return 1
  fi
  line=exit
}

# History expansion: the expanded text is shown, and is what the gate judges.
__ape_bang() {
  builtin local expanded
  builtin history -p -- "$text" >&"$__ape_out" || { __ape_read expanded; __ape_st=1; builtin return 1; }
  __ape_read expanded
  expanded=${expanded%$'\n'}
  [[ $expanded == "$text" ]] && builtin return 0
  text=$expanded
  builtin printf '%s\n' "$text" >&2
}

# Asks the gate about `text`. Succeeds when more input is needed; fails when this prompt is over.
__ape_ask() {
  builtin local frame
  token=$SRANDOM$SRANDOM
  __ape_bound
  __ape_words
  builtin printf '%s\0' '' '' L "$token" "=$PWD" "$text" "${__ape_facts[@]}" "$token" >&"$__ape_channel" || builtin exit 97
  __ape_asked=1
  __ape_tab_off # there is time for it now
  while :; do
    IFS= builtin read -r -d '' ${TMOUT:+-t 100000000} -u "$__ape_channel" frame || builtin exit 97
    [[ $frame == "$token "* ]] && builtin break
  done
  frame=${frame#* }
  case $frame in
    C) builtin return 0 ;;
    'N '*) __ape_remember; __ape_st=${frame#N } ;;
    X) __ape_prepare "$text" ;;
    P) if __ape_pagers_off; then __ape_prepare "$text"; else __ape_remember; __ape_st=77; fi ;;
    'Y '*) __ape_prepare "${frame#Y }" ;;
    *) builtin exit 97 ;;
  esac
  builtin return 1
}

# For one line: what `less` and its like would start. A variable that cannot be set keeps the line from running.
__ape_pagers_off() {
  builtin local one name
  for one in "${__ape_pagers[@]}"; do
    name=${one%%=*}
    if [[ -z ${!name+x} ]]; then
      __ape_paged+="builtin unset -v $name"$'\n'
    else
      __ape_paged+="$name=${!name@Q}"$'\n'
      [[ ${!name@a} == *x* ]] || __ape_paged+="builtin export -n $name"$'\n'
    fi
    builtin export "$one" 2>&"$__ape_null" && [[ ${!name} == "${one#*=}" ]] && builtin continue
    __ape_pagers_back
    builtin printf 'ape-shell: %s cannot be set here, and this line may not have a pager; nothing ran\n' "$name" >&2
    builtin return 1
  done
}

__ape_pagers_back() {
  builtin local text="$__ape_paged"
  __ape_paged=
  [[ -n $text ]] && builtin eval "$text" 2>&"$__ape_null"
  builtin return 0
}

__ape_remember() {
  __ape_eof=0
  [[ -o history ]] && builtin history -s -- "$text"
}

# Makes the text for the tick: the user's own, between what was set aside and what must be saved.
__ape_prepare() {
  builtin local before= after= pipeline is_whole=1
  # The second `exit` leaves although jobs are stopped. bash looks whether the command before was `exit`; ours was not.
  if [[ ($1 == *exit* || $1 == *logout*) && $1 =~ ^[[:space:]]*(exit|logout)[[:space:]]*[0-9]*[[:space:]]*$ ]]; then
    [[ -n $__ape_leaving ]] && before+="builtin jobs >&$__ape_null"$'\n'
    __ape_leaving=1
  else
    __ape_leaving=
  fi
  [[ -n $__ape_disabled ]] && before+="builtin enable -n $__ape_disabled"$'\n'
  [[ $__ape_flags == *v* ]] && before+=$'builtin set -v\n'
  [[ $__ape_flags == *x* ]] && before+=$'builtin set -x\n'
  [[ -n $__ape_debug ]] && before+=$__ape_debug$'\n'
  if [[ $1 == *PIPESTATUS* ]] && ((${#__ape_ps[@]} > 1)); then
    builtin printf -v pipeline '(builtin exit %s)|' "${__ape_ps[@]}"
    before+=${pipeline%|}$' && :\n'
  elif [[ -n $before && $__ape_st != 0 ]]; then
    before+="(builtin exit $__ape_st) && :"$'\n'
  fi
  # With `set -v` bash would print our own line too, and `fc` takes the last line of the history for itself, if bash's own
  # parser put it there. Then $_ and PIPESTATUS are lost: nothing else can save them.
  [[ $__ape_flags == *v* || $1 == *set*v* ]] && is_whole=
  if [[ $1 == *fc* && $1 =~ (^|[[:space:]\;\&\|\(])fc($|[[:space:]\;\&\|\)]) && -o history ]]; then
    [[ $- == *H* ]] && __ape_bangs=1
    before+=$'builtin set +H -o history\n' is_whole= __ape_eof=0
  else
    __ape_remember
  fi
  [[ -n $is_whole ]] && after=$__ape_after
  [[ -n $is_late ]] && before="builtin trap 'builtin exit $__ape_st' ALRM"$'\nbuiltin kill -ALRM $$\n'
  __ape_text=$before$1$after __ape_running=1 __ape_saved= __ape_flags=
  [[ -n ${PS0-} ]] && builtin printf '%s' "${PS0@P}" >&2
}

# --- after the line ---------------------------------------------------------------------------------------------------
# Last command of the user's text.  $1: $?   $2: $_   the rest: PIPESTATUS
__ape_save() {
  __ape_flags=$-
  builtin set +xv
  __ape_st=$1 __ape_last=$2 __ape_saved=1
  builtin shift 2
  __ape_ps=("$@")
}

# After the text.  $1: $?, which counts when the text did not come to its end.
__ape_end() {
  if [[ $- == *[xv]* ]]; then __ape_flags=$-; { builtin set +xv; } 2>&"$__ape_null"; fi
  __ape_note_mode "$SHELLOPTS"
  builtin local - IFS=$' \t\n' seen
  builtin set +euf
  [[ $__ape_flags == *[xv]* ]] || __ape_flags=
  if [[ -n $__ape_running ]]; then
    # What the line printed leaves a pseudo-terminal in the kernel's own time, on this very processor: without this moment
    # only after all that follows, which is longer than the line took.
    IFS= builtin read -r -d '' -t 0.0002 -u "$__ape_channel" seen 2>&"$__ape_null"
    [[ -n $__ape_saved ]] || __ape_st=$1 __ape_last= __ape_ps=("$1")
    __ape_running=
    __ape_pagers_back
    [[ -n $__ape_bangs ]] && builtin set -H
    __ape_bangs=
    __ape_collect
    builtin printf '%s\0' '' '' R "$__ape_st" done "=$PWD" >&"$__ape_channel" || builtin exit 97
  fi
  __ape_hook
  builtin return 0
}

# --- what the line is bound to ----------------------------------------------------------------------------------------
# Made once from the names: `${NAME+"NAME=$NAME"} …` in one assignment costs a tenth of a loop. These matter exported or not;
# of all others only what children see can, so the exported ones follow, and the gate keeps those that matter for this line.
__ape_make_bound() {
  builtin local name set='${__ape_ifs:+"$__ape_ifs"} '
  for name in "${__ape_names[@]}"; do
    [[ $name == IFS ]] || set+="\${$name+\"$name=\$$name\"} "
  done
  builtin eval "__ape_look() {
    __ape_facts=($set)
    builtin compgen -e >&\"\$__ape_out\"
    builtin local __ape_name __ape_exported IFS=\$' \\t\\n'
    __ape_read __ape_exported
    for __ape_name in \$__ape_exported; do __ape_facts+=(\"\$__ape_name=\${!__ape_name}\"); done
  }"
}
__ape_make_bound

# Which names are set is noted before the prompt is up, where it costs nobody time; after Enter only their values are looked
# at. It holds while no code of the user's can run in between: there is no trap and no key of `bind -x`, no TAB was pressed,
# and this is no further line after PS2. Not at the first prompt: that one must be up soon.
__ape_note_names() {
  [[ -n $__ape_told && -n $__ape_asked && $__ape_keys == $'\n' ]] || { __ape_told=; builtin return 0; }
  builtin local fact name told=' ${__ape_ifs:+"$__ape_ifs"} '
  __ape_look
  __ape_told=
  for fact in "${__ape_facts[@]}"; do
    name=${fact%%=*}
    [[ $name == IFS || $told == *" \"$name="* ]] && builtin continue
    [[ $name == *[!ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_]* ]] && builtin return 0
    told+="\"$name=\$$name\" "
  done
  __ape_told=$told
}

__ape_bound() {
  if [[ $__ape_told == ' '* ]]; then builtin eval "__ape_facts=($__ape_told)"; else __ape_look; fi
  # As long as each byte counts, whatever the variables say, no character ends in a backslash.
  ((${#__ape_probe} == 252)) || __ape_facts+=("character set=this shell")
}
builtin printf -v __ape_probe '\\x%x\\x5c' {129..254}
builtin printf -v __ape_probe '%b' "$__ape_probe"
builtin readonly __ape_probe

# `alias NAME`, `function NAME`, `disabled NAME`, `hash NAME` for every word of `text` that does not mean what it usually means. Quotes
# are seen both ways: as gaps, and as nothing.
__ape_words() {
  builtin local - all body
  builtin set -f
  if ((${#text} > 65536)); then
    { builtin alias -p; builtin declare -f; } >&"$__ape_out"
    __ape_read body
    __ape_facts+=("alias *=$body")
    builtin return 0
  fi
  all=${text//[[:space:];&|()<>\`\$\"\'\\\{\}=]/ }
  [[ $text == *[\"\'\\$'\v\f\r']* || $text == *[![:ascii:]]* ]] && all+=" ${text//[\"\'\\]/}"
  all=${all//[;&|()<>\`\$\{\}=]/ }
  { builtin alias -- $all; builtin declare -F -- $all; builtin hash -t -- $all; } >&"$__ape_out" 2>&"$__ape_null"
  __ape_read body
  [[ -z $body && -z $__ape_disabled ]] || __ape_meanings $all
}

__ape_meanings() {
  builtin local w body known=' '
  for w in "$@"; do
    [[ $known == *" $w "* ]] && builtin continue
    known+="$w "
    if builtin alias -- "$w" >&"$__ape_null" 2>&"$__ape_null"; then
      __ape_facts+=("alias $w=${BASH_ALIASES[$w]}")
    fi
    if builtin declare -f -- "$w" >&"$__ape_out" 2>&"$__ape_null"; then
      __ape_read body
      __ape_facts+=("function $w=$body")
    fi
    [[ " $__ape_disabled " == *" $w "* ]] && __ape_facts+=("disabled $w=1")
    if builtin hash -t -- "$w" >&"$__ape_out" 2>&"$__ape_null"; then
      __ape_read body
      __ape_hashed "$w" "${body%$'\n'}"
    fi
  done
}

# `hash NAME` when `hash -p` gave the name another file than the first one in PATH.  $1: name  $2: the file
__ape_hashed() {
  builtin local folder IFS=:
  for folder in $PATH; do
    [[ -f ${folder:-.}/$1 && -x ${folder:-.}/$1 ]] || builtin continue
    [[ ${folder:-.}/$1 -ef $2 ]] && builtin return 0
    builtin break
  done
  __ape_facts+=("hash $1=$2")
}

# --- keys -------------------------------------------------------------------------------------------------------------
# Takes every key away that would run text without Enter, and `bind -x` keys that the start-up files did not make.
__ape_keys_only() {
  builtin local map action keys line
  for map in emacs vi-insert vi-command; do
    for action in edit-and-execute-command vi-edit-and-execute-command shell-expand-line execute-named-command re-read-init-file; do
      while builtin bind -m "$map" -q "$action" >&"$__ape_out"; do
        __ape_read keys
        keys=${keys#*via \"}
        builtin bind -m "$map" -r "${keys%%\"[,.]*}" || builtin break
      done
    done
  done 2>&"$__ape_null"
  __ape_read keys # what is bound to nothing was said so
  builtin bind -X >&"$__ape_out" 2>&"$__ape_null"
  __ape_read keys
  keys=$'\n'$keys
  [[ -z $__ape_begun ]] && __ape_keys=$keys
  __ape_begun=1
  [[ $keys == "$__ape_keys" ]] && builtin return 0
  while IFS= builtin read -r line; do
    [[ -z $line || $__ape_keys == *$'\n'"$line"$'\n'* ]] && builtin continue
    line=${line#\"}
    for map in emacs vi-insert vi-command; do builtin bind -m "$map" -r "${line%%\":*}"; done
  done 2>&"$__ape_null" <<<"$keys"
}

# --- TAB --------------------------------------------------------------------------------------------------------------
# `read -e` completes file names only. While a line is edited TAB first calls __ape_tab, which either completes by itself,
# from what the user's completion functions know, or chooses the function of the line editor that TAB calls next.
__ape_tab_on() {
  builtin local bound
  builtin bind -q complete >&"$__ape_out" 2>&"$__ape_null"
  __ape_read bound
  __ape_tabs=
  [[ $bound == *'"\C-i"'* && $edit == -e ]] || builtin return 0
  __ape_tabs=1 __ape_tabbed=
  builtin bind -x '"\e[990~": __ape_tab'
  builtin bind '"\e[991~": complete'
  builtin bind '"\C-i": "\e[990~\e[991~"'
}

__ape_tab_off() {
  [[ -n $__ape_tabs ]] || builtin return 0
  __ape_tabs=
  builtin bind '"\C-i": complete'
  builtin bind -r '\e[990~'
  builtin bind -r '\e[991~'
}

# What TAB does next; the second TAB in a row lists.  $1: complete, complete-command, complete-variable
__ape_tab_next() {
  if [[ $__ape_tabbed == "$READLINE_POINT $READLINE_LINE" ]]; then
    case $1 in
      complete) builtin bind '"\e[991~": possible-completions' ;;
      complete-command) builtin bind '"\e[991~": possible-command-completions' ;;
      complete-variable) builtin bind '"\e[991~": possible-variable-completions' ;;
      *) builtin bind '"\e[991~": redraw-current-line' ;;
    esac
  else
    builtin bind "\"\\e[991~\": $1"
  fi
  __ape_tabbed="$READLINE_POINT $READLINE_LINE"
}

# Completion functions evaluate what stands on the line: they are only called when that is plain text.
__ape_tab() {
  builtin local - IFS=$' \t\n'
  builtin set +euf
  __ape_told= # completion functions are the user's code
  builtin local left="${READLINE_LINE:0:READLINE_POINT}" words word spec
  words=()
  word=${left##*[[:space:]]}
  [[ $word =~ \$\{?[A-Za-z0-9_]*$ ]] && { __ape_tab_next complete-variable; builtin return 0; }
  [[ $left =~ ^[A-Za-z0-9_./=:,@%+~\ -]+$ ]] || { __ape_tab_next complete; builtin return 0; }
  builtin read -r -a words <<<"$left"
  [[ $left == *' ' ]] && words+=('')
  if ((${#words[@]} < 2)); then
    if [[ $word == */* || $word == '~'* ]]; then __ape_tab_next complete; else __ape_tab_next complete-command; fi
    builtin return 0
  fi
  __ape_tab_programmed
}

# Dynamic: left, words, word.
__ape_tab_programmed() {
  builtin local found spec options common one
  found=()
  __ape_tab_spec || { __ape_tab_next complete; builtin return 0; }
  if ((${#found[@]} == 0)); then __ape_tab_next complete; builtin return 0; fi
  common=${found[0]}
  for one in "${found[@]}"; do
    while [[ $one != "$common"* ]]; do common=${common%?}; done
  done
  # After `=` or `:` a completion function may answer with what follows it only.
  [[ $word == *[=:]* && $common != "$word"* ]] && word=${word##*[=:]}
  if ((${#found[@]} > 1)) && [[ -z $common || $common == "$word" ]]; then
    [[ $__ape_tabbed == "$READLINE_POINT $READLINE_LINE" ]] && __ape_tab_list
  elif [[ $common == "$word"* ]]; then
    __ape_tab_insert
  fi
  __ape_tab_next redraw-current-line
}

# Puts the common beginning in, and a space behind the only answer.
__ape_tab_insert() {
  builtin local added="${common#"$word"}" tail=
  [[ $options == *filenames* ]] && builtin printf -v added '%q' "$added"
  [[ $added == "''" ]] && added=
  if ((${#found[@]} == 1)); then
    if [[ $options == *filenames* && -d $common ]]; then tail=/; elif [[ $options != *nospace* && $common != */ ]]; then tail=' '; fi
  fi
  READLINE_LINE=$left$added$tail${READLINE_LINE:READLINE_POINT}
  READLINE_POINT=$((${#left} + ${#added} + ${#tail}))
}

__ape_tab_list() {
  builtin local one width=0 across column=0
  for one in "${found[@]}"; do ((${#one} > width)) && width=${#one}; done
  across=$((${COLUMNS:-80} / (width + 2)))
  ((across > 0)) || across=1
  builtin printf '%s%s\n' "${prompt//[$'\001\002']/}" "$READLINE_LINE" >&2
  for one in "${found[@]:0:400}"; do
    if ((++column % across == 0)); then builtin printf '%s\n' "$one"; else builtin printf "%-$((width + 2))s" "$one"; fi
  done >&2
  ((column % across == 0)) || builtin printf '\n' >&2
}

# Asks the user's completion for `words`: fills found and options. Fails when there is none, or it found nothing.
__ape_tab_spec() {
  builtin local try status command="${words[0]}"
  for try in 1 2; do
    builtin complete -p -- "$command" >&"$__ape_out" 2>&"$__ape_null" ||
      builtin complete -p -- "${command##*/}" >&"$__ape_out" 2>&"$__ape_null" ||
      builtin complete -p -D >&"$__ape_out" 2>&"$__ape_null" || builtin return 1
    __ape_read spec
    spec=${spec%$'\n'}
    options=$spec
    if [[ $spec =~ \ -F\ ([^ ]+) ]]; then
      __ape_tab_call "${BASH_REMATCH[1]}"
      status=$?
      ((status == 124)) || builtin break
    else
      spec=${spec#complete }
      builtin eval "builtin compgen ${spec% *} -- \"\$word\"" >&"$__ape_out" 2>&"$__ape_null"
      __ape_read spec
      builtin mapfile -t found < <(builtin printf '%s' "$spec")
      builtin break
    fi
  done
  ((${#found[@]} > 0))
}

# Calls a completion function as bash would.  $1: its name
__ape_tab_call() {
  builtin local status COMP_LINE="$left" COMP_POINT="${#left}" COMP_WORDS COMP_CWORD="$((${#words[@]} - 1))" \
    COMP_TYPE=9 COMP_KEY=9 COMPREPLY
  COMP_WORDS=("${words[@]}") COMPREPLY=()
  compopt() { options+=" $*"; }
  "$1" "${words[0]}" "$word" "${words[COMP_CWORD - 1]}" >&"$__ape_null" 2>&"$__ape_null" <&"$__ape_null"
  status=$?
  builtin unset -f compopt
  found=("${COMPREPLY[@]}")
  builtin return "$status"
}

builtin printf -v __ape_after '\n{ \\__ape_save "$?" "$_" "${PIPESTATUS[@]}"; \\builtin trap -p DEBUG >&%d; \\builtin trap - DEBUG; } >&%d 2>&"$((__ape_to_${-//[!x]/}))"' \
  "$__ape_out" "$__ape_null"
# The tick's own text. Its three parts: standard input right again; a nested reader, where there is none; the line.
builtin printf -v _A_ '%s' \
  "{ \\builtin trap -p DEBUG >&$__ape_out; \\builtin trap - DEBUG; [[ -t 0 ]]; } >&$__ape_null 2>&$__ape_null && exec 0<&$__ape_tick; " \
  "if { \\builtin :; } 2>&$__ape_null <&$__ape_mark; then " \
  'if __ape_edit "$__ape_last"; then \eval -- "$__ape_text"; else \eval -- "$__ape_text"; fi ' "<&$__ape_tty; " \
  '__ape_end "$?"; ' \
  'else __ape_nest; \builtin set +o emacs +o vi; ' \
  "\\eval '\\builtin set -o \"\$__ape_mode\";\\eval \"\\builtin set +o emacs +o vi;\\__ape_z&&:\"' $__ape_mark<&$__ape_null; fi"
# The last tick of a block: asks the gate for the next one.
builtin printf -v _B_ '%s' "[[ -t 0 ]] && exec 0<&$__ape_tick; __ape_commands_aside; \\builtin printf '\\0\\0T\\0' >&$__ape_channel; \\__ape_z&&:"
builtin readonly _A_ _B_ __ape_after
builtin readonly -f __ape_status __ape_z __ape_read __ape_prompt __ape_note_mode __ape_nest __ape_forget \
  __ape_commands_aside __ape_commands_back __ape_hook __ape_show __ape_collect __ape_edit \
  __ape_set_interrupt_aside __ape_give_back_interrupt __ape_ask_line __ape_no_line __ape_bang __ape_ask __ape_remember \
  __ape_pagers_off __ape_pagers_back __ape_prepare __ape_save __ape_end __ape_look __ape_note_names __ape_bound __ape_words __ape_meanings __ape_hashed __ape_keys_only __ape_tab_on __ape_tab_off __ape_tab_next \
  __ape_tab __ape_tab_programmed __ape_tab_insert __ape_tab_list __ape_tab_spec __ape_tab_call

# --- the user's own start-up files ------------------------------------------------------------------------------------
if builtin shopt -q login_shell; then
  [[ -r /etc/profile ]] && builtin . /etc/profile <&"$__ape_tty"
  if [[ -r ~/.bash_profile ]]; then
    builtin . ~/.bash_profile <&"$__ape_tty"
  elif [[ -r ~/.bash_login ]]; then
    builtin . ~/.bash_login <&"$__ape_tty"
  elif [[ -r ~/.profile ]]; then
    builtin . ~/.profile <&"$__ape_tty"
  fi
elif [[ -r ~/.bashrc ]]; then
  builtin . ~/.bashrc <&"$__ape_tty"
fi
__ape_hook
__ape_note_mode "$SHELLOPTS"
builtin set +o emacs +o vi # from here on bash itself reads plain bytes
