/** What a harness's hook tells about one tool call, in our words. One file per harness reads its own shapes into this. */
import type { WantedOperation } from '../gate/file-operation.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * - `shell`:   a command for a shell; `put` makes the tool's input with another command in its place
 * - `shells`:  several commands for a shell in one call
 * - `files`:   what a file tool wants to do
 * - `fetches`: addresses that a web fetch tool wants to read
 * - `ungated`: known, and not for this gate (a search on the web, a to-do list, MCP); `why` is for the documentation
 * - `denied`:  known to run code in a way that cannot be gated
 * - `unknown`: a shape of a known tool that was not examined
 * - `foreign`: a tool that was not examined; only its user can say that it may run
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
  | { readonly kind: 'foreign'; readonly why: string };

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The text under this name, or null. */
export function textIn(input: JsonObject, name: string): string | null {
  const value = Object.hasOwn(input, name) ? input[name] : undefined;
  return typeof value === 'string' ? value : null;
}

export const ungated = (why: string): ToolCall => ({ kind: 'ungated', why });
export const denied = (why: string): ToolCall => ({ kind: 'denied', why });
export const unknown = (why: string): ToolCall => ({ kind: 'unknown', why });

/** A shell tool whose command is the field `name`; null when it has none. */
export function shellCall(input: JsonObject, name: string): ToolCall | null {
  const command = textIn(input, name);
  return command === null ? null : { kind: 'shell', command, put: (other) => ({ ...input, [name]: other }) };
}
