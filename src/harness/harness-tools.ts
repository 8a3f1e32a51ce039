/** Which tools a harness has, as a table; and how one call is read from it. */
import type { ReadTool } from './file-tools.ts';
import { denied, type JsonObject, type ToolCall, ungated, unknown } from './tool-call.ts';

/**
 * @property tools     what goes through the gate
 * @property denied    what can run code past it: never
 * @property ungated   what neither runs code nor touches files here; its own questions stay as they are
 * @property isForeign tools that others brought (MCP servers): not gated, and said so
 */
export interface HarnessTools {
  readonly tools: Readonly<Record<string, ReadTool>>;
  readonly denied: Readonly<Record<string, string>>;
  readonly ungated: readonly string[];
  readonly isForeign: (tool: string, event: JsonObject) => boolean;
}

export function readToolCall(harness: HarnessTools, tool: string, input: JsonObject, event: JsonObject): ToolCall {
  if (Object.hasOwn(harness.tools, tool)) {
    const call = harness.tools[tool]?.(input) ?? null;
    return call ?? unknown(`the input of ${tool} has a shape that ape-shell does not know`);
  }
  if (Object.hasOwn(harness.denied, tool)) return denied(`${tool} is not available: ${harness.denied[tool]}`);
  if (harness.ungated.includes(tool)) return ungated('it runs no command and changes no file of this host');
  if (harness.isForeign(tool, event)) return ungated('it belongs to an MCP server, which is not gated');
  return {
    kind: 'foreign',
    why: `ape-shell does not know the tool ${tool.slice(0, 80)}; use the shell tool or the file tools, or a human names it in hooks.ungated_tools`,
  };
}
