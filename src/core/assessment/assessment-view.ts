/** An assessment as the API shows it: what people are told, without the tree it was read from. */
import type { Permission, Risk } from '../permission/permission.ts';
import type { FoldedCommand } from '../reading/fold-prelude.ts';
import type { Resolution } from '../reading/resolution.ts';
import type { AssessedCommand, Assessment, RequiredPermission } from './assess-line.ts';
import type { Agreement } from './host-facts.ts';

/**
 * One simple command.
 * @property source     as it stands in the line
 * @property through    wrappers around it, the outermost first: `timeout`, `bash -c`
 * @property runs       what its name means: `/usr/bin/git`, `a builtin of the shell`, `not found: …`; null when it has no
 *                      name that can be looked up
 * @property permission what it would do; null when that is not known
 * @property unknown    why it is not known; null when it is
 */
export interface CommandView {
  readonly source: string;
  readonly through: readonly string[];
  readonly runs: string | null;
  readonly permission: Permission | null;
  readonly unknown: string | null;
}

/** @property code stays when the sentence is reworded; an older server does not say it */
interface OpaqueView {
  readonly code?: string;
  readonly reason: string;
  readonly source: string;
  readonly advice: string;
}

/**
 * @property harness whose prelude was folded away, or null
 * @property command the text without that prelude
 * @property risk    null when it is opaque
 * @property opaque  why only its exact bytes can be approved; empty when there is no reason
 * @property demands what standing grants must cover; null when it is opaque
 */
export interface AssessmentView {
  readonly text: string;
  readonly harness: FoldedCommand['harness'] | null;
  readonly command: string;
  readonly bash: Agreement;
  readonly risk: Risk | null;
  readonly opaque: readonly OpaqueView[];
  readonly commands: readonly CommandView[];
  readonly demands: readonly RequiredPermission[] | null;
}

export const assessmentView = (assessment: Assessment): AssessmentView => ({
  text: assessment.text,
  harness: assessment.folded?.harness ?? null,
  command: assessment.folded?.command ?? assessment.text,
  bash: assessment.bash,
  risk: assessment.risk,
  opaque: assessment.opaque,
  commands: assessment.commands.map(commandView),
  demands: assessment.demands,
});

function commandView({ command, through, judgement, resolution }: AssessedCommand): CommandView {
  return {
    source: command.source,
    through: through.map(({ name }) => name),
    runs: resolution === null ? null : meaningOf(resolution),
    permission: judgement?.kind === 'understood' ? judgement.permission : null,
    unknown:
      judgement === null ? 'has no rules to be judged by' : judgement.kind === 'opaque' ? judgement.reason : null,
  };
}

function meaningOf(resolution: Resolution): string {
  switch (resolution.kind) {
    case 'file':
      return resolution.realPath;
    case 'builtin':
      return 'a builtin of the shell';
    case 'keyword':
      return 'a keyword of the shell';
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
