# Sets variables for a line that only a scope covers, and restores them after the line.

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
