/** The context of the control verbs. `main` makes the context and passes it to every `register` function. */
import type { Command } from 'commander';
import type { Failure } from '../core/failure.ts';
import type { Result } from '../core/result.ts';
import type { Gate } from '../gate/authorize.ts';
import type { GrantClient } from '../grants/client.ts';
import type { KeyRole } from '../grants/enrolment.ts';
import type { Installation, Started } from '../platform/installation.ts';
import type { LauncherCaller } from '../platform/launcher.ts';
import type { Paint } from './colour.ts';
import type { Ending } from './ending.ts';

/**
 * @property dist this package's directory of built files
 * @property out  prints results on standard output. `out` and `err` print a visible mark for each character that would control a terminal
 * @property err  prints progress and explanations on standard error
 * @property settle wraps an action, so that the program ends with the `Ending` that the action returns
 * @property openGate opens the gate; `keepsConnection` (default: false): whether the gate uses a persistent connection to the server
 * @property onFatalSignal sets a listener for SIGHUP, SIGINT, SIGQUIT and SIGTERM. These signals then no longer end this process
 * @property lastFatalSignal returns the number of the last signal that a listener of `onFatalSignal` got; 0: no such signal came
 */
export interface CliContext extends Started {
  readonly dist: string;
  readonly version: string;
  /** A text that differs from build to build. */
  readonly build: string;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Colours words for standard output. */
  readonly paint: Paint;
  /** Colours text in white on black, for a QR code. */
  readonly paintDark: (text: string) => string;
  readonly isTerminal: (descriptor: 0 | 1 | 2) => boolean;
  /** Opens the installation that the environment of this call of `apes` names. */
  readonly openInstallation: () => Promise<Result<Installation, Failure>>;
  /** Opens the installation that the environment of `caller` names. */
  readonly openFor: (caller: LauncherCaller) => Promise<Result<Installation, Failure>>;
  /** Reads the identity of this host for the role; does not call the server. */
  readonly openClient: (installation: Installation, role: KeyRole) => Result<GrantClient, Failure>;
  readonly openGate: (installation: Installation, keepsConnection?: boolean) => Result<Gate, Failure>;
  readonly settle: <Args extends unknown[]>(
    action: (...args: Args) => Promise<Ending>,
  ) => (...args: Args) => Promise<void>;
  readonly onFatalSignal: (listener: (signal: number) => void) => void;
  readonly lastFatalSignal: () => number;
}

export type Register = (program: Command, context: CliContext) => void;
