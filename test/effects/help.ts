/** Finds the names of options in a tool's own help and manual page. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { quoteWord } from '../../src/core/text/quote.ts';
import type { Stage } from './stage.ts';
import type { Tracer } from './tracer.ts';

const MANUALS = '/usr/share/man/man1';

/** Runs the tool in the sandbox with `--help` (git: `-h`), and returns the options in its output and manual page. */
export async function optionsOf(
  name: string,
  words: readonly string[],
  stage: Stage,
  tracer: Tracer,
): Promise<readonly string[]> {
  const call = [name, ...words].map(quoteWord).join(' ');
  const asked = `{ ${call} ${name === 'git' ? '-h' : '--help'}; } >&5 2>&5`;
  const { extra } = await tracer.run({
    words: ['/bin/bash', '-c', asked],
    cwd: stage.project,
    isTraced: false,
    ms: 3000,
  });
  return optionsIn(`${extra}\n${manualOf([name, ...words].join('-')).replaceAll('\\-', '-')}`);
}

function manualOf(page: string): string {
  if (!existsSync(MANUALS)) return '';
  const file = readdirSync(MANUALS).find((each) => each === `${page}.1.gz` || each === `${page}.1`);
  if (file === undefined) return '';
  const bytes = readFileSync(`${MANUALS}/${file}`);
  return (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
}

const MAX_OPTIONS = 250;

export const optionsIn = (text: string): readonly string[] =>
  [...new Set([...text.matchAll(/(?<![\w-])--?[A-Za-z0-9][\w-]*/g)].map(([name]) => name))].slice(0, MAX_OPTIONS);
