/** What an entry of the inbox says about the line of its request. */
import type { AssessmentView } from '../../core/effects/assessment-view.ts';
import { riskWithDeciding, type ShownRisk, shownRisk } from '../../core/effects/shown-risk.ts';
import type { Grant } from '../../core/grant/grant.ts';
import type { StoreReader } from '../../store/store.ts';
import type { Brief } from '../../web/cards/grant-rows.ts';
import type { ServerParts } from '../server-ports.ts';
import { lineOf, shownAssessment } from './about-line.ts';
import { KeptReadings } from './kept-readings.ts';
import type { newlyDecidingIn } from './newly-deciding.ts';

type LineOfBrief = Pick<Brief, 'risk' | 'deciding' | 'groupKey'>;

const MAX_KEPT = 5_000;

export class BriefLines {
  readonly #read = new KeptReadings<{ readonly risk: ShownRisk; readonly kindKey: string | null }>(MAX_KEPT);

  /**
   * @param decidingOf not kept, because another approval can make the deciding variables of this request known at any time
   */
  async of(
    parts: Pick<ServerParts, 'rules' | 'mcpRules'>,
    rows: StoreReader,
    grant: Grant,
    decidingOf: ReturnType<typeof newlyDecidingIn>,
  ): Promise<LineOfBrief> {
    const kept = await this.#read.of(grant.id, async () => {
      const line = { ...(await lineOf(parts, rows, grant)), deciding: [] };
      const assessment = shownAssessment(line, grant, parts.mcpRules);
      return { risk: shownRisk(grant.request, assessment), kindKey: kindKeyOf(grant, assessment) };
    });
    const deciding = await decidingOf(grant);
    const risk = riskWithDeciding(kept.risk, deciding);
    const groupKey = kept.kindKey === null ? null : JSON.stringify([risk, kept.kindKey]);
    return { risk, deciding: deciding.map(({ name }) => name), groupKey };
  }
}

/** A longer text is not shown whole in a list, so it is decided alone. */
const MAX_LISTED = 160;

/** Requests of one requester that do the same kind of thing; null for what a list cannot show whole. */
function kindKeyOf({ requesterId, request }: Grant, assessment: AssessmentView | null): string | null {
  const isPlain = request.kind === 'command' || request.kind === 'line' || request.kind === 'argv';
  if (!isPlain || request.text.length > MAX_LISTED || request.text.trimEnd().includes('\n')) return null;
  if (request.kind === 'command' && request.argv.length > 2) return null;
  const parts = assessment?.commands ?? [];
  const what = parts.map(({ permission, source }) => permission?.operation ?? wordOf(source));
  const where = [request.host, request.cwd, request.user, request.environment];
  return JSON.stringify([requesterId, request.kind, where, what.length === 0 ? [wordOf(request.text)] : what]);
}

const wordOf = (text: string): string => text.trimStart().split(/\s/, 1)[0] ?? '';
