# The private descriptors of the gated bash.

# pty-leader passes the socket of the ticks as 0, the channel as 3, the terminal as 4, and the private file as 5 and 6. Child processes
# must not inherit these descriptors, but bash has no command to set close-on-exec. If a command group has a redirection that closes a
# descriptor (`{ …; } <&-`), bash saves a copy of the descriptor. The saved copy is close-on-exec, and so is each copy made from it.
# The saved copy is number 10: bash looks for a free number from 10 on, and above 6 only bash's own copy of the terminal (255) is open.
# Our seven numbers begin at 241, or at 51 if the limit of open files is low. The user's lines hardly ever open such high numbers.
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
