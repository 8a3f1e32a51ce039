/** The server's assessment of a line, in the form that people see. `core/effects/assessment-view.ts` explains the members. */
import { Type } from 'typebox';
import { AgreementSchema } from './host-facts.ts';
import { PermissionSchema, RequiredPermissionSchema, RiskSchema } from './permission.ts';
import { literals, nullable } from './schema-parts.ts';

/** Only assessments of earlier versions contain `gemini`. */
export const FoldedHarnessSchema = literals('claude', 'codex', 'gemini', 'openclaw');

const OpaqueViewSchema = Type.Object({
  code: Type.Optional(Type.String()),
  reason: Type.String(),
  source: Type.String(),
  advice: Type.String(),
});

export const CommandViewSchema = Type.Object({
  source: Type.String(),
  through: Type.Array(Type.String()),
  runs: nullable(Type.String()),
  permission: nullable(PermissionSchema),
  unknown: nullable(Type.String()),
});

export const AssessmentViewSchema = Type.Object({
  text: Type.String(),
  harness: nullable(FoldedHarnessSchema),
  command: Type.String(),
  bash: AgreementSchema,
  risk: nullable(RiskSchema),
  opaque: Type.Array(OpaqueViewSchema),
  commands: Type.Array(CommandViewSchema),
  demands: nullable(Type.Array(RequiredPermissionSchema)),
  deciding: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'Names of the variables that make the risk unknown: they may decide what runs, and have values that few environments have. `risk` is then null. Absent: there are no such variables, or an approved request of the same requester had exactly these variables and values',
    }),
  ),
});
