/**
 * Makes the form in which an approver chooses the scope of a command's approval. Each proposal for commands shows which past requests
 * its scope would have covered, and has fields to edit the scope.
 */

import type { CommandScope } from '../../core/scope/command-scope.ts';
import { isPlainPath } from '../../core/text/path.ts';
import { visibleLine } from '../../core/text/visible-text.ts';
import type { PreviewAnswer, ProposalView, WouldHaveCovered } from '../../core/wire/proposals.ts';
import { type Html, html } from '../html.ts';
import { lineHtml, shortHtml } from '../visible-html.ts';
import { confinedTickHtml, heldHtml } from './held-html.ts';

/**
 * Makes the form. The first proposal is for exactly this command, and is preselected. If there is no other proposal, makes only the
 * checkbox for the confinement, and a note why there is no other proposal (if the reason is known). Returns null if there are no proposals.
 */
export function commandScopeHtml(grantId: string, proposals: readonly ProposalView[]): Html | null {
  const wider = proposals.filter(({ scope }) => scope !== null);
  if (wider.length === 0) {
    const [exact] = proposals;
    if (exact === undefined) return null;
    return html`${exact.whyOnlyExact !== undefined && html`<p class="how-far-note hint">${lineHtml(exact.title)}.</p>`}
      ${confinedTickHtml(exact.held)}`;
  }
  return html`<fieldset class="scope commands"><legend>How far</legend>
      ${proposals.map((proposal, at) => proposalHtml(grantId, proposal, at === 0))}
      <p class="hint only-wide" hidden>A wider scope needs an end time or “always”. An approval for one use covers exactly this request.</p>
    </fieldset>`;
}

function proposalHtml(grantId: string, proposal: ProposalView, isChosen: boolean): Html {
  const { id, title, scope, held, wouldHaveCovered } = proposal;
  const data = scope === null ? null : html` data-scope="${JSON.stringify(scope)}"`;
  return html`<div class="proposal" data-proposal="${id}">
      <label class="choice"><input type="radio" name="scope-${grantId}" value="${id}"${data}${isChosen && html` checked`}>
        <span><span class="title">${lineHtml(title)}</span> ${scope?.kind === 'commands' && html`<span class="evidence">${evidenceHtml(wouldHaveCovered)}</span>`}</span></label>
      ${scope === null ? confinedTickHtml(held) : held !== null && heldHtml(held)}
      ${scope?.kind === 'commands' && editHtml(scope)}
    </div>`;
}

/** Makes `would have covered 12 of the last 60 requests, for example …`. */
function evidenceHtml({ count, of, samples }: WouldHaveCovered): Html {
  if (of === 0) return html`no past requests to compare with`;
  const requests = `the last ${of} ${of === 1 ? 'request' : 'requests'}`;
  if (count === 0) return html`would have covered none of ${requests}`;
  const shown = samples.slice(0, 3).map((sample) => html`<code>${shortHtml(sample, 60)}</code>`);
  return html`would have covered ${count} of ${requests}${shown.length > 0 && html`, for example ${joined(shown)}`}`;
}

const joined = (parts: readonly Html[]): readonly Html[] =>
  parts.flatMap((part, at) => (at === 0 ? [part] : [html`, `, part]));

/**
 * Makes the fields to edit a scope. A directory with invisible characters in its path gets no field, because people could not check
 * the path.
 */
function editHtml(scope: CommandScope): Html {
  const directories = directoriesOf(scope).filter((path) => visibleLine(path) === path);
  const listed = [...new Set(scope.patterns.flatMap(({ options }) => (options === 'any' ? [] : options)))];
  const isAny = scope.patterns.some(({ options }) => options === 'any');
  return html`<details class="scope-edit"><summary>Edit</summary>
      ${directories.map(
        (path) =>
          html`<label>Directory <input type="text" data-directory="${path}" value="${path}" spellcheck="false" autocapitalize="off" autocomplete="off" dir="ltr"></label>`,
      )}
      <label>Options <select class="options-mode"><option value="any"${isAny && html` selected`}>any option in the rule file</option><option value="listed"${!isAny && html` selected`}>only those listed</option></select></label>
      <label>Listed options <input type="text" class="options-listed" value="${listed.join(' ')}" placeholder="none" spellcheck="false" autocapitalize="off" autocomplete="off" dir="ltr"></label>
      <label>Number of uses <input type="number" class="uses" min="1" max="100000" step="1" inputmode="numeric" placeholder="any number"></label>
      <label class="choice hours-choice"><input type="checkbox" class="hours"> <span>only at certain hours</span></label>
      <div class="hours-between" hidden>
        <label>From <input type="time" class="hours-from" value="09:00"></label>
        <label>To <input type="time" class="hours-to" value="18:00"></label>
        <label class="choice"><input type="checkbox" class="weekdays" checked> <span>Monday to Friday</span></label>
      </div>
      <div class="preview" role="status"></div>
    </details>`;
}

/** Returns the directories of the scope, each once, the longest path first. Leaves out paths that are not plain (`isPlainPath`). */
function directoriesOf({ patterns, conditions }: CommandScope): readonly string[] {
  const below = patterns.flatMap(({ resources }) =>
    resources.flatMap(({ values }) => (values.match === 'below' ? [values.value] : [])),
  );
  const all = conditions.cwdBelow === null ? below : [...below, conditions.cwdBelow];
  return [...new Set(all)].filter(isPlainPath).sort((left, right) => right.length - left.length);
}

/**
 * Describes the edited scope, and the past requests that this scope would have covered. For a fault, says why the scope is not possible.
 */
export function previewHtml(answer: PreviewAnswer): Html {
  if (answer.outcome === 'fault') return html`<p class="fault">Not possible: ${lineHtml(answer.fault.message)}.</p>`;
  return html`<p class="title">${lineHtml(answer.title)}</p><p class="evidence">${evidenceHtml(answer.wouldHaveCovered)}</p>${answer.held !== null && heldHtml(answer.held)}`;
}
