/**
 * `apes grants why ID` and `apes grants proposals ID`: who or what decided on a request, and which scopes an approval could have.
 */
import type { Command } from 'commander';
import { confinementText, unconfinedTexts } from '../../core/confinement/confinement-text.ts';
import { scopeTitle } from '../../core/scope/scope-title.ts';
import { visibleLine } from '../../core/text/visible-text.ts';
import type { ProposalView } from '../../core/wire/proposals.ts';
import { fetchProposals, fetchWhy } from '../../grants/explanations.ts';
import { withGrantId } from '../../grants/grant-id.ts';
import { systemClock } from '../../platform/clock.ts';
import type { CliContext } from '../context.ts';
import { answering, type Ending, failing } from '../ending.ts';
import { withClient } from '../opened.ts';
import { asEitherRole } from './either-role.ts';
import { rememberShownScopes, type ShownScope } from './shown-requests.ts';
import { whyText } from './why-text.ts';

export function registerExplaining(grants: Command, context: CliContext): void {
  grants
    .command('why <id>')
    .description('what a request would do, who or what decided on it, and why standing grants do not cover it')
    .option('--json', 'one JSON object')
    .action(context.settle((id: string) => why(context, id)));
  grants
    .command('proposals <id>')
    .description('the scopes that an approval could have, the narrowest first (owner key); see approve --as')
    .option('--json', 'one JSON object')
    .action(context.settle((id: string) => proposals(context, id)));
}

async function why(context: CliContext, id: string): Promise<Ending> {
  const answer = await asEitherRole(context, (client) => withGrantId(client, id, (whole) => fetchWhy(client, whole)));
  if (!answer.ok) return failing(answer.failure);
  return answering(answer.value, whyText(answer.value, systemClock.nowMs()));
}

async function proposals(context: CliContext, id: string): Promise<Ending> {
  const answer = await withClient(context, 'owner', (client) =>
    withGrantId(client, id, async (whole) => {
      const offered = await fetchProposals(client, whole);
      if (!offered.ok) return offered;
      rememberShownScopes(client, whole, offered.value.proposals.flatMap(shownScopesOf));
      return offered;
    }),
  );
  if (!answer.ok) return failing(answer.failure);
  return answering(answer.value, answer.value.proposals.map(proposalLines).join(''));
}

/**
 * Returns the proposal's scope. The proposal `exact` has no scope. For `exact`, returns the confinement for `--confined`, or an empty list.
 */
function shownScopesOf({ scope, held }: ProposalView): readonly ShownScope[] {
  if (scope !== null) return [scope];
  return held === null ? [] : [held];
}

const ID_WIDTH = 12;
const INDENT = ' '.repeat(ID_WIDTH);
/** The most samples to show, and the most characters of each sample. */
const SHOWN_SAMPLES = 3;
const SAMPLE_WIDTH = 100;

/** Returns the title on one line. The next lines show the confinement, and samples of other requests that the scope would have covered. */
function proposalLines({ id, title, scope, held, wouldHaveCovered: { count, of, samples } }: ProposalView): string {
  const evidence = of === 0 ? '' : `  (${count} of the last ${of} requests)`;
  const shown = samples.slice(0, SHOWN_SAMPLES).map((each) => `${INDENT}${visibleLine(each).slice(0, SAMPLE_WIDTH)}\n`);
  const open = held && held.level > 0 ? unconfinedTexts(held) : [];
  const confinementLines = held
    ? [`${id === 'exact' ? 'with --confined ' : ''}confined to: ${confinementText(held)}`, ...open]
    : [];
  // The title is the server's text, but the approver signs the scope. So if the title differs, the text of the scope is shown too.
  const covers = scope === null || scopeTitle(scope) === title ? [] : [`covers: ${scopeTitle(scope)}`];
  const lines = [...covers, ...confinementLines].map((each) => `${INDENT}${visibleLine(each)}\n`);
  return `${id.padEnd(ID_WIDTH)}${visibleLine(title)}${evidence}\n${lines.join('')}${shown.join('')}`;
}
