/** The part of a request that describes one tool call. The tool belongs to an MCP server, or to an agent that asks permission. */
import { type Fault, fault } from '../fault.ts';
import { canonicalJson } from '../grant/canonical-json.ts';
import type { ExecutionRequest } from '../grant/request.ts';
import { isRecord } from '../shape.ts';
import { visibleLine } from '../text/visible-text.ts';
import type { McpCallSchema } from '../wire/mcp-call.ts';
import type { Shape } from '../wire/schema-parts.ts';

/**
 * One call. In the request, `argv` is the command of the server, and `cwd` is the directory in which the server was started.
 * @property server    the name that the user gave to the server, or a name that was made from its command; the name proves nothing
 * @property files     the program of the server, and the files that the command names; each with the SHA-256 of its content when the
 *                     server started
 * @property declared  SHA-256 of the server's last declaration of the tool to the client; null: the server has not declared the tool
 * @property listed    SHA-256 of all declarations of the server together; null: the server has declared no tool to the client. A scope
 *                     for several tools depends on this digest. The fingerprint of the request does not contain this digest
 * @property protocol  `acp`: the server is an agent of the Agent Client Protocol, and the tool is a tool of this agent; absent: the
 *                     server is an MCP server
 * @property arguments canonical JSON of the tool's arguments
 */
export type McpCall = Shape<typeof McpCallSchema>;

/** The most files of one server. */
export const MAX_SERVER_FILES = 32;

/**
 * Returns the text for a human: the tool, the server, and all arguments, never cut.
 * @throws if `arguments` is not JSON
 */
export function mcpRequestText({ server, tool, protocol, arguments: given }: McpCall): string {
  return `${visibleLine(tool)} of the ${calledParty(protocol)} ${visibleLine(server)}\n${JSON.stringify(JSON.parse(given), null, 2)}\n`;
}

/** Returns the kind of the called party, in words for people. */
export const calledParty = (protocol: McpCall['protocol']): string => (protocol === 'acp' ? 'agent' : 'MCP server');

/** Returns the parts of a call that the fingerprint contains; for `canonicalRequest`. */
export const canonicalMcpCall = (call: McpCall): readonly unknown[] => [
  call.server,
  call.files.map(({ path, digest }) => [path, digest]),
  call.tool,
  call.declared,
  call.arguments,
  ...(call.protocol === undefined ? [] : [call.protocol]),
];

/** Returns what is wrong with `request.mcp`, or null. A request of kind `mcp` must have this member. No other request may have it. */
export function mcpCallFault({ kind, text, argv, mcp }: ExecutionRequest): Fault | null {
  if (mcp === undefined) return kind === 'mcp' ? fault('a request of kind mcp must name the call') : null;
  if (kind !== 'mcp') return fault(`a request of kind ${kind} must not have a call of an MCP server`);
  if (argv.length === 0) return fault('a request of kind mcp must have the command of the server as its argv');
  const given = parsedObject(mcp.arguments);
  if (given === null || canonicalJson(given) !== mcp.arguments)
    return fault('the arguments are not canonical JSON of an object');
  return text === mcpRequestText(mcp) ? null : fault('the text does not match the call');
}

/** Parses a JSON object. Returns null if the text is not JSON, or is JSON of another value. */
export function parsedObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

/**
 * Whether both calls probably go to the same server. Compares name, protocol, command, files, directory, host, user and environment.
 * Returns false if one request has no call.
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
