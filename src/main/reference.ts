/** For the build: makes the completion files and the man pages from the tree of verbs and the help of the shell. */
import { COMPLETIONS } from '../cli/completion/completions.ts';
import type { CliContext } from '../cli/context.ts';
import { manPages } from '../cli/man-page.ts';
import { buildProgram } from '../cli/program.ts';
import { shellPage } from '../cli/shell-page.ts';
import { readVerbs } from '../cli/verb-tree.ts';

declare const APE_VERSION: string;

/** A context with only the members that the registration of the verbs needs. The build calls no verb. */
const UNCALLED = { version: APE_VERSION, settle: () => async () => undefined } as unknown as CliContext;

/** The files in which the shells look for completions, relative to a `share` directory. */
const PLACES = {
  bash: 'bash-completion/completions/apes',
  zsh: 'zsh/site-functions/_apes',
  fish: 'fish/vendor_completions.d/apes.fish',
} as const satisfies Record<keyof typeof COMPLETIONS, string>;

/**
 * @param date as YYYY-MM-DD
 * @returns the text of each file, by the file's path relative to a `share` directory
 */
export function referenceFiles(date: string): ReadonlyMap<string, string> {
  const tree = readVerbs(buildProgram(UNCALLED));
  const edition = { version: APE_VERSION, date };
  const pages = [shellPage(edition), ...manPages(tree, edition)];
  const shells = Object.keys(PLACES) as (keyof typeof PLACES)[];
  return new Map([
    ...pages.map(({ name, text }) => [`man/man1/${name}.1`, text] as const),
    ...shells.map((shell) => [PLACES[shell], COMPLETIONS[shell](tree, APE_VERSION)] as const),
  ]);
}
