/** Makes three members of an inbox entry from the line of its request: the risk, the deciding variables and the group. */
import type { AssessmentView } from '../../core/effects/assessment-view.ts';
import { riskWithDeciding, type ShownRisk, shownRisk } from '../../core/effects/shown-risk.ts';
import { isShownWhole } from '../../core/grant/approve-together.ts';
import type { Grant } from '../../core/grant/grant.ts';
import type { ExecutionRequest } from '../../core/grant/request.ts';
import { lookAlikesIn } from '../../core/text/look-alikes.ts';
import { visibleSegments } from '../../core/text/visible-text.ts';
import { canonicalMcpCall } from '../../core/tools/mcp-call.ts';
import type { StoreReader } from '../../store/store.ts';
import { type Brief, wantedText } from '../../web/cards/grant-rows.ts';
import type { ServerParts } from '../server-ports.ts';
import { lineOf, shownAssessment } from './about-line.ts';
import { KeptReadings } from './kept-readings.ts';
import type { newlyDecidingIn } from './newly-deciding.ts';

type LineOfBrief = Pick<Brief, 'risk' | 'deciding' | 'groupKey'>;

const MAX_KEPT = 5_000;

export class BriefLines {
  readonly #read = new KeptReadings<{ readonly risk: ShownRisk; readonly kindKey: string | null }>(MAX_KEPT);

  /**
   * Reads the line of a grant once, and keeps the result.
   * @param decidingOf called each time: the approval of another request can change the result
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
    // Deciding variables make every risk unknown. So the key also has the risk of the line itself: a critical line must not be in one
    // group with harmless lines.
    const groupKey = kept.kindKey === null ? null : JSON.stringify([risk, kept.risk, kept.kindKey]);
    return { risk, deciding: deciding.map(({ name }) => name), groupKey };
  }
}

/**
 * Requests of one requester get the same key if they do the same kind of thing in the same place. A place is a host, user, directory and
 * environment. Returns null for a request that the inbox does not show in full, or that has a deceptive character. The inbox marks
 * deceptive characters, but a folded group shows only the line of its first request.
 */
function kindKeyOf({ requesterId, request }: Grant, assessment: AssessmentView | null): string | null {
  if (!isShownWhole(request) || isDeceptive(wantedText(request))) return null;
  const where = [request.host, request.cwd, request.user, request.environment];
  return JSON.stringify([requesterId, request.kind, where, doneBy(request, assessment)]);
}

/** Whether the text has letters that look like other letters, or characters that cannot be seen. */
const isDeceptive = (text: string): boolean =>
  lookAlikesIn(text, 1).length > 0 ||
  visibleSegments(text).some(({ kind }) => kind === 'control' || kind === 'bidi' || kind === 'invisible');

/**
 * Returns what the request does: the verbs of file operations, the methods and origins of fetches, the tool of an MCP server, or the
 * operations of a line. If the operation of a command is not known, the first word of the command counts.
 */
function doneBy(request: ExecutionRequest, assessment: AssessmentView | null): readonly unknown[] {
  const { kind, text, argv, files = [], fetches = [], mcp } = request;
  if (kind === 'file') return distinct(files.map(({ verb }) => verb));
  if (kind === 'fetch') return distinct(fetches.map(({ method, origin }) => `${method} ${origin}`));
  if (mcp !== undefined) return [argv, canonicalMcpCall({ ...mcp, arguments: '{}' })];
  const parts = assessment?.commands ?? [];
  const operations = parts.map(({ permission, source }) => permission?.operation ?? wordOf(source));
  return operations.length === 0 ? [wordOf(text)] : operations;
}

const distinct = (texts: readonly string[]): readonly string[] => [...new Set(texts)].sort();

const wordOf = (text: string): string => text.trimStart().split(/\s/, 1)[0] ?? '';
