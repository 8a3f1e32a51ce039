/**
 * A tool call: to an MCP server behind `apes mcp-proxy`, or by an agent behind `apes acp`. `McpCall` in `core/tools/mcp-call.ts` explains
 * the members.
 */
import { Type } from 'typebox';
import { MAX_SERVER_FILES } from '../tools/mcp-call.ts';
import { closed, Fingerprint, list, literals, nullable, ScopeText } from './schema-parts.ts';

export const McpCallSchema = Type.Object(
  {
    server: Type.String({ minLength: 1, maxLength: 200, description: 'The name that the user gave the server' }),
    files: list(
      Type.Object({ path: Type.String({ ...ScopeText, pattern: '^/' }), digest: Fingerprint }, closed),
      MAX_SERVER_FILES,
    ),
    tool: Type.String({ minLength: 1, maxLength: 1000 }),
    declared: nullable(Fingerprint),
    listed: nullable(Fingerprint),
    protocol: Type.Optional(literals('acp')),
    arguments: Type.String({ minLength: 2, description: 'Canonical JSON of an object: names sorted, no blanks' }),
  },
  closed,
);
