/** An assessment as `apes explain --json` prints it. */
import type { Assessment } from '../../core/effects/assess-line.ts';

/** Uses the names that programs rely on: `demands` for the required permissions, `judgement` for the effects of a command. */
export const explanationJson = ({ requiredPermissions, ...assessment }: Assessment) => ({
  ...assessment,
  demands: requiredPermissions,
  commands: assessment.commands.map(({ effects, ...command }) => ({ ...command, judgement: effects })),
});
