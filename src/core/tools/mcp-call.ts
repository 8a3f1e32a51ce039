/** One call of a tool of an MCP server, or of a tool for which an agent asks permission, as a part of a request. */
import { canonicalJson } from '../grant/canonical-json.ts';
import type { ExecutionRequest } from '../grant/request.ts';
import { visibleLine } from '../text/visible-text.ts';
import type { McpCallSchema } from '../wire/mcp-call.ts';
import type { Shape } from '../wire/schema-parts.ts';

/**
 * The request's `argv` is the command of the server, its `cwd` the directory in which the server was started.
 * @property server    the name that the user gave the server; it proves nothing
 * @property files     the program, and those of its words that are files, with the SHA-256 of their contents at the
 *                     start
 * @property declared  SHA-256 of the server's last declaration of the tool to the client; null: there was none
 * @property listed    SHA-256 of all its declarations together; not bound by the request, but a scope for several tools
 *                     needs it
 * @property protocol  `acp`: the server is an agent of the Agent Client Protocol, and the tool is its own
 * @property arguments canonical JSON of the tool's arguments
 */
export type McpCall = Shape<typeof McpCallSchema>;

/** The most files of one server. */
export const MAX_SERVER_FILES = 32;

/** The text for a human: the tool, the server, and all arguments, never cut. */
export function mcpRequestText({ server, tool, protocol, arguments: given }: McpCall): string {
  return `${visibleLine(tool)} of the ${calledParty(protocol)} ${visibleLine(server)}\n${JSON.stringify(JSON.parse(given), null, 2)}\n`;
}

/** What the other party is, for people. */
export const calledParty = (protocol: McpCall['protocol']): string => (protocol === 'acp' ? 'agent' : 'MCP server');

/** The members that the fingerprint binds; part of `canonicalRequest`. */
export const canonicalMcpCall = (call: McpCall): readonly unknown[] => [
  call.server,
  call.files.map(({ path, digest }) => [path, digest]),
  call.tool,
  call.declared,
  call.arguments,
  ...(call.protocol === undefined ? [] : [call.protocol]),
];

/** What is wrong with the call in a request; null: nothing. */
export function mcpCallFault({ kind, text, argv, mcp }: ExecutionRequest): string | null {
  if (mcp === undefined) return kind === 'mcp' ? 'a request of kind mcp names the call' : null;
  if (kind !== 'mcp') return `a request of kind ${kind} has no call of an MCP server`;
  if (argv.length === 0) return 'a request of kind mcp has the command of the server as its argv';
  const given = parsedObject(mcp.arguments);
  if (given === null || canonicalJson(given) !== mcp.arguments)
    return 'the arguments are not canonical JSON of an object';
  return text === mcpRequestText(mcp) ? null : 'the text is not what the call says';
}

/** The object in a JSON text; null: the text is none. */
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
 * Whether both calls are to the same server, as far as is known: by its command, its files, its directory and its
 * environment.
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
