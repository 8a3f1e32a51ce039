/** What `apes explain --json` prints of an assessment. */
import type { Assessment } from '../../core/effects/assess-line.ts';

/** The names are those that programs read: required permissions are `demands` here, and the effects of a command its `judgement`. */
export const explanationJson = ({ requiredPermissions, ...assessment }: Assessment) => ({
  ...assessment,
  demands: requiredPermissions,
  commands: assessment.commands.map(({ effects, ...command }) => ({ ...command, judgement: effects })),
});
