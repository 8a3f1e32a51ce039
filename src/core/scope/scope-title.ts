/** A scope in one line, for people. Not escaped. */
import { scopeText } from '../file-scope.ts';
import type { GrantScope } from './command-scope.ts';

export const scopeTitle = (scope: GrantScope): string =>
  'kind' in scope ? `${scope.patterns.length} kinds of commands` : scopeText(scope);
