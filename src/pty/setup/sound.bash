# Checks that no line has changed a variable of the set-up text.

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
