/** What `apes explain --json` prints of an assessment. */
import type { Assessment } from '../../core/effects/assess-line.ts';

/** The names are those that programs read: the effects of a command are its `judgement` here. */
export const explanationJson = (assessment: Assessment) => ({
  ...assessment,
  commands: assessment.commands.map(({ effects, ...command }) => ({ ...command, judgement: effects })),
});
