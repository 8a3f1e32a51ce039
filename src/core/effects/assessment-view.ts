/**
 * Makes the view of an assessment that the HTTP API returns: the assessment without the syntax tree. The server also makes such views of
 * tool calls, fetches and plans.
 */
import type { EnvironmentEntry } from '../grant/request.ts';
import type { Resolution } from '../reading/resolution.ts';
import type { AssessmentViewSchema, CommandViewSchema } from '../wire/assessment-view.ts';
import type { Shape } from '../wire/schema-parts.ts';
import type { AssessedCommand, Assessment } from './assess-line.ts';

/**
 * One simple command.
 * @property source     the command as written in the line
 * @property through    wrappers around the command, the outermost first: `timeout`, `bash -c`
 * @property runs       what the name of the command means: `/usr/bin/git`, `a builtin of the shell`, `not found: …`; null if the command
 *                      has no name that can be looked up
 * @property permission what the command would do; null if that is not known
 * @property unknown    why the permission is not known; null if the permission is known
 */
export type CommandView = Shape<typeof CommandViewSchema>;

/**
 * @property harness  the harness whose prelude was taken off the text; null: the text had no prelude
 * @property command  the text without that prelude
 * @property bash     whether `bash -n` can parse the line; every value except `agrees` makes the line opaque
 * @property risk     null in these cases:
 *                    - `requiredPermissions` is null for the line, or for a line of the plan.
 *                    - No rule file describes the call.
 *                    - There are `deciding` variables.
 * @property opaque   the reasons why only the exact bytes can be approved; empty: there are no such reasons
 * @property demands  the required permissions; null in these cases:
 *                    - The line is opaque or has no command.
 *                    - There are no rule files.
 *                    - The request is not a line.
 * @property deciding names of the deciding variables that make the risk unknown, from `newlyDeciding`; absent: no variable does that
 */
export type AssessmentView = Shape<typeof AssessmentViewSchema>;

export const assessmentView = (assessment: Assessment): AssessmentView => ({
  text: assessment.text,
  harness: assessment.folded?.harness ?? null,
  command: assessment.folded?.command ?? assessment.text,
  bash: assessment.bash,
  risk: assessment.risk,
  opaque: assessment.opaque,
  commands: assessment.commands.map(commandView),
  demands:
    assessment.requiredPermissions?.map(({ permission, programs, source }) => ({ permission, programs, source })) ??
    null,
});

/** Adds the deciding variables to the view. The risk of a request with such variables is not known. */
export const viewWithDeciding = (view: AssessmentView, deciding: readonly EnvironmentEntry[]): AssessmentView =>
  deciding.length === 0 ? view : { ...view, risk: null, deciding: deciding.map(({ name }) => name) };

function commandView({ command, through, effects, resolution }: AssessedCommand): CommandView {
  return {
    source: command.source,
    through: through.map(({ name }) => name),
    runs: resolution === null ? null : meaningOf(resolution),
    permission: effects?.kind === 'understood' ? effects.permission : null,
    unknown:
      effects === null ? 'cannot be assessed without rule files' : effects.kind === 'opaque' ? effects.reason : null,
  };
}

const OF_SHELL = { builtin: 'a builtin of the shell', keyword: 'a keyword of the shell' } as const;

/** Whether the command runs no program, because its name is a builtin or a keyword of the shell. */
export const runsNoProgram = ({ runs }: CommandView): boolean => runs === OF_SHELL.builtin || runs === OF_SHELL.keyword;

function meaningOf(resolution: Resolution): string {
  switch (resolution.kind) {
    case 'file':
      return resolution.realPath;
    case 'builtin':
      return OF_SHELL.builtin;
    case 'keyword':
      return OF_SHELL.keyword;
    case 'alias':
      return 'an alias of this shell';
    case 'function':
      return 'a function of this shell';
    case 'not found':
      return `not found: ${resolution.reason}`;
    case 'unsure':
      return `not certain: ${resolution.reason}`;
  }
}
