/** A scope in one line, for people. Not escaped. */
import { fileScopeText } from '../file-scope.ts';
import type { GrantScope } from './command-scope.ts';
import { commandScopeText } from './scope-text.ts';

export const scopeTitle = (scope: GrantScope): string =>
  'kind' in scope ? commandScopeText(scope) : fileScopeText(scope);
