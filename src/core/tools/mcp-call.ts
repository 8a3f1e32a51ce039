/** One call of an MCP server's tool, or of a tool that an agent asks for, as a request: which server, which tool, with which arguments. */
import { canonicalJson } from '../grant/canonical-json.ts';
import type { ExecutionRequest } from '../grant/request.ts';
import { visibleLine } from '../text/visible-text.ts';
import type { McpCallSchema } from '../wire/mcp-call.ts';
import type { Shape } from '../wire/schema-parts.ts';

/**
 * The command of the server is the request's `argv`, the directory it was started in its `cwd`.
 * @property server    what its user calls it: a name, not a proof
 * @property files     the program and those of its words that are files, with the SHA-256 of their contents when it was started
 * @property declared  SHA-256 of how the server declared the tool to the client, the last time; null: it did not
 * @property listed    SHA-256 of all its declarations together; not bound, but a scope for several tools asks for it
 * @property protocol  `acp`: the server is an agent of the Agent Client Protocol, and the tool its own
 * @property arguments canonical JSON of what the tool gets
 */
export type McpCall = Shape<typeof McpCallSchema>;

/** So many files of one server are distinguished. */
export const MAX_SERVER_FILES = 32;

/** What a human reads: the tool, the server, and all that the tool gets, never cut. */
export function mcpRequestText({ server, tool, protocol, arguments: given }: McpCall): string {
  return `${visibleLine(tool)} of the ${calledParty(protocol)} ${visibleLine(server)}\n${JSON.stringify(JSON.parse(given), null, 2)}\n`;
}

/** What stands at the other end, for people. */
export const calledParty = (protocol: McpCall['protocol']): string => (protocol === 'acp' ? 'agent' : 'MCP server');

/** All that an approval of exactly this binds; part of `canonicalRequest`. */
export const canonicalMcpCall = (call: McpCall): readonly unknown[] => [
  call.server,
  call.files.map(({ path, digest }) => [path, digest]),
  call.tool,
  call.declared,
  call.arguments,
  ...(call.protocol === undefined ? [] : [call.protocol]),
];

/** Null when it is what it must be; otherwise what is wrong. */
export function mcpCallFault({ kind, text, argv, mcp }: ExecutionRequest): string | null {
  if (mcp === undefined) return kind === 'mcp' ? 'a request of kind mcp names the call' : null;
  if (kind !== 'mcp') return `a request of kind ${kind} has no call of an MCP server`;
  if (argv.length === 0) return 'a request of kind mcp has the command of the server as its argv';
  const given = parsedObject(mcp.arguments);
  if (given === null || canonicalJson(given) !== mcp.arguments)
    return 'the arguments are not canonical JSON of an object';
  return text === mcpRequestText(mcp) ? null : 'the text is not what the call says';
}

/** The object that a JSON text is, or null. */
export function parsedObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : null;
  } catch {
    return null;
  }
}

/**
 * Whether both calls go to the same server, as far as is known: started alike, from the same files, in the same
 * directory.
 */
export function isSameServer(asked: ExecutionRequest, wanted: ExecutionRequest): boolean {
  const identity = ({ argv, cwd, host, user, environment, mcp }: ExecutionRequest): string =>
    JSON.stringify([
      argv,
      cwd,
      host,
      user,
      environment.map(({ name, value, digest }) => [name, value, digest === true]),
      mcp?.server,
      mcp?.protocol,
      mcp?.files.map(({ path, digest }) => [path, digest]),
    ]);
  return asked.mcp !== undefined && wanted.mcp !== undefined && identity(asked) === identity(wanted);
}
