/**
 * The ticks: the only text that the gate writes to bash's standard input. The head of `setup.bash` explains their form.
 *
 * bash reads its input in pieces of 1,024 bytes. bash must not read the next piece while it evaluates the user's line. So a block of
 * ticks fills one piece. Most ticks let the user edit one line each. The last two ticks of a block only ask for the next block. There
 * are two, because a Ctrl-C can interrupt one of them.
 *
 * If SIGINT comes while bash reads a tick, bash drops the part that it has read, and then reads the rest of the tick as a whole line
 * (`shell_getc` checks for signals after each character). Wherever a tick is cut, its rest must not be a command. Therefore each tick is
 * a group: the rest ends in a `}` without a `{`, and this is a syntax error. If the cut is inside quotes, bash takes the closing quote for
 * an opening quote, and reads on into a later tick. The characters `'"'\'` of the later tick end the quotes. Then the `}` behind these
 * characters is the syntax error.
 */
const BUFFER_BYTES = 1_024;
const TICK =
  '{ { __ape_st=$? __ape_set+=\'"\'\\\':$SHELLOPTS:;\\builtin set +o emacs +o vi;\\__ape_quiet;} 2>&"$__ape_null";\\eval "$_A_";\\builtin set +o emacs +o vi;\\__ape_z "$__ape_last"&&\\__ape_z "$__ape_last";}\n';
const LAST = '{ { __ape_st=$? __ape_set+=\'"\'\\\';\\__ape_quiet;} 2>&"$__ape_null";\\eval "$_B_";\\__ape_z&&\\:;}\n';

const room = BUFFER_BYTES - 2 * LAST.length;
const count = Math.floor(room / TICK.length);

export const TICK_BLOCK: Buffer = Buffer.from(
  TICK.repeat(count) + LAST + LAST.trimEnd().padEnd(LAST.length - 1 + room - count * TICK.length) + '\n',
);
