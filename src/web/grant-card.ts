/** One grant, as the approver reads and decides it. */

import type { AssessmentView } from '../core/assessment/assessment-view.ts';
import { givenHeldText } from '../core/confinement/given-text.ts';
import type { Term } from '../core/grant.ts';
import { isForCommands, isForFiles } from '../core/grant.ts';
import { interpretersIn } from '../core/interpreters.ts';
import { type ExecutionRequest, isDoneByTool } from '../core/request.ts';
import type { GrantScope } from '../core/scope/command-scope.ts';
import { scopeTitle } from '../core/scope/scope-title.ts';
import { isSafeLocale } from '../core/variables/character-set.ts';
import { visibleLine } from '../core/visible-text.ts';
import type { GrantView } from '../core/wire/grant-view.ts';
import type { ProposalView } from '../core/wire/proposals.ts';
import type { UseView } from '../core/wire/why.ts';
import { fetchesHtml, mcpCallHtml } from './call-card.ts';
import { commandScopeHtml } from './command-scope-choice.ts';
import { filesHtml, scopeChoiceHtml, scopeHtml } from './file-card.ts';
import { type Html, html } from './html.ts';
import { impactHtml } from './impact-html.ts';
import { assessmentHtml } from './line-html.ts';
import { ageHtml, countdownHtml, momentHtml, sizeText } from './moments.ts';
import { shortHtml, visibleHtml } from './visible-html.ts';

const KIND: Readonly<Record<ExecutionRequest['kind'], string>> = {
  command: 'Command for bash',
  stdin: 'Commands on standard input',
  script: 'Script file',
  argv: 'One program, no shell',
  line: 'Line of an interactive shell',
  file: 'File operation',
  mcp: 'Call of an MCP server',
  fetch: 'Web fetch',
};

const kindText = ({ kind, mcp }: ExecutionRequest): string =>
  mcp?.protocol === 'acp' ? 'Tool call of an agent (Agent Client Protocol)' : KIND[kind];

const STATE: Readonly<Record<GrantView['state'], string>> = {
  pending: 'Waiting',
  approved: 'Approved',
  denied: 'Denied',
  withdrawn: 'Withdrawn',
  used: 'Used',
  revoked: 'Revoked',
  expired: 'Expired',
};

const stateBadge = (state: GrantView['state']): Html => html`<span class="badge ${state}">${STATE[state]}</span>`;

/**
 * What the server knows about a request besides its grant.
 * @property assessment null for kinds that are not read as a line
 * @property proposals  how far an approval may reach; empty unless it is still to be decided
 * @property uses       lines that ran because of it, the newest first
 */
export interface AboutGrant {
  readonly assessment: AssessmentView | null;
  readonly proposals: readonly ProposalView[];
  readonly uses: readonly UseView[];
}

const NOTHING_MORE: AboutGrant = { assessment: null, proposals: [], uses: [] };

export function grantCard(grant: GrantView, about: AboutGrant = NOTHING_MORE): Html {
  const { request } = grant;
  return html`<article class="card ${grant.state}" id="${grant.id}" data-grant-id="${grant.id}" data-version="${grant.version}"
    data-state="${grant.state}" tabindex="-1" aria-label="Request of ${visibleLine(grant.requesterName)} on ${visibleLine(request.host)}">
    <header>
      <p class="who"><strong>${visibleHtml(grant.requesterName)}</strong> <span class="on">on ${visibleHtml(request.host)}</span></p>
      ${stateBadge(grant.state)}
    </header>
    <p class="meta">${kindText(request)} · asked ${ageHtml(grant.createdAtMs)}${lifeHtml(grant)}</p>
    ${contentHtml(request)}
    ${about.assessment !== null && assessmentHtml(about.assessment)}
    ${grant.state === 'pending' && impactHtml(grant.touches, request.host)}
    ${!isDoneByTool(request.kind) && interpreterNote(request)}
    ${cutHtml(grant)}
    ${reasonHtml(grant)}
    ${factsHtml(grant)}
    ${outcomeHtml(grant)}
    ${usedForHtml(about.uses)}
    ${actionsHtml(grant, about)}
    <p class="message" role="status"></p>
  </article>`;
}

/** What is asked for, in the form of its kind. */
function contentHtml(request: ExecutionRequest): Html | null {
  switch (request.kind) {
    case 'file':
      return filesHtml(request);
    case 'mcp':
      return mcpCallHtml(request);
    case 'fetch':
      return fetchesHtml(request);
    default:
      return commandHtml(request);
  }
}

function lifeHtml(grant: GrantView): Html | null {
  if (grant.state === 'pending') return html` · expires ${countdownHtml(grant.expiresAtMs)}`;
  if (grant.state !== 'approved' || grant.term === null) return null;
  if (grant.term.kind === 'timed') return html` · ends ${countdownHtml(grant.term.untilMs)}`;
  return grant.term.kind === 'once' ? html` · lapses unused ${countdownHtml(grant.expiresAtMs)}` : null;
}

function commandHtml(request: ExecutionRequest): Html {
  const bytes = new TextEncoder().encode(request.text).length;
  const lines = request.text.replace(/\n$/, '').split('\n').length;
  const isLarge = lines > 14 || bytes > 1_200;
  return html`<div class="command">
      <pre tabindex="0" aria-label="What would run">${visibleHtml(request.text)}</pre>
      ${(isLarge || lines > 1) && html`<p class="size">${lines} lines, ${sizeText(bytes)}${isLarge && '; scroll to read all of it'}</p>`}
    </div>
    ${argumentsHtml(request)}`;
}

/** For `bash -c TEXT NAME ARG…` the arguments come on top of the text; for one program they are what counts. */
function argumentsHtml(request: ExecutionRequest): Html | null {
  const { kind, argv, text } = request;
  // `-c TEXT` alone says nothing that does not stand above.
  const isRepeated = kind === 'command' && argv.length === 2 && argv[0] === '-c' && argv[1] === text;
  if (argv.length === 0 || isRepeated) return null;
  return html`<div class="arguments"><h3>${kind === 'argv' ? 'Words, each exactly' : 'Arguments'}</h3>
    <ol start="0">${argv.map((word) => html`<li><code>${visibleHtml(word)}</code></li>`)}</ol></div>`;
}

/** Nobody decides what is not shown. */
const cutHtml = ({ id, state, cutFrom }: GrantView): Html | null =>
  cutFrom === undefined
    ? null
    : html`<p class="note">This is the beginning of ${sizeText(cutFrom)}.
        <a class="button" href="/grants/${id}">${state === 'pending' ? 'Read all of it, and decide' : 'Read all of it'}</a></p>`;

function interpreterNote(request: ExecutionRequest): Html | null {
  const text = request.kind === 'argv' ? (request.argv[0] ?? '') : request.text;
  const names = interpretersIn(text);
  if (names.length === 0) return null;
  const shown = names.slice(0, 6).join(', ');
  return html`<p class="note"><strong>${shown}</strong> can run other programs: this is one grant for all that it does.</p>`;
}

function reasonHtml(grant: GrantView): Html | null {
  if (grant.reason === null) return null;
  return html`<blockquote class="reason"><h3>The requester says</h3><p>${visibleHtml(grant.reason)}</p></blockquote>`;
}

const coverageHtml = (scope: GrantScope): Html =>
  isForFiles(scope) ? scopeHtml(scope) : html`${visibleHtml(scopeTitle(scope))}`;

function factsHtml(grant: GrantView): Html {
  const { request } = grant;
  const given = givenHeldText(grant);
  return html`<dl class="facts">
      <div><dt>Directory</dt><dd><code>${visibleHtml(request.cwd)}</code></dd></div>
      <div><dt>User</dt><dd><code>${visibleHtml(request.user)}</code> on <code>${visibleHtml(request.host)}</code></dd></div>
      ${grant.scope && html`<div><dt>Covers</dt><dd>${coverageHtml(grant.scope)}</dd></div>`}
      ${given !== null && html`<div><dt>Held to</dt><dd>${visibleHtml(given)}</dd></div>`}
      ${grant.proposedTerm.kind !== 'once' && html`<div><dt>Asks for</dt><dd>${termHtml(grant.proposedTerm)}</dd></div>`}
    </dl>
    ${environmentHtml(request)}`;
}

const USUAL_VARIABLES: ReadonlySet<string> = new Set(
  'HOME PATH SHELL TMPDIR IFS SHELLOPTS BASHOPTS PS4 EDITOR VISUAL PAGER LESS LESSOPEN LESSCLOSE XDG_CONFIG_DIRS XDG_DATA_DIRS'.split(
    ' ',
  ),
);

/** A character set that every host has, in which a line is what is shown. */
const isUsualLocale = (name: string, value: string): boolean =>
  ['LANG', 'LC_ALL', 'LC_CTYPE'].includes(name) && isSafeLocale(name, value);

/** bash sets it by itself to this, its own default; any other value names places where it finds code. */
const LOADABLES = '/usr/local/lib/bash:/usr/lib/bash:/opt/local/lib/bash:/usr/pkg/lib/bash:/opt/pkg/lib/bash:.';

const isUsualEntry = ({ name, value }: { readonly name: string; readonly value: string }): boolean =>
  USUAL_VARIABLES.has(name) || isUsualLocale(name, value) || (name === 'BASH_LOADABLES_PATH' && value === LOADABLES);

function environmentHtml(request: ExecutionRequest): Html | null {
  if (request.environment.length === 0) return null;
  const odd = request.environment.filter((each) => !isUsualEntry(each));
  const environment = [...odd, ...request.environment.filter(isUsualEntry)];
  const entry = ({ name, value, digest }: (typeof environment)[number]) =>
    html`<div><dt><code>${visibleHtml(name)}</code></dt><dd><code>${digest === true ? `SHA-256 ${value}` : visibleHtml(value)}</code></dd></div>`;
  const names = environment
    .slice(0, 4)
    .map(({ name }) => name)
    .join(', ');
  // What every session has may stay folded; whatever else changes what the command does must not be overlooked.
  return html`<details class="environment"${odd.length > 0 && html` open`}><summary>Environment: ${environment.length}
      ${environment.length === 1 ? 'variable' : 'variables'} that matter <span class="names">${shortHtml(names, 60)}</span></summary>
    <dl>${environment.map(entry)}</dl></details>`;
}

/** Who vouches for it: the approver's own key, or the server alone. */
const sealHtml = ({ sealed }: GrantView): Html =>
  sealed === undefined ? html` · unsealed` : html` · sealed by ${visibleHtml(sealed.by ?? sealed.seal.keyId)}`;

function termHtml(term: Term): Html {
  if (term.kind === 'timed') return html`until ${momentHtml(term.untilMs)}`;
  return term.kind === 'once' ? html`one use` : html`always, until revoked`;
}

function outcomeHtml(grant: GrantView): Html | null {
  const at = (ms: number | null) => ms !== null && html` ${ageHtml(ms)}`;
  switch (grant.state) {
    case 'pending':
      return null;
    case 'approved':
      return html`<p class="outcome">Approved${at(grant.decidedAtMs)}: ${grant.term !== null && termHtml(grant.term)}${usesHtml(grant)}${sealHtml(grant)}</p>`;
    case 'denied':
      return html`<p class="outcome">Denied${at(grant.decidedAtMs)}${grant.denyReason !== null && html`: “${visibleHtml(grant.denyReason)}”`}</p>`;
    case 'used':
      return html`<p class="outcome">Approved once, and used${at(grant.usedAtMs)}</p>`;
    case 'revoked':
      return html`<p class="outcome">Revoked${at(grant.revokedAtMs)}${usesHtml(grant)}</p>`;
    case 'withdrawn':
      return html`<p class="outcome">The requester took it back</p>`;
    case 'expired':
      return grant.term === null
        ? html`<p class="outcome">Nobody decided in time</p>`
        : html`<p class="outcome">The approval is over${usesHtml(grant)}</p>`;
  }
}

function usesHtml(grant: GrantView): Html | null {
  if (grant.term?.kind === 'once' || (grant.uses === 0 && grant.term === null)) return null;
  const left = usesLeft(grant);
  return html` · ${grant.uses === 0 ? 'not used yet' : `used ${grant.uses === 1 ? 'once' : `${grant.uses} times`}`}${left !== null && `, ${left} ${left === 1 ? 'use' : 'uses'} left`}`;
}

/** Null where any number may come. */
const usesLeft = ({ scope, uses }: GrantView): number | null =>
  isForCommands(scope) && scope.mostUses !== null ? Math.max(0, scope.mostUses - uses) : null;

function usedForHtml(uses: readonly UseView[]): Html | null {
  if (uses.length === 0) return null;
  const rows = uses.map(
    ({ atMs, line, others }) =>
      html`<li><code>${line === null ? 'exactly this' : shortHtml(line)}</code> <span class="hint">${ageHtml(atMs)}${others.length > 0 && `, together with ${others.length} other ${others.length === 1 ? 'approval' : 'approvals'}`}</span></li>`,
  );
  return html`<details class="used-for"><summary>Ran because of this</summary><ul>${rows}</ul></details>`;
}

function actionsHtml(grant: GrantView, about: AboutGrant): Html | null {
  if (grant.state === 'approved') {
    return html`<div class="actions"><button type="button" class="deny" data-verb="revoke">Revoke</button></div>`;
  }
  if (grant.state !== 'pending' || grant.cutFrom !== undefined) return null;
  const timed = (label: string, minutes: number) =>
    html`<button type="button" data-verb="approve" data-term="timed" data-for-ms="${minutes * 60_000}">${label}</button>`;
  return html`<div class="actions">
    ${grant.request.kind === 'file' ? scopeChoiceHtml(grant) : commandScopeHtml(grant.id, about.proposals)}
    <button type="button" class="approve" data-verb="approve" data-term="once">Approve once</button>
    <fieldset class="terms"><legend>or approve for</legend>
      ${timed('15 min', 15)} ${timed('1 h', 60)} ${timed('8 h', 480)}
      <button type="button" data-verb="approve" data-term="always">Always</button>
    </fieldset>
    <details class="until"><summary>Until …</summary>
      <label>Until <input type="datetime-local" class="until-date" required></label>
      <button type="button" data-verb="approve" data-term="until">Approve until then</button>
    </details>
    <details class="denial"><summary>Deny …</summary>
      <label>Reason, shown to the requester <textarea class="deny-reason" rows="2" maxlength="2000"></textarea></label>
      <button type="button" class="deny" data-verb="deny">Deny</button>
    </details>
  </div>`;
}

/** One line in a list. */
export function grantRowHtml(grant: GrantView): Html {
  const { request } = grant;
  return html`<li class="row" data-grant-id="${grant.id}" data-version="${grant.version}" data-state="${grant.state}">
    <a href="/grants/${grant.id}"><code>${shortHtml(request.kind === 'file' ? operationsOf(request) : request.text)}</code></a>
    <p class="meta">${stateBadge(grant.state)} ${visibleHtml(grant.requesterName)} on ${visibleHtml(request.host)} · ${ageHtml(grant.createdAtMs)}</p>
    ${grant.scope && html`<p class="meta">covers ${coverageHtml(grant.scope)}</p>`}
  </li>`;
}

const operationsOf = ({ files = [] }: ExecutionRequest): string =>
  files.map(({ verb, path }) => `${verb} ${path}`).join(', ');
