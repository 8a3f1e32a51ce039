/** The scope that a permit names, in words. The host checks by itself whether the scope covers the request. */

import { scopeCovers } from '../files/file-scope.ts';
import type { ExecutionRequest } from '../grant/request.ts';
import { visibleLine } from '../text/visible-text.ts';
import { fetchScopeCovers } from '../tools/fetch.ts';
import { toolScopeCovers } from '../tools/mcp-scope.ts';
import type { Reach } from './command-scope.ts';
import { scopeTitle } from './scope-title.ts';

/** `, ` and the scope in one line for people; null if the scope does not cover the request. */
export const reachText = (scope: Reach, request: ExecutionRequest): string | null =>
  covers(scope, request) ? `, ${visibleLine(scopeTitle(scope))}` : null;

function covers(scope: Reach, request: ExecutionRequest): boolean {
  if (!('kind' in scope)) return scopeCovers(scope, request);
  return scope.kind === 'tools' ? toolScopeCovers(scope, request) : fetchScopeCovers(scope, request);
}
