/**
 * One bash behind a pseudo-terminal. bash runs a line of the user only after an answer on the private channel. On this channel bash also
 * reports its prompts, its lines and the end of each line. The standard input of bash carries only ticks (tick.ts), which are constant
 * text. With a tick, bash lets the user edit one line.
 */
import type { Socket } from 'node:net';
import type { TerminalSize } from '../terminal/user-terminal.ts';
import { BrokenShellWatch } from './broken-shell.ts';
import {
  ANSWER_TO_NO_LINE,
  encodeAnswer,
  encodeToken,
  FrameReader,
  type LineAnswer,
  MalformedFrame,
  type ShellFrame,
} from './channel-frames.ts';
import { InterruptWatch } from './interrupt-watch.ts';
import { openPrivateSocket, type PrivateConnections } from './private-socket.ts';
import { type ProcessEnd, PseudoTerminal } from './pseudo-terminal.ts';
import { randomHex } from './random-hex.ts';
import { encodeStart, type Start } from './start-block.ts';
import { TICK_BLOCK } from './tick.ts';

/** Length of the random token that the gate makes for the line of a prompt; channel-frames.ts describes its use. */
const TOKEN_BYTES = 12;

/** How long pty-leader may take to get its descriptors. */
const START_DEADLINE_MS = 10_000;

/**
 * @property leaderPath       the built `pty-leader`
 * @property runtimeDirectory a directory with mode 0700, for the private socket
 */
export interface SessionOptions {
  readonly start: Start;
  readonly size: TerminalSize;
  readonly leaderPath: string;
  readonly runtimeDirectory: string;
  readonly onOutput: (chunk: Buffer) => void;
  readonly onFrame: (frame: ShellFrame) => void;
  /** Called once, if this bash can no longer be gated. After that call, this bash runs nothing more. */
  readonly onBroken: (reason: string) => void;
}

export interface BashSession {
  readonly terminal: PseudoTerminal;
  /** Answers the line that has this token; bash drops an answer with another token. */
  answer(token: string, answer: LineAnswer): void;
  /** Fulfilled when bash has ended and all its output was passed on. */
  readonly ended: Promise<ProcessEnd>;
}

/**
 * Starts bash. The messages of pty-leader go to `onOutput`. Rejects in three cases: the private socket cannot be made, pty-leader ends
 * early, or pty-leader does not connect in time. If pty-leader connects but then cannot become bash, `ended` has the status of pty-leader.
 */
export async function startBash(options: SessionOptions): Promise<BashSession> {
  const socket = await openPrivateSocket(options.runtimeDirectory, START_DEADLINE_MS);
  const interrupts = new InterruptWatch({
    wakeUp: () => terminal.wakeUp(),
    answerNoLine: () => connections.channel.write(ANSWER_TO_NO_LINE),
    interrupt: () => terminal.interrupt(),
    isInterruptKey: () => terminal.isInterruptKey(),
  });
  const terminal = new PseudoTerminal(
    {
      file: options.leaderPath,
      argv: [socket.path, String(process.pid)],
      environment: { APE_LEADER_NONCE: socket.nonce },
      passesHangUpOn: true,
    },
    options.size,
    (chunk) => {
      interrupts.printed(chunk);
      options.onOutput(chunk);
    },
  );
  // A Ctrl-C would end the set-up text. Then bash would read the ticks with its line editor, and a key macro could become a command.
  terminal.holdKeys();
  const watch = new BrokenShellWatch(
    () => terminal.pid,
    () => connections.tick.write(TICK_BLOCK),
    options.onBroken,
  );
  terminal.onKeys((keys) => {
    interrupts.typed(keys);
    watch.typed(keys);
  });
  const connections = await Promise.race([
    socket.connected,
    terminal.exited
      .then(() => terminal.finish())
      .finally(() => socket.close())
      .then(neverStarted),
  ]);
  const turn: Turn = { token: '', mayAsk: false };
  const channelClosed = listen(connections, terminal, watch, turn, (frame) => {
    interrupts.onFrame(frame);
    options.onFrame(frame);
  });
  connections.channel.write(encodeStart(options.start));
  connections.tick.write(TICK_BLOCK);
  return {
    terminal,
    answer: (token, answer) => {
      if (answer.kind !== 'question') interrupts.answered(answer.kind !== 'incomplete');
      if (answer.kind === 'run' || answer.kind === 'run-instead') watch.answered();
      if (answer.kind === 'incomplete') turn.mayAsk = true;
      connections.channel.write(encodeAnswer(token, answer));
    },
    ended: channelClosed
      .then(() => {
        interrupts.close();
        watch.close();
        // If no prompt has come, a start-up file has possibly replaced bash by another program (`exec fish`), whose lines are not gated.
        if (turn.token === '') terminal.kill();
        return terminal.finish();
      })
      .finally(() => destroy(connections)),
  };
}

function neverStarted(ending: ProcessEnd): never {
  throw new Error(`the shell's own starter ended with status ${ending.status}`);
}

/**
 * @property token  the token of the current prompt's line; empty before the first prompt
 * @property mayAsk whether bash is allowed to send a line now: true between a prompt and its line; true again after the answer `incomplete`
 */
interface Turn {
  token: string;
  mayAsk: boolean;
}

/** Fulfilled when bash's end of the channel is closed: bash ended, or became another program by exec. */
function listen(
  connections: PrivateConnections,
  terminal: PseudoTerminal,
  watch: BrokenShellWatch,
  turn: Turn,
  onFrame: (frame: ShellFrame) => void,
): Promise<void> {
  const reader = new FrameReader();
  /** Whether a prompt came since bash last asked for more ticks. */
  let hasPrompted = false;
  /**
   * True if the gate answered bash's last request for ticks with a new block, or called `usedUp` at this request. bash makes two requests at
   * the end of each block. So the gate calls `usedUp` only once for the two.
   */
  let wasHandled = false;
  const { channel, tick } = connections;
  tick.on('error', ignore);
  tick.on('data', ignore); // bash writes nothing to this socket, so any data is from another process
  channel.on('error', ignore);
  channel.on('data', (chunk: Buffer) => {
    try {
      for (const frame of reader.take(chunk)) {
        if (frame.kind === 'more-ticks') {
          // bash asks twice at the end of each block, so one request without a prompt before it is normal. If `hasPrompted` and
          // `wasHandled` are both false, a whole block passed without a prompt.
          const isUsedUp = !(hasPrompted || wasHandled);
          if (hasPrompted) tick.write(TICK_BLOCK);
          else if (isUsedUp) watch.usedUp();
          wasHandled = hasPrompted || isUsedUp;
          hasPrompted = false;
        }
        if (frame.kind === 'set-up') {
          terminal.releaseKeys();
          watch.setUp();
          continue;
        }
        if (frame.kind === 'prompt') {
          hasPrompted = true;
          turn.token = randomHex(TOKEN_BYTES);
          turn.mayAsk = true;
          channel.write(encodeToken(frame.turn, turn.token));
        }
        // A line without the token of the current prompt gets no answer.
        if ((frame.kind === 'line' || frame.kind === 'meanings') && frame.token !== turn.token) continue;
        if (frame.kind === 'line') {
          // bash sends only one line for each answer. So a line that comes while `mayAsk` is false is from another process. bash would
          // take the answer to that line as the answer to its own line.
          if (!turn.mayAsk) throw new MalformedFrame('another process wrote to its private channel');
          turn.mayAsk = false;
        }
        watch.onFrame(frame);
        onFrame(frame);
      }
    } catch (error) {
      if (!(error instanceof MalformedFrame)) throw error;
      watch.onFrame({ kind: 'unsound', reason: error.message });
      terminal.kill();
      destroy(connections);
    }
  });
  tick.resume();
  channel.resume();
  return new Promise((resolve) => channel.once('close', () => resolve()));
}

const ignore = (): void => undefined;

function destroy({ tick, channel }: { readonly tick: Socket; readonly channel: Socket }): void {
  tick.destroy();
  channel.destroy();
}
