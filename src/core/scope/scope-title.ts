/** A scope in one line, for people. Not escaped. */
import { scopeText as fileScopeText } from '../file-scope.ts';
import type { GrantScope } from './command-scope.ts';
import { scopeText } from './scope-text.ts';

export const scopeTitle = (scope: GrantScope): string => ('kind' in scope ? scopeText(scope) : fileScopeText(scope));
