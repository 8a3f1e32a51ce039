/**
 * Shows the bound variables: first the variables that differ from the last approved request, then all variables in a list that can be
 * folded. If no request was approved before, the unusual variables come first.
 */
import type { ExecutionRequest } from '../../core/grant/request.ts';
import { decidingText } from '../../core/variables/deciding-text.ts';
import { environmentDifference, type VariableDifference } from '../../core/variables/environment-difference.ts';
import { oddEntries } from '../../core/variables/usual-variables.ts';
import { type Html, html } from '../html.ts';
import { lineHtml, shortHtml, visibleHtml } from '../visible-html.ts';

type Variable = ExecutionRequest['environment'][number];

/** The most variables that `decidingHtml` shows unfolded. More variables would push the section *What it does* out of sight. */
const MAX_DECIDING = 3;

/** Shows the names and values of the variables that make the risk unknown. Returns null if `deciding` is empty. */
export function decidingHtml(deciding: readonly Variable[]): Html | null {
  if (deciding.length === 0) return null;
  const reason = decidingText(deciding.map(({ name }) => name));
  const rows = deciding.map(
    (variable) => html`<li><code>${lineHtml(variable.name)}</code>: <code>${valueHtml(variable)}</code></li>`,
  );
  return html`<div class="deciding note"><p><strong>${shortHtml(reason, 200)}</strong>: the risk is not known. No request
        of this requester with these values was approved before.</p>
      <ul>${rows.slice(0, MAX_DECIDING)}</ul>
      ${rows.length > MAX_DECIDING && html`<details><summary>${rows.length - MAX_DECIDING} more</summary><ul>${rows.slice(MAX_DECIDING)}</ul></details>`}
    </div>`;
}

/** Returns the names of the variables that `decidingHtml` shows unfolded. */
const namesShownAbove = (deciding: readonly Variable[]): readonly string[] =>
  deciding.slice(0, MAX_DECIDING).map(({ name }) => name);

/**
 * Shows the note about differences or unusual variables, and the list of all variables. Returns null if there is nothing to show.
 * @param deciding the variables that `decidingHtml` shows above
 * @param before   the environment of the requester's last approved request; null: no request was approved before
 * @param others   other facts that the host reports about itself; shown below the list, in the same `<details>`
 */
export function environmentHtml(
  { environment }: ExecutionRequest,
  deciding: readonly Variable[],
  before: readonly Variable[] | null,
  others: Html | null,
): Html | null {
  const shownAbove = namesShownAbove(deciding);
  if (before !== null) return comparedHtml(environment, shownAbove, before, others);
  if (environment.length === 0) return othersHtml(others);
  const odd = oddEntries(environment).filter(({ name }) => !shownAbove.includes(name));
  const names = odd.map(({ name }) => name).join(', ');
  // The list is open if an unusual variable is not shown above, so that an approver does not overlook this variable.
  return html`${odd.length > 0 && html`<p class="environment-note note">Variables that change what it does: <strong>${shortHtml(names, 160)}</strong></p>`}
    ${allHtml([...odd, ...environment.filter((entry) => !odd.includes(entry))], 'that matter', odd.length > 0, others)}`;
}

function comparedHtml(
  environment: readonly Variable[],
  shownAbove: readonly string[],
  before: readonly Variable[],
  others: Html | null,
): Html | null {
  const all = environmentDifference(environment, before);
  const differences = all.filter((difference) => !('now' in difference && shownAbove.includes(difference.now.name)));
  if (environment.length === 0 && differences.length === 0) return othersHtml(others);
  return html`${
    differences.length > 0 &&
    html`<div class="environment-difference note"><p>Different from the last approved request:</p>
      <ul>${differences.map(differenceHtml)}</ul></div>`
  }
    ${allHtml(environment, all.length === 0 ? 'as in the last approved request' : 'that matter', false, others)}`;
}

function differenceHtml(difference: VariableDifference): Html {
  switch (difference.kind) {
    case 'gone':
      return html`<li><code>${lineHtml(difference.name)}</code> is not set any more</li>`;
    case 'list':
      return html`<li><code>${lineHtml(difference.name)}</code> changed:${difference.gained.map((part) => html` + <code>${lineHtml(part)}</code>`)}${difference.lost.map((part) => html` − <code>${lineHtml(part)}</code>`)}${difference.isFirst && html` (searched first)`}</li>`;
    case 'new':
    case 'changed':
      return html`<li><code>${lineHtml(difference.now.name)}</code> ${difference.kind === 'new' ? 'is new' : 'changed'}: <code>${valueHtml(difference.now)}</code></li>`;
  }
}

function valueHtml({ value, digest }: Variable): Html {
  return digest === true ? html`SHA-256 ${value}` : visibleHtml(value);
}

/** For a request without variables, shows `others` in a separate `<details>`. */
const othersHtml = (others: Html | null): Html | null =>
  others && html`<details class="environment"><summary>About the host</summary>${others}</details>`;

/** Shows the list of all variables, folded unless `isOpen`. */
function allHtml(environment: readonly Variable[], what: string, isOpen: boolean, others: Html | null): Html | null {
  if (environment.length === 0) return othersHtml(others);
  return html`<details class="environment"${isOpen && html` open`}><summary>Environment: ${environment.length}
      ${environment.length === 1 ? 'variable' : 'variables'} ${what}</summary>
    <dl tabindex="0">${environment.map(
      (variable) =>
        html`<div><dt><code>${visibleHtml(variable.name)}</code></dt><dd><code>${valueHtml(variable)}</code></dd></div>`,
    )}</dl>${others}</details>`;
}
