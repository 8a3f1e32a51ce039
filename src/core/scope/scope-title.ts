/** A scope in one line, for people. Not escaped. */
import { fetchScopeText } from '../fetch.ts';
import { fileScopeText } from '../file-scope.ts';
import { toolScopeText } from '../mcp-scope.ts';
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
  }
}
