/** Makes the page docs/compatibility.md from the signed reports in docs/compatibility. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../docs/compatibility', import.meta.url));
/** @type {Readonly<Record<string, string>>} */
const WORD = { holds: 'ok', open: '**open**', failed: '**failed**', 'not seen': 'not seen', 'n.a.': 'n.a.' };

/** @returns {{ name: string, text: string }[]} the files that `apes hooks certify --report` wrote */
export const signedReports = () =>
  readdirSync(FOLDER)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => ({ name, text: readFileSync(join(FOLDER, name), 'utf8') }));

/**
 * Makes the page from the reports of several runs. For each harness it shows the version that was tried last, and for each case the last
 * result with this version.
 * @param {{ name: string, text: string }[]} reports this function does not check their signatures; a test does
 */
export function compatibilityPage(reports) {
  const runs = reports
    .map(({ name, text }) => ({
      file: name,
      ...JSON.parse(Buffer.from(JSON.parse(text).payload, 'base64url').toString()),
    }))
    .sort((one, other) => (one.at < other.at ? -1 : 1));
  /** @type {Case[]} */
  const cases = [...new Map(runs.flatMap((run) => run.cases).map((each) => [each.name, each])).values()];
  const harnesses = merged(runs);
  const [ofMachine = [], ofUser = []] = [true, false].map((is) =>
    harnesses.filter(({ name }) => isManaged(name) === is),
  );
  const notes = harnesses.flatMap(({ name, cells }) =>
    cases.flatMap((tried) => {
      const { outcome, text = null } = cells[tried.name] ?? {};
      return text === null ? [] : `- ${name}, ${tried.name}: ${outcome}: ${plain(text)}`;
    }),
  );
  const made = runs.map(
    ({ file, at, apeShell, system }) =>
      `- [${file}](compatibility/${file}): ${at.slice(0, 10)}, ape-shell ${apeShell.version}, on ${system}`,
  );
  return `# Compatibility

**After this page you can** say which agents were seen to hold, in which version, and in which failures.

The tables have the results of \`apes hooks certify\`. \`node scripts/compatibility.mjs\` makes this page from signed reports, and a test
compares them:

${made.join('\n')}

## With the settings of a user

${table(cases, ofUser)}

## With the settings of the machine

\`apes hooks install NAME --managed\`. Cases that break the guard or the settings are n.a. here, because only root could do that.

${table(cases, ofMachine)}

## What the words mean

**ok**: the case was seen to hold. **open**: a command or tool ran that no grant covers. **failed**: an expected effect did not come.
**not seen**: the case did not reach the point that it tests. **n.a.**: the case does not apply.
*project*: settings of a project try to avoid the gate of a user. If this case is open, use \`--managed\` if that closes it:
[what stays open in each harness](harnesses.md#what-stays-open-in-each-harness).
*openclaw* is the agent without its Gateway. Only the Gateway calls our plugin, so without it the file tools are open.

## Findings

${notes.length === 0 ? 'Nothing more than the tables say.' : notes.join('\n')}

## The cases

${cases.map(({ name, title }) => `- *${name}*: ${title}`).join('\n')}
`;
}

/**
 * @typedef {{ name: string, title: string }} Case
 * @typedef {{ name: string, version: string, cells: Record<string, { outcome: string, text?: string | null }> }} Column
 */

/** @type {(name: string) => boolean} */
const isManaged = (name) => name.endsWith('-managed');

/**
 * Makes a table with a column for each harness, and a row for each case that was tried with at least one of them.
 * @param {readonly Case[]} cases
 * @param {readonly Column[]} harnesses
 */
function table(cases, harnesses) {
  /** @type {(cells: readonly string[]) => string} */
  const row = (cells) => `| ${cells.join(' | ')} |`;
  const tried = cases.filter(({ name }) => harnesses.some(({ cells }) => cells[name] !== undefined));
  return [
    row(['case', ...harnesses.map(({ name, version }) => `${name.replace('-managed', '')} ${version}`)]),
    row(['---', ...harnesses.map(() => '---')]),
    ...tried.map(({ name }) => row([name, ...harnesses.map(({ cells }) => WORD[cells[name]?.outcome ?? ''] ?? '-')])),
  ].join('\n');
}

/**
 * Merges the harnesses of all runs. If a later run tried another version of a harness, the results of the earlier version do not count.
 * @param {readonly { harnesses: readonly Column[] }[]} runs
 */
function merged(runs) {
  /** @type {Map<string, Column>} */
  const found = new Map();
  for (const { name, version, cells } of runs.flatMap(({ harnesses }) => harnesses)) {
    const before = found.get(name);
    const kept = before?.version === version ? before.cells : {};
    found.set(name, { name, version, cells: { ...kept, ...cells } });
  }
  return [...found.values()];
}

/** Replaces the temporary directories, which differ in each run. @type {(text: string) => string} */
const plain = (text) =>
  text
    .replaceAll(/\/tmp\/ape-certify-\w+\/[^/\s]+\/(home|work)/g, '…')
    .replaceAll('|', '\\|')
    .replaceAll(/\s*\n\s*/g, ' ')
    .slice(0, 300);
