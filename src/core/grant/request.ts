/**
 * A grant without a scope covers only a request with the same fingerprint. Every member but `place` is part of the fingerprint.
 *
 * All texts are UTF-8 without NUL. Any other text is refused before a request is made (exit status 65).
 */

import { canonicalOperation } from '../files/file-operation.ts';
import { canonicalPlan } from '../plan/plan.ts';
import { canonicalFetch } from '../tools/fetch.ts';
import { canonicalMcpCall } from '../tools/mcp-call.ts';
import type { ExecutionRequestSchema } from '../wire/execution-request.ts';
import type { Shape } from '../wire/schema-parts.ts';

/**
 * - `command`: `bash -c TEXT [NAME [ARG…]]`; `text` is the command, `argv` are all arguments of bash
 * - `stdin`:   bash reads `text` from its standard input (`-s`, or a pipe)
 * - `script`:  bash reads a script file, which `argv` names; `text` is the content of the file at the time of the request
 * - `argv`:    one program with its arguments, without a shell (`apes run -- CMD ARG…`); `text` is the quoted form, for people
 * - `line`:    one complete input of an interactive session; `argv` is empty
 * - `file`:    the operations of a file tool, listed in `files`; `text` describes them for a human; `argv` and `environment` are empty
 * - `mcp`:     one call of an MCP server's tool, in `mcp`; `argv` is the command of the server, and `environment` has the variables
 *              that change which programs the server runs
 * - `fetch`:   the addresses that a web fetch tool reads, in `fetches`; `argv` and `environment` are empty
 * - `plan`:    lines and kinds of lines, in `plan`; `environment` has the variables of all parts, `argv` is empty. A plan itself
 *              never runs: each of its lines is a request of its own
 */
export type ExecutionKind = ExecutionRequest['kind'];

/**
 * A variable that changes what a command does, with its value. A variable that is not set has no entry.
 * @property digest true: `value` is the SHA-256 (hex) of the real value. The real value may be secret, is too long, or is not UTF-8.
 *                  Absent: `value` is the real value
 */
export type EnvironmentEntry = ExecutionRequest['environment'][number];

/** Returns the entries in the order in which a request has them. Fingerprints depend on this order. No two entries have the same name. */
export const inOrderOfNames = (entries: Iterable<EnvironmentEntry>): EnvironmentEntry[] =>
  [...entries].sort((a, b) => (a.name < b.name ? -1 : 1));

/**
 * @property cwd         absolute path
 * @property place       the identity of the directory `cwd` at the time of the request. Only the host reads it. The host runs the request
 *                       only if `cwd` is still the same directory. Not part of the fingerprint: the approver approves the path of the
 *                       directory. Absent: the host compares only the path
 * @property host        the name of the requester's host
 * @property user        the name of the account that runs the request
 * @property environment sorted by name (code unit order), no name twice. A request of kind `line` also has entries for what the session has
 *                       changed: `alias NAME`, `function NAME`, `disabled NAME`, `hash NAME`, `attribute NAME` and the like
 * @property files       of a `file` request: its operations in order, at least one; of an `mcp` request: the paths in its arguments.
 *                       Absent: the request has no files
 */
export type ExecutionRequest = Shape<typeof ExecutionRequestSchema>;

/**
 * Returns the text from which the fingerprint is made: a JSON array. Different requests have different texts. The text begins with a
 * version: 4 with `plan`, 3 with `mcp` or `fetches`, 2 with only `files`, else 1. So a new kind of member does not change the fingerprints
 * of requests without this member, and older grants still cover these requests.
 */
export function canonicalRequest(request: ExecutionRequest): string {
  const places: unknown[] = [
    versionOf(request),
    request.kind,
    request.text,
    request.argv,
    request.cwd,
    request.host,
    request.user,
    request.environment.map((entry) => [entry.name, entry.value, entry.digest === true ? 1 : 0]),
  ];
  if (request.files !== undefined) places.push(request.files.map(canonicalOperation));
  if (request.mcp !== undefined) places.push(['mcp', ...canonicalMcpCall(request.mcp)]);
  if (request.fetches !== undefined) places.push(['fetch', ...request.fetches.map(canonicalFetch)]);
  if (request.plan !== undefined) places.push(['plan', canonicalPlan(request.plan)]);
  return JSON.stringify(places);
}

function versionOf({ files, mcp, fetches, plan }: ExecutionRequest): string {
  if (plan !== undefined) return 'ape-request/4';
  if (mcp !== undefined || fetches !== undefined) return 'ape-request/3';
  return files === undefined ? 'ape-request/1' : 'ape-request/2';
}

/**
 * True if `apes` itself runs nothing for a request of this kind. For a call of a tool, the tool acts. If the call ended before the
 * approval, the agent has to call the tool again. Each line of a plan is a request of its own.
 */
export const isDoneByTool = (kind: ExecutionKind): boolean =>
  kind === 'file' || kind === 'mcp' || kind === 'fetch' || kind === 'plan';
