/**
 * The only text that the gate writes to bash's standard input; `setup.bash` says why it looks like this.
 *
 * bash reads it in pieces of 1,024 bytes, and must not read the next piece while a line of the user's runs. So a block fills
 * one piece, and its last ticks edit no line but ask for the next block. It ends in two of these, in case a Ctrl-C interrupts
 * one.
 *
 * bash drops what it has read of a tick when SIGINT comes meanwhile, and then reads the rest of the tick as if it were a whole line
 * (`shell_getc` checks for signals after each character). So no rest of a tick may be a command: each tick is a group, whose `}`
 * alone is a syntax error. A rest that begins inside quotes takes the next tick with it: there `'"'\'` ends the quotes, whichever
 * they are, and the `}` behind it is the syntax error.
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
