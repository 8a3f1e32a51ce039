/**
 * One call of a tool, in the same form for all harnesses. The file `tools.ts` of each harness converts the harness's calls into this form.
 */
import { visibleLine } from '../core/text/visible-text.ts';
import type { WantedOperation } from '../gate/file-operation.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * - `shell`:      a command for a shell; `put` returns the tool's input with another command
 * - `shells`:     several commands for a shell in one call
 * - `files`:      the operations of a file tool
 * - `fetches`:    the addresses that a web fetch tool wants to read
 * - `ungated`:    a known tool that runs without a grant (a web search, a to-do list, a tool of an MCP server); nothing prints `why`
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

/** Returns the string in the member `name`; null if the member is missing or not a string. */
export function textIn(input: JsonObject, name: string): string | null {
  const value = Object.hasOwn(input, name) ? input[name] : undefined;
  return typeof value === 'string' ? value : null;
}

export const ungated = (why: string): ToolCall => ({ kind: 'ungated', why });
export const denied = (why: string): ToolCall => ({ kind: 'denied', why });
export const unknown = (why: string): ToolCall => ({ kind: 'unknown', why });

/**
 * Reads a call of a shell tool. The member `name` is the command; returns null if this member is not a string. Denies the call if another
 * member can change what runs: the request has only the command and the directory, so no approver would see the other member.
 */
export function shellCall(input: JsonObject, name: string): ToolCall | null {
  const command = textIn(input, name);
  if (command === null) return null;
  const other = Object.entries(input).find(([member, value]) => member !== name && mayChangeWhatRuns(member, value));
  if (other !== undefined)
    return denied(
      `the gate cannot show ${visibleLine(other[0]).slice(0, 40)} to the approver; leave it out, and write variables into the command (NAME=value command)`,
    );
  return { kind: 'shell', command, put: (replaced) => ({ ...input, [name]: replaced }) };
}

/** Members whose strings are harmless: texts for people, the directory (the request shows it), and names of the call itself. */
const HARMLESS_TEXT =
  /^(?:action|ask|comment|cwd|description|dir_?path|directory|explanation|id|intent|justification|label|name|note|purpose|reason|sandbox_permissions|security|summary|timeout\w*|title|work_?dir|working_?dir(?:ectory)?)$/i;

/**
 * A list or an object can contain variables or arguments. The string of a member outside HARMLESS_TEXT can name variables, another shell or
 * another host.
 */
const mayChangeWhatRuns = (member: string, value: unknown): boolean =>
  typeof value === 'object'
    ? Object.keys(value ?? {}).length > 0
    : typeof value === 'string' && value !== '' && !HARMLESS_TEXT.test(member);
