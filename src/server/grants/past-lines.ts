/** Assesses a requester's past requests with the server's rule files. The assessments show an approver what a scope would have covered. */
import type { HostFacts } from '../../core/effects/host-facts.ts';
import type { RuleBook } from '../../core/rules/rule.ts';
import type { CommandScope } from '../../core/scope/command-scope.ts';
import { isImplied } from '../../core/scope/covers-required.ts';
import { type ProposalPlace, proposalPlaceOf } from '../../core/scope/propose.ts';
import type { AskedLine } from '../../core/scope/scope-fault.ts';
import { type PastAskedLine, wouldCover } from '../../core/scope/would-cover.ts';
import type { WouldHaveCovered } from '../../core/wire/proposals.ts';
import type { StoreReader } from '../../store/store.ts';
import { KeptReadings } from './kept-readings.ts';
import { assessOnServer } from './server-assessment.ts';

/**
 * A line that a requester asked for in the past, with its assessment.
 * @property place the place of the line, computed from the host facts of the line (`proposalPlaceOf`)
 */
export interface PastLine extends PastAskedLine {
  readonly grantId: string;
  readonly place: ProposalPlace;
}

const MAX_PAST_LINES = 200;
const MAX_SAMPLES = 5;
const MAX_SAMPLE_LENGTH = 400;
const MAX_KEPT = 2_000;

/** The evidence for a proposal that is compared with no past line. */
export const NOTHING_COVERED: WouldHaveCovered = { count: 0, of: 0, samples: [] };

export class PastLines {
  readonly #rules: RuleBook | null;
  readonly #read = new KeptReadings<AskedLine['assessment']>(MAX_KEPT);

  /** @param rules null: the server has no rule files, and every line is opaque */
  constructor(rules: RuleBook | null) {
    this.#rules = rules;
  }

  /** Returns at most `MAX_PAST_LINES` lines, the newest line first; `StoreReader.pastRequests` says which requests are left out. */
  async of(rows: StoreReader, requesterId: string): Promise<readonly PastLine[]> {
    const found: PastLine[] = [];
    for (const { grantId, atMs, request, findings: hostFacts } of await rows.pastRequests(
      requesterId,
      MAX_PAST_LINES,
    )) {
      const assessment = await this.#assessment(grantId, request, hostFacts);
      const place = proposalPlaceOf(request.cwd, hostFacts);
      found.push({ grantId, atMs, request, assessment, place, cwd: place.cwd });
    }
    return found;
  }

  #assessment(grantId: string, request: PastLine['request'], hostFacts: HostFacts) {
    return this.#read.of(grantId, async () => {
      const assessment = await assessOnServer(this.#rules, request, hostFacts);
      return assessment && { requiredPermissions: assessment.requiredPermissions, opaque: assessment.opaque };
    });
  }
}

/**
 * Counts the past lines that the scope would have covered, and gives examples. Leaves out lines that every scope covers (`echo TEXT`):
 * these lines say nothing about `scope`, and the requester could write anything in TEXT.
 * @param lines the past lines, without the line for which the scope is proposed
 */
export function evidenceFor(scope: CommandScope, lines: readonly PastLine[]): WouldHaveCovered {
  const compared = lines.filter((line) => !isAlwaysCovered(line));
  const covered = wouldCover(scope, compared);
  return { count: covered.length, of: compared.length, samples: samplesOf(covered) };
}

const isAlwaysCovered = ({ assessment }: PastLine): boolean => {
  const required = assessment?.requiredPermissions ?? [];
  return required.length > 0 && required.every(isImplied);
};

/** Returns at most `MAX_SAMPLES` different texts of `lines`, each text cut to `MAX_SAMPLE_LENGTH` UTF-16 units. */
export const samplesOf = (lines: readonly PastLine[]): readonly string[] =>
  [...new Set(lines.map(({ request }) => request.text))].slice(0, MAX_SAMPLES).map(cut);

const cut = (text: string): string =>
  text.length <= MAX_SAMPLE_LENGTH ? text : `${text.slice(0, MAX_SAMPLE_LENGTH).replace(/[\ud800-\udbff]$/, '')}…`;
