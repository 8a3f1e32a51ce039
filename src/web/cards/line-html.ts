/** Shows what a line would do, as the server reads it: each command with its resources, its programs and its risk. */
import { type AssessmentView, type CommandView, runsNoProgram } from '../../core/effects/assessment-view.ts';
import type { Access, Permission, Resource } from '../../core/effects/permission.ts';
import type { Program } from '../../core/effects/program.ts';
import { type Html, html } from '../html.ts';
import { lineHtml, shortHtml } from '../visible-html.ts';
import { riskBadge } from './risk-badge.ts';

/** The most reasons that are shown. Further reasons are only counted, because one reason is enough to make a line opaque. */
const MAX_REASONS = 3;
/** How many commands, and how many resources of one command, are shown. Further commands and resources are folded. */
const MAX_SHOWN = 6;

export function assessmentHtml(view: AssessmentView): Html {
  const { commands, demands: requiredPermissions, opaque, harness } = view;
  // The page lists the reasons in this set. A command with such a reason only refers to the list.
  const saidAbove = new Set(opaque.slice(0, MAX_REASONS).map(({ reason }) => reason));
  const parts = commands.map((command, at) =>
    partHtml(command, requiredPermissions?.[at]?.programs ?? null, commands.length, saidAbove),
  );
  return html`<section class="meaning">
      <h2>What it does</h2>
      ${harness !== null && html`<p class="hint">What ${harness} puts in front of its commands is left out here.</p>`}
      ${opaqueHtml(opaque)}
      <ol class="parts${parts.length === 1 && ' single'}">${parts.slice(0, MAX_SHOWN)}</ol>
      ${parts.length > MAX_SHOWN && html`<details><summary>${parts.length - MAX_SHOWN} more commands</summary><ol class="parts" start="${MAX_SHOWN + 1}">${parts.slice(MAX_SHOWN)}</ol></details>`}
    </section>`;
}

function opaqueHtml(opaque: AssessmentView['opaque']): Html | null {
  if (opaque.length === 0) return null;
  return html`<div class="note opaque"><p><strong>Only the exact bytes can be approved</strong>, because the line</p>
      <ul>${opaque
        .slice(0, MAX_REASONS)
        .map(({ reason, source }) => html`<li>${lineHtml(reason)}: <code>${shortHtml(source, 80)}</code></li>`)}</ul>
      ${opaque.length > MAX_REASONS && html`<p>and for ${opaque.length - MAX_REASONS} more ${opaque.length === MAX_REASONS + 1 ? 'reason' : 'reasons'}</p>`}
    </div>`;
}

function partHtml(
  command: CommandView,
  programs: readonly Program[] | null,
  count: number,
  saidAbove: ReadonlySet<string>,
): Html {
  const { permission, unknown, source, through } = command;
  return html`<li class="part">
      ${count > 1 && html`<p class="source"><code>${shortHtml(source, 200)}</code></p>`}
      <p class="sentence">${permission === null ? html`<span class="unknown">Not known${unknown !== null && saidAbove.has(unknown) ? ', as said above' : html`: it ${lineHtml(unknown ?? 'cannot be read')}`}</span>` : html`${lineHtml(sentenceOf(permission))}${count > 1 && html` ${riskBadge(permission.risk)}`}`}</p>
      ${permission !== null && resourcesHtml(permission)}
      ${through.length > 0 && html`<p class="through">through ${lineHtml(through.join(', '))}</p>`}
      ${programsHtml(command, programs)}
    </li>`;
}

/**
 * Returns the sentence that says what the command does. A command that the shell does itself (`cd`, `true`) has no rule file, so its
 * sentence is here.
 */
const sentenceOf = ({ tool, resources, sentence }: Permission): string =>
  tool === 'shell' && resources.length === 0 ? 'The shell does this itself; it touches no files.' : sentence;

const DOES: Readonly<Record<Access, string>> = {
  read: 'reads',
  write: 'writes',
  delete: 'deletes',
  execute: 'runs',
  contact: 'contacts',
};

const ORDER: readonly Access[] = ['delete', 'write', 'execute', 'contact', 'read'];

/** Shows the resources. Resources that the command changes come first. */
function resourcesHtml({ resources }: Permission): Html | null {
  if (resources.length === 0) return null;
  const rows = [...resources]
    .sort((left, right) => ORDER.indexOf(left.access) - ORDER.indexOf(right.access))
    .map(
      (resource) =>
        html`<li class="${resource.access}"><span class="access">${DOES[resource.access]}</span> ${resourceHtml(resource)}</li>`,
    );
  return html`<ul class="resources">${rows.slice(0, MAX_SHOWN)}</ul>
    ${rows.length > MAX_SHOWN && html`<details><summary>${rows.length - MAX_SHOWN} more</summary><ul class="resources">${rows.slice(MAX_SHOWN)}</ul></details>`}`;
}

function resourceHtml({ kind, value, isExact }: Resource): Html {
  if (kind !== 'path') {
    if (value === '' && !isExact) return html`any ${kind}`;
    return html`${kind} <code>${lineHtml(value)}</code>${!isExact && '…'}`;
  }
  return isExact ? html`<code>${lineHtml(value)}</code>` : html`<code>${lineHtml(value)}</code> and below`;
}

/** Shows the programs by their real paths. Marks each program that the running user can change. */
function programsHtml(command: CommandView, programs: readonly Program[] | null): Html | null {
  if (programs === null)
    return command.runs === null || runsNoProgram(command)
      ? null
      : html`<p class="program">program <code>${lineHtml(command.runs)}</code></p>`;
  const files = programs.filter(({ realPath }) => realPath !== null);
  return html`${files.map(
    ({ realPath, changeable }) =>
      html`<p class="program">program <code>${lineHtml(realPath ?? '')}</code>${changeable === 'user' && html` <span class="changeable">the user it runs as can change this program</span>`}</p>`,
  )}`;
}
