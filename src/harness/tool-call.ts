/**
 * One call of a tool, in the same form for all harnesses. The file `tools.ts` of each harness converts the harness's calls into this form.
 */
import type { WantedOperation } from '../gate/file-operation.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * - `shell`:      a command for a shell; `put` returns the tool's input with another command
 * - `shells`:     several commands for a shell in one call
 * - `files`:      the operations of a file tool
 * - `fetches`:    the addresses that a web fetch tool wants to read
 * - `ungated`:    a known tool that runs without a grant (a web search, a to-do list, a tool of an MCP server); `why` is a note that nothing prints
 * - `denied`:     a known tool that runs code in a way that cannot be gated
 * - `unknown`:    a known tool with an input whose shape was not examined
 * - `unexamined`: a tool that was not examined; it runs only if the user names it in `hooks.ungated_tools`
 *
 * In `denied`, `unknown` and `unexamined`, `why` is the reason with which the gate denies the call.
 */
export type ToolCall =
  | { readonly kind: 'shell'; readonly command: string; readonly put: (command: string) => JsonObject }
  | {
      readonly kind: 'shells';
      readonly commands: readonly string[];
      readonly put: (commands: readonly string[]) => JsonObject;
    }
  | { readonly kind: 'files'; readonly operations: readonly WantedOperation[] }
  | { readonly kind: 'fetches'; readonly urls: readonly string[] }
  | { readonly kind: 'ungated'; readonly why: string }
  | { readonly kind: 'denied'; readonly why: string }
  | { readonly kind: 'unknown'; readonly why: string }
  | { readonly kind: 'unexamined'; readonly why: string };

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the text of this member; null if it is missing or not a text. */
export function textIn(input: JsonObject, name: string): string | null {
  const value = Object.hasOwn(input, name) ? input[name] : undefined;
  return typeof value === 'string' ? value : null;
}

export const ungated = (why: string): ToolCall => ({ kind: 'ungated', why });
export const denied = (why: string): ToolCall => ({ kind: 'denied', why });
export const unknown = (why: string): ToolCall => ({ kind: 'unknown', why });

/** Reads a call of a shell tool whose command is the member `name`; null if that member is not a text. */
export function shellCall(input: JsonObject, name: string): ToolCall | null {
  const command = textIn(input, name);
  return command === null ? null : { kind: 'shell', command, put: (other) => ({ ...input, [name]: other }) };
}
