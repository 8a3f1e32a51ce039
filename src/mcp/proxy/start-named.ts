/** Starts the MCP server or agent behind a proxy. Finds its name, command and files, which the requests for approval will show. */
import { type Failure, failure } from '../../core/failure.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { baseName } from '../../core/text/path.ts';
import type { StartedServer } from '../../gate/tool-request.ts';
import { withoutOwnVariables } from '../../platform/paths.ts';
import { filesOfCommand } from '../../platform/server-files.ts';
import { boundEntriesFor, currentDirectory } from '../../platform/surroundings.ts';
import { type ServerProcess, startMcpServer } from './server-process.ts';

/**
 * @property argv the command of the server or agent
 * @property name the name that the user chose; null: a name is made from `argv`
 * @property what the word for messages: `server` or `agent`
 * @property environment the caller's variables; the command does not get the variables of ape-shell (`withoutOwnVariables`)
 * @property dist the directory of the built files
 */
export interface NamedCommand {
  readonly argv: readonly string[];
  readonly name: string | null;
  readonly what: string;
  readonly environment: ReadonlyMap<string, Buffer>;
  readonly dist: string;
}

/** Variables whose values name code that a program loads before its own code. */
const LOADING: readonly string[] = [
  ...['NODE_OPTIONS', 'BUN_OPTIONS', 'RUBYOPT', 'PERL5OPT', 'JAVA_TOOL_OPTIONS', 'JDK_JAVA_OPTIONS'],
  ...['BASH_ENV', 'ENV', 'LD_PRELOAD', 'LD_AUDIT', 'DYLD_INSERT_LIBRARIES'],
];

/**
 * Starts the command, and compares its files before and after the start. If a file changed, stops the process and fails (exit status 77).
 * So the requests show exactly the files that were started.
 */
export function startNamed({
  argv,
  name,
  what,
  environment,
  dist,
}: NamedCommand): Result<{ readonly server: StartedServer; readonly child: ServerProcess }, Failure> {
  const cwd = currentDirectory();
  if (!cwd.ok) return cwd;
  const path = environment.get('PATH')?.toString('utf8') ?? '';
  const loads = LOADING.flatMap((each) => environment.get(each)?.toString('utf8') ?? []);
  const command = filesOfCommand(argv, path, cwd.value, loads);
  if (!command.ok) return command;
  const { program, files } = command.value;
  const variables = withoutOwnVariables(environment);
  const child = startMcpServer({ file: program, argv }, cwd.value, variables, dist);
  if (!child.ok) return child;
  const again = filesOfCommand(argv, path, cwd.value, loads);
  if (!again.ok || JSON.stringify(again.value) !== JSON.stringify(command.value)) {
    void child.value.stop();
    return failed(failure('refused', `refused: a file of the ${what} changed while it was started`, 'start it again'));
  }
  const server: StartedServer = {
    name: name ?? nameOf(argv, what),
    argv,
    cwd: cwd.value,
    files,
    environment: boundEntriesFor(variables, []),
  };
  return success({ server, child: child.value });
}

/**
 * Makes a name from the program or, for a runner such as `npx`, from the first argument that does not begin with `-`. A path in
 * `node_modules` gives the name of its package. A scoped package name stays as it is. Any other word gives its last path part.
 */
function nameOf(argv: readonly string[], what: string): string {
  const [first = '', ...rest] = argv;
  const isRunner = /(?:^|\/)(?:npx|bunx|uvx|node|python3?|deno|bun)$/.test(first);
  const word = isRunner ? (rest.find((each) => !each.startsWith('-')) ?? first) : first;
  const inPackage = /.*\/node_modules\/((?:@[^/]+\/)?[^/.][^/]*)\//.exec(word)?.[1];
  const isPackage = /^@[\w.-]+\/[\w.@-]+$/.test(word);
  const name = inPackage ?? (isPackage ? word : baseName(word));
  return name.slice(0, 200) || what;
}

/**
 * A relay between a client and a server.
 * @property fromServer returns a text that says why the server's side ended
 * @property end        to be called when the server has ended; answers the open requests of the client with errors
 * @property leave      to be called when the client has ended; ends the waits for decisions
 */
interface TwoWayRelay {
  readonly fromClient: () => Promise<void>;
  readonly fromServer: () => Promise<string>;
  readonly end: (why: string) => Promise<void>;
  readonly leave: () => void;
}

/**
 * Relays until one side ends or `stopSignal` is aborted. Then stops the server. Returns a text that says why the server ended. Returns
 * null if the client ended, or if `stopSignal` was aborted.
 */
export async function untilOneEnds(
  relay: TwoWayRelay,
  child: ServerProcess,
  stopSignal: AbortSignal,
): Promise<string | null> {
  const stopped = new Promise<'client'>((resolve) => {
    stopSignal.addEventListener('abort', () => resolve('client'), { once: true });
    if (stopSignal.aborted) resolve('client');
  });
  const clientOver = relay.fromClient().then(
    () => 'client' as const,
    () => 'client' as const,
  );
  const serverOver = Promise.race([relay.fromServer().catch(() => 'its output broke'), child.ended]);
  const over = await Promise.race([clientOver, stopped, serverOver]);
  if (over === 'client') {
    relay.leave();
    await child.stop();
    return null;
  }
  await child.stop();
  const why = `${over}, ${await child.ended}`;
  await relay.end(why);
  return why;
}
