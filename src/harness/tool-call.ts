/**
 * One call of a tool, in a form that is the same for all harnesses. `tools.ts` of each harness reads its shapes into
 * it.
 */
import type { WantedOperation } from '../gate/file-operation.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * - `shell`:      a command for a shell; `put` makes the tool's input with another command
 * - `shells`:     several commands for a shell in one call
 * - `files`:      what a file tool wants to do
 * - `fetches`:    addresses that a web fetch tool wants to read
 * - `ungated`:    known, and passes without a grant (a search on the web, a to-do list, MCP); `why` is for the documentation
 * - `denied`:     known to run code in a way that cannot be gated
 * - `unknown`:    a known tool with an input in a shape that was not examined
 * - `unexamined`: a tool that was not examined; it runs only if the user names it in `hooks.ungated_tools`
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
