/** What an entry of the inbox says about the line of its request. */
import type { AssessmentView } from '../../core/effects/assessment-view.ts';
import { shownRisk } from '../../core/effects/shown-risk.ts';
import type { Grant } from '../../core/grant/grant.ts';
import type { StoreReader } from '../../store/store.ts';
import type { Brief } from '../../web/cards/grant-rows.ts';
import type { ServerParts } from '../server-ports.ts';
import { lineOf, shownAssessment } from './about-line.ts';
import { KeptReadings } from './kept-readings.ts';

type LineOfBrief = Pick<Brief, 'risk' | 'groupKey'>;

const MAX_KEPT = 5_000;

export class BriefLines {
  readonly #read = new KeptReadings<LineOfBrief>(MAX_KEPT);

  of(parts: Pick<ServerParts, 'rules' | 'mcpRules'>, rows: StoreReader, grant: Grant): Promise<LineOfBrief> {
    return this.#read.of(grant.id, async () => {
      const assessment = shownAssessment(await lineOf(parts, rows, grant), grant, parts.mcpRules);
      const risk = shownRisk(grant.request, assessment);
      return { risk, groupKey: groupKeyOf(grant, assessment, risk) };
    });
  }
}

/** A longer text is not shown whole in a list, so it is decided alone. */
const MAX_LISTED = 160;

/** Requests of one requester that do the same kind of thing, at the same risk; null for what a list cannot show whole. */
function groupKeyOf(
  { requesterId, request }: Grant,
  assessment: AssessmentView | null,
  risk: Brief['risk'],
): string | null {
  const isPlain = request.kind === 'command' || request.kind === 'line' || request.kind === 'argv';
  if (!isPlain || request.text.length > MAX_LISTED || request.text.trimEnd().includes('\n')) return null;
  if (request.kind === 'command' && request.argv.length > 2) return null;
  const parts = assessment?.commands ?? [];
  const what = parts.map(({ permission, source }) => permission?.operation ?? wordOf(source));
  const where = [request.cwd, request.user, request.environment];
  return JSON.stringify([requesterId, request.kind, risk, where, what.length === 0 ? [wordOf(request.text)] : what]);
}

const wordOf = (text: string): string => text.trimStart().split(/\s/, 1)[0] ?? '';
