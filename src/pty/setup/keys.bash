# Takes from the keys every command of the line editor that evaluates or starts something, or puts a command of ours in its place.

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

# Decodes the command of a key into __ape_key_command.  $1: the command as `bind -X` prints it: `\"` for `"`, `\C-x` for a control
# character, `\M-x` for a byte above 127, and so on
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
