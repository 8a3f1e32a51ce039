# Runs the user's own start-up files.

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
