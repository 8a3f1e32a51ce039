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
#   bound to a letter of the tick. `set +o emacs +o vi` on the top level makes bash read plain bytes. (The eval turns the user's line
#   editing on. bash still reads plain bytes then, but runs PROMPT_COMMAND only while line editing is off. So the tick turns line editing
#   off again after its eval.)
# - The line editor must still be somewhere on bash's stack of inputs; otherwise `set -o vi` inside an eval crashes bash 5.2. So the
#   first tick, and the first tick after a Ctrl-C, only opens a nested reader (`__ape_nest` in _A_). The descriptor __ape_mark is open
#   only in that reader.
# - After a Ctrl-C in the middle of an array assignment, bash fails to leave one level of its stack. bash then goes on with the input
#   of the outermost eval. bash must read plain bytes from that input too: otherwise the line editor would read the ticks and wait
#   forever. So the nested reader has one more level of eval.
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

# The parts. The build replaces each of these lines by the file that the line names (scripts/setup-text.mjs).
. setup/descriptors.bash
. setup/environment.bash
. setup/state.bash
. setup/basics.bash
. setup/own-functions.bash
. setup/prompt-command.bash
. setup/tick.bash
. setup/ask.bash
. setup/covered-variables.bash
. setup/run.bash
. setup/after-line.bash
. setup/meanings.bash
. setup/keys.bash
. setup/tab.bash
. setup/sound.bash
. setup/texts.bash

builtin readonly _A_ _B_ __ape_our_key __ape_after __ape_entry __ape_undo __ape_plain_words __ape_wrap_from __ape_wrap_to __ape_harmless __ape_completion
\__ape_make_sound
builtin compgen -A function __ape_ >&"$__ape_out"
__ape_read __ape_body
builtin readonly -f $__ape_body

. setup/start-up.bash
