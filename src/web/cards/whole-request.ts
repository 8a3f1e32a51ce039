/** Shows a whole request in the inbox. An approver can then decide several requests of one kind together. */
import { type ExecutionRequest, isDoneByTool } from '../../core/grant/request.ts';
import { type Html, html } from '../html.ts';
import { requestHtml } from './card-command.ts';

/** The most characters of a command that the inbox shows whole, on one line. */
const MAX_LINE = 160;

/** Limits for the text that the inbox shows below a request's line. A longer text would push the group's other requests out of sight. */
const MAX_CONTENT = 1_500;
const MAX_CONTENT_LINES = 30;
const MAX_FILES = 5;

/** Whether the inbox shows the whole request. Any other request has to be decided by itself. */
export function isShownWhole(request: ExecutionRequest): boolean {
  const { kind, text, argv, files = [] } = request;
  switch (kind) {
    case 'command':
    case 'line':
    case 'argv':
      // The `argv` of a `command` begins with `-c` and the text. The line shows only the text, and no further arguments.
      return text.length <= MAX_LINE && !text.trimEnd().includes('\n') && (kind !== 'command' || argv.length <= 2);
    case 'file':
    case 'mcp':
    case 'fetch':
      return text.length <= MAX_CONTENT && text.split('\n').length <= MAX_CONTENT_LINES && files.length <= MAX_FILES;
    default:
      return false;
  }
}

/**
 * Shows what the line of a request leaves out: the contents of files, or the arguments of a call. Returns null in two cases: the line
 * already shows all, or the inbox does not show the whole request.
 */
export const belowLineHtml = (request: ExecutionRequest): Html | null =>
  isDoneByTool(request.kind) && isShownWhole(request) ? html`<div class="whole">${requestHtml(request)}</div>` : null;
