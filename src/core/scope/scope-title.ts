/** Describes a scope of any kind in one line, for people. The values are not escaped. */

import { fileScopeText } from '../files/file-scope.ts';
import { planScopeTitle } from '../plan/plan-scope.ts';
import { fetchScopeText } from '../tools/fetch.ts';
import { toolScopeText } from '../tools/mcp-scope.ts';
import type { GrantScope } from './command-scope.ts';
import { commandScopeText } from './scope-text.ts';

export function scopeTitle(scope: GrantScope): string {
  if (!('kind' in scope)) return fileScopeText(scope);
  switch (scope.kind) {
    case 'commands':
      return commandScopeText(scope);
    case 'tools':
      return toolScopeText(scope);
    case 'fetch':
      return fetchScopeText(scope);
    case 'plan':
      return planScopeTitle(scope);
  }
}
