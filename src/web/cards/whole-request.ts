/** Shows a request whole in the inbox, so that it can be decided together with others of its kind. */
import { type ExecutionRequest, isDoneByTool } from '../../core/grant/request.ts';
import { type Html, html } from '../html.ts';
import { requestHtml } from './card-command.ts';

/** The most characters of a command, which is shown in one line. */
const MAX_LINE = 160;

/** The most characters, lines and files of what is shown below the line: more would hide the other requests of the group. */
const MAX_CONTENT = 1_500;
const MAX_CONTENT_LINES = 30;
const MAX_FILES = 5;

/** Whether the inbox shows all of the request. A request that it does not show whole is decided alone. */
export function isShownWhole(request: ExecutionRequest): boolean {
  const { kind, text, argv, files = [] } = request;
  switch (kind) {
    case 'command':
    case 'line':
    case 'argv':
      return text.length <= MAX_LINE && !text.trimEnd().includes('\n') && (kind !== 'command' || argv.length <= 2);
    case 'file':
    case 'mcp':
    case 'fetch':
      return text.length <= MAX_CONTENT && text.split('\n').length <= MAX_CONTENT_LINES && files.length <= MAX_FILES;
    default:
      return false;
  }
}

/** What the line of the request does not show: the content of its files, the arguments of its call. Null: the line shows all. */
export const belowLineHtml = (request: ExecutionRequest): Html | null =>
  isDoneByTool(request.kind) && isShownWhole(request) ? html`<div class="whole">${requestHtml(request)}</div>` : null;
