/**
 * A SIGINT can make bash drop the beginning of a tick and read the rest as a line of its own. No command of any such rest runs, and
 * the ticks after it work.
 */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { TICK_BLOCK } from '../../src/pty/tick.ts';
import { BASH } from '../fixtures/terminal/start-host.ts';

const block = TICK_BLOCK.toString('latin1');

/** The third of the four ticks that edit a line begins here. Rests of the first two are not tried: more of the same ticks follow them. */
const FIRST = block.split('\n').slice(0, 2).join('\n').length + 1;

/** Takes the place of the set-up text. It prints each command before bash runs it; without PATH bash finds no program. */
const STAND_IN_SETUP = `PS1= PS2= _A_=: _B_=': B' __ape_null=2 __ape_last='typed text'; unset PATH
__ape_quiet() { :; }; __ape_z() { :; }
shopt -s extdebug; trap 'echo "<$BASH_COMMAND>"' DEBUG
`;

function commandsOf(input: string): readonly string[] {
  const { stdout } = spawnSync(BASH, ['--norc', '--noprofile', '-i', '+m'], {
    input: STAND_IN_SETUP + input,
    encoding: 'latin1',
    env: { PATH: process.env['PATH'] ?? '' },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  return stdout.split('\n').filter((line) => /^<.*>$/.test(line));
}

test('No rest of a tick runs anything, and the ticks after it work', { timeout: 300_000 }, () => {
  const whole = commandsOf(block);
  const asks = whole.slice(whole.lastIndexOf('<: B>'));
  const begins = whole.filter((command) => command.startsWith('<__ape_st='));
  for (let from = FIRST; from < block.length; from++) {
    if (block[from - 1] === '\n') continue;
    const commands = commandsOf(block.slice(from) + block);
    const message = `${JSON.stringify(block.slice(from, block.indexOf('\n', from)))} ran ${JSON.stringify(commands)}`;
    expect(begins, message).toContain(commands[0]);
    expect(
      commands.filter((command) => !whole.includes(command)),
      message,
    ).toEqual([]);
    expect(commands.slice(-asks.length), message).toEqual(asks);
  }
});
