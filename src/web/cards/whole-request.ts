/** Shows a whole request in the inbox. An approver can then decide several requests of one kind together. */
import { isShownWhole } from '../../core/grant/approve-together.ts';
import { type ExecutionRequest, isDoneByTool } from '../../core/grant/request.ts';
import { type Html, html } from '../html.ts';
import { requestHtml } from './card-command.ts';

/**
 * Shows what the line of a request leaves out: the contents of files, or the arguments of a call. Returns null in two cases: the line
 * already shows all, or the inbox does not show the whole request.
 */
export const belowLineHtml = (request: ExecutionRequest): Html | null =>
  isDoneByTool(request.kind) && isShownWhole(request) ? html`<div class="whole">${requestHtml(request)}</div>` : null;
