/** What the gate has to know of one harness: how it asks, which tools it has, which of its versions hold. */
import type { OwnOutput } from '../gate/file-operation.ts';
import type { HookProtocol } from './dialect.ts';
import type { HarnessTools } from './harness-tools.ts';
import type { JsonObject } from './tool-call.ts';

/**
 * @property shellGates how the shell itself may be ours, so that the command needs no other words around it:
 *                      `path`: the harness runs `bash` from PATH; `variable`: it runs `$SHELL`; null: not to be told from here
 * @property isCalledDirectly its guard is started without a shell, and every end of it but exit 0 is a denial, as was seen
 * @property project    the variable in which the harness names the session's directory, or null
 * @property program    its program in PATH, or null
 * @property observed   the versions that what is said about it was seen in
 * @property lowest     the lowest version seen to hold; an older one is refused
 * @property ownOutput  where it keeps what the tools of this session printed, for the agent to read
 * @property toldVersion which version runs, by the environment that it gives its hooks; null where it does not say
 * @property isDriven   false: it was not driven by us; what is said about it is from its documentation
 * @property obeysExitTwo false: exit 2 lets the tool run, and only an answer in its own words denies
 * @property sample     how it names its shell tool and its writing tool, and the event before a tool (null: our own protocol).
 *                      `make`: the whole event where it is not of Claude Code's form; `command`: the shell tool's input where
 *                      that is not `{command}`
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
  readonly toldVersion?: (variable: (name: string) => string | undefined) => string | null;
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
