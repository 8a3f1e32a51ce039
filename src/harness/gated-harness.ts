/** What the gate has to know of one harness: its dialect, its tools, and in which versions the gate holds. */
import type { OwnOutput } from '../gate/file-operation.ts';
import type { HookProtocol } from './dialect.ts';
import type { HarnessTools } from './harness-tools.ts';
import type { JsonObject } from './tool-call.ts';

/**
 * @property shellGates       how the harness finds its shell. If that is ape-shell, a command is gated and needs no change.
 *                            `path`: it runs `bash` from PATH; `variable`: it runs `$SHELL`; null: the gate cannot know
 * @property isCalledDirectly the harness starts the guard without a shell, and every end of the guard but exit 0 was seen to be
 *                            a denial
 * @property project          the variable that names the session's directory, or null
 * @property program          name of its program in PATH, or null
 * @property observed         the versions in which all this was seen
 * @property lowest           the lowest version seen to hold; an older one is refused
 * @property ownOutput        the directories in which it keeps the output of this session's tools, for the agent to read
 * @property versionOf        reads the version that runs from the environment of its hooks; null if it is not named there
 * @property isDriven         false: it was not driven by us; all this is from its documentation
 * @property obeysExitTwo     false: exit 2 lets the tool run, and only an answer in its dialect denies
 * @property sample           how it names its shell tool and its writing tool, and the event before a tool (null: our own
 *                            protocol). `make`: the whole event if it is not of Claude Code's form; `command`: the shell tool's
 *                            input where that is not `{command}`
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
  readonly obeysExitTwo?: false;
  readonly sample: {
    readonly event: string | null;
    readonly shell: string;
    readonly write: (path: string) => { readonly tool: string; readonly input: JsonObject };
    readonly make?: (tool: string, input: JsonObject, cwd: string) => JsonObject;
    readonly command?: (command: string) => JsonObject;
  };
}
