# Takes the values that the gate passed in the environment.

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
