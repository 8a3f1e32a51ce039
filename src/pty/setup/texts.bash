# The texts that bash evaluates with each tick, and around the user's traps.

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
  'if \__ape_enter; __ape_text=; \__ape_edit "$@"; \__ape_leave "$__ape_last"; then \eval -- "$__ape_text"; else \eval -- "$__ape_text"; fi ' "<&$__ape_tty; " \
  '{ \__ape_enter "$?"; '"\\__ape_quiet 2>&$__ape_null; "'} 2>&"$((__ape_to_${-//[!x]/}))"; ' \
  '\__ape_end; \__ape_leave || \__ape_status 0; ' \
  'else \__ape_nest; \builtin set +o emacs +o vi; ' \
  "\\eval '\\builtin set -o \"\$__ape_mode\";\\eval \"\\builtin set +o emacs +o vi;\\__ape_z&&\\:\"' $__ape_mark<&$__ape_null; fi"
# The text that the last two ticks of a block evaluate: it asks the gate for the next block.
builtin printf -v _B_ '%s' "$__ape_plain_words" "[[ -t 0 ]] && \\exec 0<&$__ape_tick; \\__ape_forget; \\__ape_commands_aside; \\builtin printf '\\0\\0T\\0' >&$__ape_channel; \\:"
