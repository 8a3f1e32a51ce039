/** `apes hooks check --live`: tries cases with the installed agent itself, in a temporary HOME. */
import type { CellOutcome } from '../../certify/certificate.ts';
import { certify, DRIVER_NAMES } from '../../certify/certify.ts';
import type { CaseResult } from '../../harness/check-line.ts';
import type { SupportedHarness } from '../../harness/harnesses.ts';
import type { Scope } from '../../harness/hook-file.ts';
import type { CliContext } from '../context.ts';
import { abandonOnEnd, agentPath } from './agents-ending.ts';

/** A version counts as gated if the gate stops every uncovered call in all these cases. `apes hooks certify` tries more cases. */
const CASES = ['pending', 'denied', 'killed', 'down', 'no-guard', 'no-exec', 'garbage', 'files'];

/**
 * @property rows    never empty: if no case could be tried, one row says so
 * @property version the version of the agent that was run; null: no agent could be run, or its version is not known
 */
export interface LiveCheck {
  readonly rows: readonly CaseResult[];
  readonly version: string | null;
}

/** Tries one case after another. Each case starts the agent anew. Prints the progress on standard error. */
export async function checkLive(
  context: CliContext,
  { name, title }: SupportedHarness,
  scope: Scope,
): Promise<LiveCheck> {
  const driver = scope === 'managed' ? `${name}-managed` : name;
  if (!DRIVER_NAMES.includes(driver))
    return {
      rows: [rowOf('live', 'not seen', `apes cannot drive ${title} with these settings`)],
      version: null,
    };
  const { certificate } = await certify({
    harnesses: [driver],
    cases: CASES,
    agents: null,
    path: agentPath(context),
    apeShell: { version: context.version, build: context.build },
    jobs: 1,
    say: (text) => context.err(`apes: ${text}\n`),
    onOpen: abandonOnEnd(context),
  });
  const [seen] = certificate.harnesses;
  const rows = certificate.cases.map((tried) => {
    const cell = seen?.cells[tried.name];
    return rowOf(`live: ${tried.title}`, cell?.outcome ?? 'not seen', cell?.text ?? null);
  });
  const shown = rows.length > 0 ? rows : [rowOf('live', 'not seen', 'no case was run')];
  return { rows: shown, version: seen?.version ?? null };
}

function rowOf(name: string, outcome: CellOutcome, text: string | null): CaseResult {
  const result = `${outcome}${text === null ? '' : `: ${text}`}`;
  if (outcome === 'holds' || outcome === 'n.a.')
    return { name, holds: true, result: outcome === 'holds' ? 'seen' : result };
  return outcome === 'not seen' ? { name, holds: false, isSeen: false, result } : { name, holds: false, result };
}
