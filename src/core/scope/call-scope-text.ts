/** Describes the scope that a permit names. The host does not trust the server, and checks that the scope covers the request. */

import { isInFileScope } from '../files/file-scope.ts';
import type { ExecutionRequest } from '../grant/request.ts';
import { visibleLine } from '../text/visible-text.ts';
import { isInFetchScope } from '../tools/fetch.ts';
import { isInToolScope } from '../tools/mcp-scope.ts';
import type { CallScope } from './command-scope.ts';
import { scopeTitle } from './scope-title.ts';

/** Returns `, ` and the scope in one line for people; null if the scope does not cover the request. */
export const callScopeText = (scope: CallScope, request: ExecutionRequest): string | null =>
  covers(scope, request) ? `, ${visibleLine(scopeTitle(scope))}` : null;

function covers(scope: CallScope, request: ExecutionRequest): boolean {
  if (!('kind' in scope)) return isInFileScope(scope, request);
  return scope.kind === 'tools' ? isInToolScope(scope, request) : isInFetchScope(scope, request);
}
