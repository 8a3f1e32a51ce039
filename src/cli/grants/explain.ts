/**
 * `apes explain [--json] -- LINE`: shows what a line would run, and which decision the line would get now. The command runs nothing and
 * files no request.
 */
import type { Command } from 'commander';
import { failure, failureLine } from '../../core/failure.ts';
import { quoteWord } from '../../core/text/quote.ts';
import { currentDirectory } from '../../platform/surroundings.ts';
import { decodeUtf8 } from '../../platform/utf8.ts';
import type { CliContext, Register } from '../context.ts';
import { answering, type Ending, failing } from '../ending.ts';

export const registerExplain: Register = (program: Command, context: CliContext) => {
  program
    .enablePositionalOptions()
    .command('explain')
    .description('what a command line would run, without running it')
    .option('--json', 'one JSON object')
    .argument(
      '<line...>',
      'after --: the line as one word, or a program and its arguments; - reads the line from standard input',
    )
    .passThroughOptions()
    .action(context.settle((words: readonly string[]) => explain(context, words)));
};

/** In bytes. Longer input is refused. */
const MAX_INPUT_LENGTH = 1_048_576;
/** The bash that an explanation assumes if the configuration cannot be read. */
const USUAL_BASH = '/bin/bash';

async function explain(context: CliContext, words: readonly string[]): Promise<Ending> {
  const line = await lineOf(words);
  if (typeof line !== 'string') return line;
  const cwd = currentDirectory();
  if (!cwd.ok) return failing(cwd.failure);
  const installation = await context.openInstallation();
  const bash = installation.ok ? installation.value.settings.shell.bash : USUAL_BASH;
  const entries = new Map<string, string>();
  for (const [name, value] of context.caller.environment) entries.set(name, value.toString('utf8'));
  const { lookUpLine } = await import('../../gate/facts/look-up.ts');
  const { ownPlaces } = await import('../../gate/facts/own-places.ts');
  const { loadRules } = await import('../../platform/rule-files.ts');
  const rules = installation.ok ? await loadRules(context.dist, installation.value.paths.configFile) : installation;
  if (!rules.ok) context.err(`${failureLine('apes', rules.failure)}; explained without rule files\n`);
  const around = { cwd: cwd.value, entries };
  const own = installation.ok ? ownPlaces(installation.value) : [];
  const assessment = await lookUpLine(line, around, bash, rules.ok ? rules.value : null, own);
  const { verdictOn, verdictText } = await import('./verdict.ts');
  const verdict = installation.ok ? await verdictOn(context, installation.value, line, cwd.value) : installation;
  const { explanationJson } = await import('./explanation-json.ts');
  const { explanationText } = await import('./explanation-text.ts');
  return answering(
    { ...explanationJson(assessment), verdict: verdict.ok ? verdict.value : null },
    `${explanationText(assessment)}${verdictText(verdict)}`,
  );
}

async function lineOf(words: readonly string[]): Promise<string | Ending> {
  const [only] = words;
  if (words.length !== 1 || only === undefined) return words.map(quoteWord).join(' ');
  if (only !== '-') return only;
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_INPUT_LENGTH) return failing(failure('usage', 'the line is longer than 1 MiB'));
    chunks.push(chunk);
  }
  const text = decodeUtf8(Buffer.concat(chunks));
  if (text === null) return failing(failure('unreadable', 'the line is not valid UTF-8'));
  return text.includes('\0')
    ? failing(failure('unreadable', 'the line has a NUL byte, which no bash reads'))
    : text.replace(/\n$/, '');
}
