/** Shows tool calls and web fetches on a card. */

import type { ExecutionRequest } from '../../core/grant/request.ts';
import { dangerOf, dangerReason } from '../../core/sensitive/dangerous-places.ts';
import { quoteWord } from '../../core/text/quote.ts';
import { hostOfOrigin } from '../../core/tools/fetch.ts';
import { calledParty } from '../../core/tools/mcp-call.ts';
import { type Html, html } from '../html.ts';
import { lineHtml, visibleHtml } from '../visible-html.ts';

/** Shows the command of the server, the tool, and all arguments of the tool. Returns null for a request of another kind. */
export function mcpCallHtml({ mcp, argv, files = [] }: ExecutionRequest): Html | null {
  if (mcp === undefined) return null;
  const given = JSON.stringify(JSON.parse(mcp.arguments), null, 2);
  const lines = given.split('\n').length;
  return html`<p class="call"><strong class="verb">${lineHtml(mcp.tool)}</strong> of <strong>${lineHtml(mcp.server)}</strong></p>
    <div class="command">
      <pre tabindex="0" aria-label="What the tool would get">${visibleHtml(given)}</pre>
      ${lines > 14 && html`<p class="size">${lines} lines; scroll to read all of it</p>`}
    </div>
    ${files.map(dangerHtml)}
    <details class="server"><summary>The ${calledParty(mcp.protocol)}: <code>${lineHtml(argv.map(quoteWord).join(' '))}</code></summary>
      <dl>${mcp.files.map(({ path, digest }) => html`<div><dt><code>${lineHtml(path)}</code></dt><dd><code>SHA-256 ${digest}</code></dd></div>`)}
        ${mcp.protocol === undefined && html`<div><dt>Declares the tool as</dt><dd><code>${mcp.declared === null ? 'not declared to the client' : `SHA-256 ${mcp.declared}`}</code></dd></div>`}</dl>
    </details>
    ${mcp.protocol === 'acp' && html`<p class="note">The agent itself asks for this call, and describes the call. An agent that does not ask is not stopped.</p>`}`;
}

function dangerHtml(file: NonNullable<ExecutionRequest['files']>[number]): Html | null {
  const danger = dangerOf(file);
  return danger === null
    ? null
    : html`<p class="danger"><strong>Careful:</strong> <code>${lineHtml(file.path)}</code>: ${dangerReason(danger)}. Only exactly this can be approved, never a directory.</p>`;
}

/** Shows each whole address, and below the address the host alone. A long address can hide its host. */
export function fetchesHtml({ fetches = [] }: ExecutionRequest): Html {
  return html`<ul class="files" aria-label="What would be read">${fetches.map(
    ({ method, url, origin }) =>
      html`<li class="file"><p><strong class="verb">${method}</strong> <code class="path">${lineHtml(url)}</code></p>
        <p class="resolved">from host <code>${lineHtml(hostOfOrigin(origin))}</code>${origin.startsWith('http:') && html`, not encrypted`}</p></li>`,
  )}</ul>`;
}
