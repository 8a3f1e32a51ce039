/** Makes the request for a call of a tool, or for a web fetch. The tool belongs to an MCP server or to an agent. */

import { type Failure, failure } from '../core/failure.ts';
import { type FileOperation, MAX_OPERATIONS } from '../core/files/file-operation.ts';
import { canonicalJson } from '../core/grant/canonical-json.ts';
import type { EnvironmentEntry, ExecutionRequest } from '../core/grant/request.ts';
import { failed, type Result, success } from '../core/result.ts';
import { type Fetch, fetchRequestText, MAX_FETCHES } from '../core/tools/fetch.ts';
import { type McpCall, mcpRequestText } from '../core/tools/mcp-call.ts';
import { type McpPath, type McpServerRule, mcpEffectOf } from '../core/tools/mcp-rule.ts';
import { sha256Hex } from '../platform/digest.ts';
import { currentHost, currentUser } from '../platform/surroundings.ts';
import { webOrigin } from '../platform/web-origin.ts';
import { resolvePath } from './facts/resolve-path.ts';
import { type HostPlaces, hostDanger } from './file-request.ts';

/**
 * A started MCP server, or a started agent of the Agent Client Protocol.
 * @property name        the name that the user gave to the server, or a name that was made from `argv`
 * @property environment the variables that affect which programs the server's command runs
 */
export interface StartedServer {
  readonly name: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly files: McpCall['files'];
  readonly environment: readonly EnvironmentEntry[];
}

/** @property declared, listed, protocol see `McpCall` */
export interface WantedCall {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly declared: string | null;
  readonly listed: string | null;
  readonly protocol?: McpCall['protocol'];
}

/**
 * The most bytes of the request's text and arguments together, as JSON. This limit is lower than the server's body limit
 * (`MAX_ASK_BODY_BYTES`): the body also contains the rest of the request.
 */
const MAX_SENT = 3_500_000;

const MAX_TOOL_NAME = 1_000;
const MAX_ADDRESS = 8_000;

/**
 * Makes the request for a tool call. Fails if `resolvePath` fails for a path of the call. Fails with exit status 65 if:
 * - the arguments are nested too deep, have a number that is too large, or are too long
 * - the name of the tool is empty or too long, or has NUL or half of a surrogate pair
 * - the call names too many paths
 */
export function describeToolCall(
  server: StartedServer,
  wanted: WantedCall,
  rules: readonly McpServerRule[],
  places: HostPlaces,
): Result<ExecutionRequest, Failure> {
  const given = canonicalJson(wanted.arguments);
  if (given === null)
    return failed(
      failure(
        'unreadable',
        'refused: the arguments are nested too deep, or have a number that is too large',
        'send flatter arguments, and a large number as a text',
      ),
    );
  if (wanted.tool === '' || wanted.tool.length > MAX_TOOL_NAME)
    return failed(
      failure('unreadable', `refused: the name of the tool does not have 1 to ${MAX_TOOL_NAME} characters`),
    );
  if (/\p{Surrogate}|\0/u.test(wanted.tool))
    return failed(failure('unreadable', 'refused: the name of the tool has a character that cannot be shown'));
  const mcp: McpCall = {
    server: server.name,
    files: server.files,
    tool: wanted.tool,
    declared: wanted.declared,
    listed: wanted.listed,
    ...(wanted.protocol === undefined ? {} : { protocol: wanted.protocol }),
    arguments: given,
  };
  const text = mcpRequestText(mcp);
  if (Buffer.byteLength(JSON.stringify([text, given])) > MAX_SENT)
    return failed(
      failure('unreadable', 'refused: the arguments are too long to be shown to an approver', 'send less at once'),
    );
  const effect = mcpEffectOf(rules, server.argv, mcp);
  const files = effect.kind === 'known' ? filesOf(effect.paths, given, places) : success([]);
  if (!files.ok) return files;
  return success({
    kind: 'mcp',
    text,
    argv: server.argv,
    cwd: server.cwd,
    host: currentHost(),
    user: currentUser(),
    environment: server.environment,
    ...(files.value.length === 0 ? {} : { files: files.value }),
    mcp,
  });
}

/** Resolves the paths of the call. Fails if a path cannot be resolved: the approver could not see the real path. */
function filesOf(
  paths: readonly McpPath[],
  given: string,
  places: HostPlaces,
): Result<readonly FileOperation[], Failure> {
  if (paths.length > MAX_OPERATIONS)
    return failed(failure('unreadable', `refused: the call names more than ${MAX_OPERATIONS} paths`, 'name fewer'));
  const files: FileOperation[] = [];
  for (const { verb, asked } of paths) {
    const at = resolvePath(asked, '/');
    if (!at.ok) return at;
    const hasContent = verb === 'write' || verb === 'edit';
    files.push({
      verb,
      path: at.value.path,
      askedPath: asked,
      digest: hasContent ? sha256Hex(given) : null,
      resultDigest: null,
      bytes: hasContent ? Buffer.byteLength(given) : null,
      danger: hostDanger(verb, at.value, places),
    });
  }
  return success(files);
}

/**
 * Makes the request for a web fetch. Fails if `resolvePath` fails for `project`. Fails with exit status 65 if:
 * - there is no address, or there are too many addresses
 * - an address is too long, or is not a plain http or https address
 * @param project the absolute path of the request's directory
 */
export function describeFetch(urls: readonly string[], project: string): Result<ExecutionRequest, Failure> {
  if (urls.length === 0 || urls.length > MAX_FETCHES)
    return failed(failure('unreadable', `refused: ${urls.length} addresses at once`, `name 1 to ${MAX_FETCHES}`));
  const directory = resolvePath(project, '/');
  if (!directory.ok) return directory;
  const fetches: Fetch[] = [];
  for (const url of urls) {
    if (url.length > MAX_ADDRESS)
      return failed(failure('unreadable', `refused: an address has more than ${MAX_ADDRESS} characters`));
    const origin = webOrigin(url);
    if (origin === null)
      return failed(
        failure(
          'unreadable',
          `refused: ${JSON.stringify(url.slice(0, 200))} is no plain http or https address`,
          'write https://HOST/PATH, without a user name, a password, a blank or a backslash',
        ),
      );
    fetches.push({ method: 'GET', url, origin });
  }
  return success({
    kind: 'fetch',
    text: fetchRequestText(fetches),
    argv: [],
    cwd: directory.value.path,
    host: currentHost(),
    user: currentUser(),
    environment: [],
    fetches,
  });
}
