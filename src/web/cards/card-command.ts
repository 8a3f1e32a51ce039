/** Shows what the requester asks for: a command with its arguments, a call, or file operations. */

import { LOOK_ALIKES, lookAlikesOf } from '../../core/grant/look-alikes-of.ts';
import { type ExecutionRequest, isDoneByTool } from '../../core/grant/request.ts';
import { interpretersIn } from '../../core/reading/interpreters.ts';
import { type Html, html } from '../html.ts';
import { visibleHtml } from '../visible-html.ts';
import { fetchesHtml, mcpCallHtml } from './call-card.ts';
import { filesHtml } from './file-card.ts';
import { sizeText } from './moments.ts';

/** @param labelId the id that the content gets; the card refers to it in `aria-labelledby` */
export function contentHtml(request: ExecutionRequest, labelId: string): Html {
  return html`<div class="content" id="${labelId}">${requestHtml(request)}</div>`;
}

export function requestHtml(request: ExecutionRequest): Html | null {
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

function commandHtml(request: ExecutionRequest): Html {
  const bytes = new TextEncoder().encode(request.text).length;
  const lines = request.text.replace(/\n$/, '').split('\n').length;
  const isLarge = lines > 7 || bytes > 300;
  return html`<div class="command">
      <pre tabindex="0" role="region" aria-label="What would run">${visibleHtml(request.text)}</pre>
      ${(isLarge || lines > 1) && html`<p class="size">${lines} ${lines === 1 ? 'line' : 'lines'}, ${sizeText(bytes)}${isLarge && '; scroll to read all of it'}</p>`}
    </div>
    ${argumentsHtml(request)}`;
}

/** Shows the arguments, unless they only repeat the text. In a request of the kind `argv`, the arguments are exactly what runs. */
function argumentsHtml(request: ExecutionRequest): Html | null {
  const { kind, argv, text } = request;
  const isRepeated = kind === 'command' && argv.length === 2 && argv[0] === '-c' && argv[1] === text;
  if (argv.length === 0 || isRepeated) return null;
  return html`<div class="arguments"><h2>${kind === 'argv' ? 'Exact arguments' : 'Arguments'}</h2>
    <ol start="0" tabindex="0">${argv.map((word) => html`<li><code>${visibleHtml(word)}</code></li>`)}</ol></div>`;
}

/** Warns that the command runs an interpreter, which can run any other program. */
export function interpreterNote(request: ExecutionRequest): Html | null {
  if (isDoneByTool(request.kind)) return null;
  const text = request.kind === 'argv' ? (request.argv[0] ?? '') : request.text;
  const names = interpretersIn(text);
  if (names.length === 0) return null;
  const shown = names.slice(0, 6).join(', ');
  return html`<p class="note"><strong>${shown}</strong> can run other programs: this grant is for all that they do.</p>`;
}

/** Warns if the command, the directory, a path, an address or the call of a tool has look-alikes (`lookAlikesOf`). */
export function lookAlikeNote(request: ExecutionRequest): Html | null {
  const found = lookAlikesOf(request);
  if (found === null) return null;
  const items = found.named.map(
    ({ character, code, like }) =>
      html`<li><code>${character}</code> is ${code}${like !== '' && html`, not <code>${like}</code>`}</li>`,
  );
  return html`<div class="danger look-alikes"><p><strong>${LOOK_ALIKES}</strong></p><ul>${items}</ul>
    ${found.more > 0 && html`<p>and ${found.more} more</p>`}</div>`;
}
