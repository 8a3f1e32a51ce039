/** Shows file operations on a card, and makes the fields in which an approver chooses how far the approval reaches. */

import { type FileOperation, MAX_OPERATIONS } from '../../core/files/file-operation.ts';
import { type FileScope, prefixesToOffer, verbsToOffer } from '../../core/files/file-scope.ts';
import type { ExecutionRequest } from '../../core/grant/request.ts';
import { dangerOf, dangerReason } from '../../core/sensitive/dangerous-places.ts';
import { visibleLine } from '../../core/text/visible-text.ts';
import type { GrantView } from '../../core/wire/grant-view.ts';
import { type Html, html } from '../html.ts';
import { diffHtml, lineHtml } from '../visible-html.ts';
import { sizeText } from './moments.ts';

const VERB: Readonly<Record<FileOperation['verb'], string>> = {
  read: 'Read',
  search: 'Search below',
  write: 'Write',
  edit: 'Edit',
  delete: 'Delete',
};

/** Shows the operations of `request.files`, then the contents from `request.text`. Only `files` says what may be done. */
export function filesHtml(request: ExecutionRequest): Html {
  const files = (request.files ?? []).slice(0, MAX_OPERATIONS);
  const facts = headFacts(request);
  const rows = files.map((file, at) => operationHtml(file, facts?.[at] ?? null));
  return html`<ul class="files" aria-label="What would be done">${rows}</ul>${contentHtml(request, facts !== null)}`;
}

function operationHtml(operation: FileOperation, facts: string | null): Html {
  const danger = dangerOf(operation);
  const size = facts !== null && facts !== '' ? facts : operation.bytes === null ? '' : sizeText(operation.bytes);
  return html`<li class="file">
      <p><strong class="verb">${VERB[operation.verb]}</strong> <code class="path">${lineHtml(operation.path)}</code> <span class="bytes">${lineHtml(size)}</span></p>
      ${!isSameName(operation) && html`<p class="resolved">asked as <code>${lineHtml(operation.askedPath)}</code>, is <code>${lineHtml(operation.path)}</code></p>`}
      ${danger !== null && html`<p class="danger"><strong>Careful:</strong> ${dangerReason(danger)}. Only exactly this can be approved, never a directory.</p>`}
    </li>`;
}

/**
 * Whether the asked path is the whole real path, or the end of the real path. If not, for example for a symlink, the card shows both paths.
 */
function isSameName({ path, askedPath }: FileOperation): boolean {
  const plain = askedPath.replace(/^(\.\/)+/, '');
  return (
    path === askedPath || (!plain.startsWith('/') && !/(^|\/)\.\.?(\/|$)/.test(plain) && path.endsWith(`/${plain}`))
  );
}

function contentHtml(request: ExecutionRequest, hasHeads: boolean): Html | null {
  const { text, files = [] } = request;
  const content = hasHeads ? text.split('\n').slice(files.length).join('\n').replace(/^\n/, '') : text;
  if (content.trim() === '') return null;
  const lines = content.replace(/\n$/, '').split('\n').length;
  return html`<div class="command">
      <pre tabindex="0" class="diff" aria-label="What would be written">${diffHtml(content)}</pre>
      ${lines > 14 && html`<p class="size">${lines} lines; scroll to read all of it</p>`}
    </div>`;
}

/**
 * Returns the facts about each operation (`new file, writes 3 bytes`). Reads them from the first lines of the text. Returns null if these
 * lines do not repeat the operations; the card then shows these lines as text.
 */
function headFacts({ text, files = [] }: ExecutionRequest): readonly string[] | null {
  const lines = text.split('\n', files.length);
  const facts = files.map(({ verb, path }, at) => {
    const head = `${verb} ${visibleLine(path)}`;
    const line = lines[at] ?? '';
    if (line === head) return '';
    return line.startsWith(`${head} (`) && line.endsWith(')') ? line.slice(head.length + 2, -1) : null;
  });
  return facts.includes(null) ? null : facts.map((fact) => fact ?? '');
}

/** Makes a text such as `any write or edit below /x`. */
export function scopeHtml({ operations, pathPrefix }: FileScope): Html {
  return html`any ${listOf(operations)} below <code class="prefix">${lineHtml(pathPrefix)}</code>`;
}

const listOf = (verbs: FileScope['operations']): string =>
  verbs.length < 2 ? verbs.join('') : `${verbs.slice(0, -1).join(', ')} or ${verbs.at(-1)}`;

/**
 * Makes the form fields in which the approver chooses: only this request, or everything below a directory. Returns null if the request
 * is not for files, or if no directory can be offered. Does not offer a directory whose path has invisible characters: people could not
 * check this path in the text field.
 */
export function scopeChoiceHtml(grant: GrantView): Html | null {
  const prefixes = prefixesToOffer(grant.request).filter((path) => visibleLine(path) === path);
  const [narrowest] = prefixes;
  if (grant.request.kind !== 'file' || narrowest === undefined) return null;
  const operations = verbsToOffer(grant.request);
  const choice = (value: string, label: Html, isChosen = false) =>
    html`<label class="choice"><input type="radio" name="scope-${grant.id}" value="${value}"${isChosen && html` checked`}> <span>${label}</span></label>`;
  return html`<fieldset class="scope" data-operations="${operations.join(' ')}"><legend>The approval covers</legend>
      ${choice('', html`exactly this`, true)}
      ${prefixes.map((pathPrefix) => choice(pathPrefix, scopeHtml({ operations, pathPrefix })))}
      ${choice('other', html`any ${listOf(operations)} below:`)}
      <input type="text" class="scope-path" value="${narrowest}" aria-label="Another directory" spellcheck="false" autocapitalize="off" autocomplete="off" dir="ltr">
      <p class="hint" hidden>An approval for a directory needs an end time or “always”. An approval for one use covers exactly this request.</p>
    </fieldset>`;
}
