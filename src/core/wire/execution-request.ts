/** A request: what a requester asks to run. `core/grant/request.ts` explains the members. */
import { Type } from 'typebox';
import { MAX_OPERATIONS } from '../files/file-operation.ts';
import { MAX_FETCHES } from '../tools/fetch.ts';
import { FetchSchema } from './fetch.ts';
import { FileOperationSchema } from './file-operation.ts';
import { McpCallSchema } from './mcp-call.ts';
import { PlanSchema } from './plan.ts';
import { closed, literals } from './schema-parts.ts';

const ExecutionKindSchema = literals('command', 'stdin', 'script', 'argv', 'line', 'file', 'mcp', 'fetch', 'plan');

const Variable = Type.Object(
  { name: Type.String({ minLength: 1 }), value: Type.String(), digest: Type.Optional(Type.Literal(true)) },
  closed,
);

export const ExecutionRequestSchema = Type.Object(
  {
    kind: ExecutionKindSchema,
    text: Type.String(),
    argv: Type.Array(Type.String()),
    cwd: Type.String({ pattern: '^/', description: 'Absolute path' }),
    place: Type.Optional(
      Type.String({
        maxLength: 100,
        description: 'The identity of the directory `cwd`, in a form that only the host reads',
      }),
    ),
    host: Type.String(),
    user: Type.String(),
    environment: Type.Array(Variable, { description: 'Sorted by name in code unit order; no name twice' }),
    files: Type.Optional(
      Type.Array(FileOperationSchema, {
        minItems: 1,
        maxItems: MAX_OPERATIONS,
        description: 'Kind `file`: the operations; kind `mcp`: the paths that a rule file finds in the arguments',
      }),
    ),
    mcp: Type.Optional(McpCallSchema),
    fetches: Type.Optional(Type.Array(FetchSchema, { minItems: 1, maxItems: MAX_FETCHES })),
    plan: Type.Optional(PlanSchema),
  },
  closed,
);
