/** Which bound variables of a request an approver knows from every other request, and which ones have to be shown. */
import type { EnvironmentEntry } from '../grant/request.ts';
import { isSafeLocale } from './character-set.ts';

const USUAL: ReadonlySet<string> = new Set(
  'HOME PATH SHELL TMPDIR IFS SHELLOPTS BASHOPTS PS4 EDITOR VISUAL PAGER LESS LESSOPEN LESSCLOSE XDG_CONFIG_DIRS XDG_DATA_DIRS'.split(
    ' ',
  ),
);

/** Whether the variable names a locale in whose character set bash reads the line as it is shown. */
const isUsualLocale = (name: string, value: string): boolean =>
  ['LANG', 'LC_ALL', 'LC_CTYPE'].includes(name) && isSafeLocale(name, value);

/** The default that bash itself sets for BASH_LOADABLES_PATH; any other value names directories from which bash loads code. */
const LOADABLES = '/usr/local/lib/bash:/usr/lib/bash:/opt/local/lib/bash:/usr/pkg/lib/bash:/opt/pkg/lib/bash:.';

export const isUsualEntry = ({ name, value }: EnvironmentEntry): boolean =>
  USUAL.has(name) || isUsualLocale(name, value) || (name === 'BASH_LOADABLES_PATH' && value === LOADABLES);

/** The entries that change what the request does and that few requests have: `GIT_DIR`, `alias ls`, `function cd`. */
export const oddEntries = (environment: readonly EnvironmentEntry[]): readonly EnvironmentEntry[] =>
  environment.filter((entry) => !isUsualEntry(entry));
