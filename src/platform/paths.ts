/** The directories of one installation: those of the XDG Base Directory Specification 0.8, or all under APES_HOME. */

import { userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { type Failure, failure } from '../core/failure.ts';
import { failed, type Result, success } from '../core/result.ts';
import { isOwnVariable } from '../core/variables/own-variables.ts';

/**
 * Absolute paths, unless HOME is a relative path. This module creates no file and no directory.
 * @property home       the caller's home directory
 * @property apesHome   the value of APES_HOME; null if APES_HOME is unset or empty
 * @property configFile `config.toml`
 * @property state      the host's journal (`audit`), tokens, the server's log and pid file
 * @property keys       private keys, the enrolment and the pin
 * @property data       the embedded server's database and signing key
 * @property run        sockets; a reboot may empty this directory
 */
export interface Paths {
  readonly home: string;
  readonly apesHome: string | null;
  readonly configFile: string;
  readonly state: string;
  readonly keys: string;
  readonly data: string;
  readonly run: string;
}

/** The variables that `locate` reads. Our programs pass these variables to each other. Then all programs use the same installation. */
export const PLACE_VARIABLES: readonly string[] = [
  'APES_HOME',
  'HOME',
  'XDG_CONFIG_HOME',
  'XDG_STATE_HOME',
  'XDG_DATA_HOME',
  'XDG_RUNTIME_DIR',
];

/** Returns the environment for a command: all variables except our own. The command keeps APES_HOME. */
export const withoutOwnVariables = (environment: ReadonlyMap<string, Buffer>): Map<string, Buffer> =>
  new Map([...environment].filter(([name]) => !isOwnVariable(name)));

const DATA_HOME = '.local/share';

/** Returns `Paths.keys` for a user who logs in: a login sets neither APES_HOME nor XDG_DATA_HOME. */
export const keysAtLogin = (home: string): string => join(home, DATA_HOME, 'ape-shell', 'keys');

type Environment = ReadonlyMap<string, Buffer>;

const text = (environment: Environment, name: string): string | undefined => {
  const value = environment.get(name)?.toString('utf8');
  return value === '' ? undefined : value;
};

function homeOfUser(): string {
  try {
    return userInfo().homedir;
  } catch {
    return '/'; // The user database has no entry. A later check refuses the directory, and its message names the directory.
  }
}

/** Returns the directories for this caller. Fails if APES_HOME is not absolute. Ignores a relative XDG variable: XDG demands this. */
export function locate(environment: Environment): Result<Paths, Failure> {
  const home = text(environment, 'HOME') ?? homeOfUser();
  const apesHome = text(environment, 'APES_HOME');
  if (apesHome !== undefined) {
    if (!isAbsolute(apesHome))
      return failed(
        failure(
          'configuration',
          `APES_HOME is not an absolute path: ${apesHome}`,
          'write it from the root, as in APES_HOME=$PWD/apes',
        ),
      );
    return success({
      home,
      apesHome,
      configFile: join(apesHome, 'config.toml'),
      state: join(apesHome, 'state'),
      keys: join(apesHome, 'keys'),
      data: join(apesHome, 'data'),
      run: join(apesHome, 'run'),
    });
  }
  const xdg = (name: string, fallback: string): string => {
    const value = text(environment, name);
    return join(value !== undefined && isAbsolute(value) ? value : join(home, fallback), 'ape-shell');
  };
  const state = xdg('XDG_STATE_HOME', '.local/state');
  const runtime = text(environment, 'XDG_RUNTIME_DIR');
  const data = xdg('XDG_DATA_HOME', DATA_HOME);
  return success({
    home,
    apesHome: null,
    configFile: join(xdg('XDG_CONFIG_HOME', '.config'), 'config.toml'),
    state,
    keys: join(data, 'keys'),
    data: join(data, 'server'),
    run: runtime !== undefined && isAbsolute(runtime) ? join(runtime, 'ape-shell') : join(state, 'run'),
  });
}

/** The database of this installation's grant server, unless a setting names another database. */
export const databasePath = (data: string): string => join(data, 'grants.sqlite');

/** The signing key of this installation's grant server. Without such a server, the file is missing. */
export const serverKeyPath = (data: string): string => join(data, 'server-key.pem');

/** The socket of the resident gate. `bin/launcher.c` builds the same path: always change the path in both files. */
export const gateSocketPath = (paths: Paths): string => join(paths.run, 'gate.sock');
