/**
 * What the gate has to know about one harness, such as its dialect and its tools. "The gate holds" means: the gate stops every call that no
 * grant covers.
 */
import type { OwnOutput } from '../gate/file-operation.ts';
import type { HookProtocol } from './dialect.ts';
import type { HarnessTools } from './harness-tools.ts';
import type { JsonObject } from './tool-call.ts';

/**
 * @property shellGates       how the harness finds its shell. `path`: the harness runs `bash` from PATH. `variable`: the harness runs
 *                            `$SHELL`. null: in another way, or not known. If the shell of the harness is ape-shell, ape-shell gates the
 *                            command, and our hook changes nothing
 * @property isCalledDirectly true: the harness starts the guard without a shell. In our tests, the harness denied the call whenever the
 *                            guard did not exit with 0
 * @property project          the name of the environment variable with the session's directory; null: there is no such variable
 * @property program          the name of the harness's program in PATH; null: there is no program (`generic`)
 * @property observed         the versions in which we saw what this object says
 * @property lowest           the lowest version in which we saw that the gate holds; older versions are refused. Absent: no version is
 *                            refused
 * @property ownOutput        returns the directories where the harness keeps the outputs of this session's tools. The agent reads the
 *                            outputs there. Absent, or an empty list: the directories are not known
 * @property versionOf        reads the version of the harness from the environment of its hooks; returns null if no variable has it
 * @property isTried         false: we have not run this harness; this object comes from the documentation or source code of the harness
 * @property hasKnownDirectory false: the file tools do not resolve relative paths from the directory in the event, or we have not tried
 *                            this. The gate accepts only absolute paths of such a harness
 * @property obeysExitTwo     false: the harness runs the tool after exit 2. Only an answer in the harness's dialect denies the tool
 * @property sample           for test calls. `event` is the name of the event before a tool call (null: our own protocol). `shell` is the
 *                            name of the shell tool. `write` makes a call that writes the file `path`. `make` makes the whole event;
 *                            absent: the event has Claude Code's form. `command` makes the input of the shell tool; absent: the input is
 *                            `{command}`
 */
export interface GatedHarness<Name extends string = string> {
  readonly name: Name;
  readonly title: string;
  readonly tools: HarnessTools;
  readonly dialect: HookProtocol;
  readonly shellGates: 'path' | 'variable' | null;
  readonly isCalledDirectly?: true;
  readonly project: string | null;
  readonly program: string | null;
  readonly observed: readonly string[];
  readonly lowest?: string;
  readonly ownOutput?: (event: JsonObject, variable: (name: string) => string | undefined) => readonly OwnOutput[];
  readonly versionOf?: (variable: (name: string) => string | undefined) => string | null;
  readonly isTried?: false;
  readonly hasKnownDirectory?: false;
  readonly obeysExitTwo?: false;
  readonly sample: {
    readonly event: string | null;
    readonly shell: string;
    readonly write: (path: string) => { readonly tool: string; readonly input: JsonObject };
    readonly make?: (tool: string, input: JsonObject, cwd: string) => JsonObject;
    readonly command?: (command: string) => JsonObject;
  };
}
