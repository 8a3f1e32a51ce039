/** Lists what a file operation, a tool call or a fetch does. The server and the host run this code, each with its own rule files. */
import type { Permission } from '../effects/permission.ts';
import { type FileVerb, isReading } from '../files/file-operation.ts';
import type { ExecutionRequest } from '../grant/request.ts';
import { dangerOf, dangerReason } from '../sensitive/dangerous-places.ts';
import { hostOfOrigin, privateHost } from '../tools/fetch.ts';
import { agreesWithPaths, type McpServerRule } from '../tools/mcp-rule.ts';
import { effectOfCall } from './call-scope-covers.ts';

type Rules = readonly McpServerRule[];

const ACCESS = {
  read: 'read',
  search: 'read',
  write: 'write',
  edit: 'write',
  delete: 'delete',
} as const satisfies Record<FileVerb, string>;

/**
 * Returns the permissions of a request for file operations, a tool call or fetches; an empty list for a command line. A tool call has one
 * permission for each of its paths. The last permission is for the call itself. The server checks its forbidding rules against these
 * permissions.
 * The operations of the permissions are `file VERB`, `mcp SERVER TOOL`, `acp AGENT TOOL` and `fetch`.
 */
export function permissionsOf(rules: Rules, request: ExecutionRequest): readonly Permission[] {
  const { mcp, files = [], fetches = [] } = request;
  const inFiles = files.map(
    ({ verb, path }): Permission => ({
      tool: 'file',
      operation: `file ${verb}`,
      options: [],
      resources: [{ kind: 'path', access: ACCESS[verb], value: path, isExact: verb !== 'search' }],
      risk: isReading(verb) ? 'low' : 'medium',
      sentence: '',
    }),
  );
  const inWeb = fetches.map(fetchPermission);
  return [...inFiles, ...inWeb, ...(mcp === undefined ? [] : [mcpPermission(rules, request)])];
}

/** Returns the permission to fetch one address. The risk is high, unless the host is certainly on the public web (`privateHost`). */
export function fetchPermission({ url, origin }: { readonly url: string; readonly origin: string }): Permission {
  const host = hostOfOrigin(origin);
  return {
    tool: 'fetch',
    operation: 'fetch',
    options: [],
    resources: [
      { kind: 'host', access: 'contact', value: host, isExact: true },
      { kind: 'url', access: 'read', value: url, isExact: true },
    ],
    risk: privateHost(host) === null ? 'low' : 'high',
    sentence:
      privateHost(host) === null
        ? 'Reads a page on the web. The site gets the whole address, with all data in it. The model reads the page.'
        : `Reads an address that is perhaps not on the public web: it ${privateHost(host)}.`,
  };
}

/**
 * Returns the permission of a tool call. A call is unknown in two cases: no rule file describes the call, or the request names other paths
 * than the call. For an unknown call, the risk is high and the sentence is empty. If a path is dangerous, the risk is high, too.
 * @param request has the member `mcp`
 */
export function mcpPermission(rules: Rules, request: ExecutionRequest): Permission {
  const { mcp, files = [] } = request;
  const effect = effectOfCall(rules, request);
  const isKnown = effect.kind === 'known' && agreesWithPaths(effect, request);
  const danger = files.map(dangerOf).find((code) => code !== null);
  const careful = danger == null ? '' : ` Careful: ${dangerReason(danger)}.`;
  return {
    tool: 'mcp',
    operation: `${mcp?.protocol ?? 'mcp'} ${mcp?.server} ${mcp?.tool}`,
    options: [],
    resources: files.map(({ verb, path }) => ({
      kind: 'path',
      access: ACCESS[verb],
      value: path,
      isExact: verb !== 'search',
    })),
    risk: !isKnown || danger != null ? 'high' : effect.risk,
    sentence: isKnown ? `${effect.sentence}${careful}` : '',
  };
}
