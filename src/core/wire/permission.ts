/**
 * The schemas of permissions: what one simple command would do. `permission.ts`, `program.ts` and `assess-line.ts` in `core/effects/`
 * explain the members.
 */
import { Type } from 'typebox';
import { ACCESSES, RESOURCE_KINDS, RISKS } from '../effects/permission.ts';
import { literals, nullable } from './schema-parts.ts';

export const RiskSchema = literals(...RISKS);
export const ResourceKindSchema = literals(...RESOURCE_KINDS);
export const AccessSchema = literals(...ACCESSES);

const ResourceSchema = Type.Object({
  kind: ResourceKindSchema,
  access: AccessSchema,
  value: Type.String(),
  isExact: Type.Boolean(),
});

export const PermissionSchema = Type.Object({
  tool: Type.String(),
  operation: Type.String(),
  options: Type.Array(Type.String()),
  resources: Type.Array(ResourceSchema),
  risk: RiskSchema,
  sentence: Type.String(),
});

export const ProgramSchema = Type.Object({
  name: Type.String(),
  realPath: nullable(Type.String()),
  changeable: literals('root', 'user'),
});

export const RequiredPermissionSchema = Type.Object({
  permission: PermissionSchema,
  programs: Type.Array(ProgramSchema),
  source: Type.String(),
});
