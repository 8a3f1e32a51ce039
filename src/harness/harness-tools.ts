/** The table of a harness's tools, and the function that reads a call of a tool. */
import type { ReadTool } from './file-tools.ts';
import { denied, type JsonObject, type ToolCall, ungated, unknown } from './tool-call.ts';

/**
 * @property tools      the tools that go through the gate, each with the function that reads its input
 * @property denied     the tools that could run code past the gate, each with the reason; such a tool never runs
 * @property ungated    the tools that neither run code nor touch files of this host; the harness can still ask the person
 * @property isOfServer whether a tool belongs to an MCP server; such a tool is not gated, and `apes hooks check` says so
 */
export interface HarnessTools {
  readonly tools: Readonly<Record<string, ReadTool>>;
  readonly denied: Readonly<Record<string, string>>;
  readonly ungated: readonly string[];
  readonly isOfServer: (tool: string, event: JsonObject) => boolean;
}

/** Reads the call of a tool. `event` is the whole event of the hook; for some harnesses, it contains the names of the MCP servers. */
export function readToolCall(harness: HarnessTools, tool: string, input: JsonObject, event: JsonObject): ToolCall {
  if (Object.hasOwn(harness.tools, tool)) {
    const call = harness.tools[tool]?.(input) ?? null;
    return call ?? unknown(`the input of ${tool} has a shape that ape-shell does not know`);
  }
  if (Object.hasOwn(harness.denied, tool)) return denied(`${tool} is not available: ${harness.denied[tool]}`);
  if (harness.ungated.includes(tool)) return ungated('it runs no command and changes no file of this host');
  if (harness.isOfServer(tool, event)) return ungated('it belongs to an MCP server, which is not gated');
  return {
    kind: 'unexamined',
    why: `ape-shell does not know the tool ${tool.slice(0, 80)}; use the shell tool or the file tools, or ask a human to name this tool in hooks.ungated_tools`,
  };
}
