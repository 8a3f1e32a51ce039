/**
 * Checks that the kind of an offered scope fits this request. For a scope of commands, the host, user and variables of the scope must equal
 * those of the request. Does not check that the scope covers the request.
 */
import { type ExecutionRequest, isDoneByTool } from '../grant/request.ts';
import type { GrantScope } from './command-scope.ts';
import { boundEnvironment } from './conditions.ts';

export function isOfferedFor(scope: GrantScope, request: ExecutionRequest): boolean {
  if (!('kind' in scope)) return request.kind === 'file' && request.files !== undefined;
  switch (scope.kind) {
    case 'commands':
      return isDoneByTool(request.kind) || request.plan !== undefined ? false : hasConditionsOf(scope, request);
    case 'tools':
      return request.mcp !== undefined;
    case 'fetch':
      return request.fetches !== undefined;
    case 'plan':
      return request.plan !== undefined;
  }
}

const hasConditionsOf = (
  { conditions }: Extract<GrantScope, { readonly kind: 'commands' }>,
  { host, user, environment }: ExecutionRequest,
): boolean =>
  conditions.host === host &&
  conditions.user === user &&
  boundEnvironment(conditions.environment) === boundEnvironment(environment);
