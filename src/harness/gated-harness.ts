/**
 * What the gate has to know about one harness: its dialect, its tools, and the versions in which the gate was seen to hold, that is, to
 * stop every call that no grant covers.
 */
import type { OwnOutput } from '../gate/file-operation.ts';
import type { HookProtocol } from './dialect.ts';
import type { HarnessTools } from './harness-tools.ts';
import type { JsonObject } from './tool-call.ts';

/**
 * @property shellGates       how the harness finds its shell: `path`: it runs `bash` from PATH; `variable`: it runs `$SHELL`; null: by
 *                            neither of them, or not known. If the shell is ape-shell, a command is gated and needs no change
 * @property isCalledDirectly whether the harness starts the guard without a shell, and was seen to deny after any end except exit 0
 * @property project          the environment variable with the session's directory; null: there is none
 * @property program          the name of the harness's program in PATH; null: there is none (`generic`)
 * @property observed         the versions in which all this was seen
 * @property lowest           the lowest version in which the gate was seen to hold; an older version is refused. Absent: none is refused
 * @property ownOutput        returns the directories in which the harness keeps the output of this session's tools for the agent; absent,
 *                            or an empty list: they are not known
 * @property versionOf        reads the version of the harness from the environment of its hooks; returns null if it is not there
 * @property isDriven         false: we have not run this harness; all this is from its documentation or source code
 * @property hasKnownDirectory false: relative paths of the file tools do not begin at the directory in the event, or this was not tried;
 *                            so only absolute paths are accepted
 * @property obeysExitTwo     false: after exit 2 the harness runs the tool, and only an answer in its dialect denies
 * @property sample           the names of the shell tool, of a tool that writes, and of the event before a tool (null: our own protocol).
 *                            `make` makes the whole event, if its form differs from Claude Code's. `command` makes the input of the
 *                            shell tool, if it is not `{command}`
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
  readonly isDriven?: false;
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
