/** The page docs/compatibility.md, out of the signed reports in docs/compatibility. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../docs/compatibility', import.meta.url));
const WORD = { holds: 'ok', open: '**open**', failed: '**failed**', 'not seen': 'not seen', 'n.a.': 'n.a.' };

/** @returns {{ name: string, text: string }[]} what `apes hooks certify --report` wrote */
export const signedReports = () =>
  readdirSync(FOLDER)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => ({ name, text: readFileSync(join(FOLDER, name), 'utf8') }));

/**
 * Several runs make one table: the version of a harness that was tried last, and of it the cell that was seen last.
 * @param {{ name: string, text: string }[]} reports that their signatures fit is a test's affair
 */
export function compatibilityPage(reports) {
  const runs = reports
    .map(({ name, text }) => ({
      file: name,
      ...JSON.parse(Buffer.from(JSON.parse(text).payload, 'base64url').toString()),
    }))
    .sort((one, other) => (one.at < other.at ? -1 : 1));
  const cases = [...new Map(runs.flatMap((run) => run.cases).map((each) => [each.name, each])).values()];
  const harnesses = merged(runs);
  const [ofMachine = [], ofUser = []] = [true, false].map((is) =>
    harnesses.filter(({ name }) => isManaged(name) === is),
  );
  const notes = harnesses.flatMap(({ name, cells }) =>
    cases
      .filter((tried) => (cells[tried.name]?.text ?? null) !== null)
      .map((tried) => `- ${name}, ${tried.name}: ${cells[tried.name].outcome}: ${plain(cells[tried.name].text)}`),
  );
  const made = runs.map(
    ({ file, at, apeShell, system }) =>
      `- [${file}](compatibility/${file}): ${at.slice(0, 10)}, ape-shell ${apeShell.version}, on ${system}`,
  );
  return `# Compatibility

**After this page you can** tell which agents were seen to hold, in which version, and in which failures.

This is what \`apes hooks certify\` saw. This page is made by \`node scripts/compatibility.mjs\` out of
signed reports; a test says that it is:

${made.join('\n')}

## With the settings of a user

${table(cases, ofUser)}

## With the settings of the machine

\`apes hooks install NAME --managed\`. What breaks the guard or the settings is n.a. here: only root can do so.

${table(cases, ofMachine)}

## What the words mean

**ok**: it was seen, and nothing happened that no grant covers. **open**: something did. **failed**: what should have
happened did not. **not seen**: nothing can be said. **n.a.**: it does not apply.
*project* is what the settings of a project can set against the gate of a user; where it is open, \`--managed\` closes it, or
nothing does: [what stays open in each harness](harnesses.md#what-stays-open-in-each-harness).
*openclaw* is the agent without its Gateway, which alone calls our plugin: there the file tools are open.

## What was found

${notes.length === 0 ? 'Nothing beside the table.' : notes.join('\n')}

## The cases

${cases.map(({ name, title }) => `- *${name}*: ${title}`).join('\n')}
`;
}

const isManaged = (name) => name.endsWith('-managed');

/** A column for each harness, a row for each case that one of them was tried in. */
function table(cases, harnesses) {
  const row = (cells) => `| ${cells.join(' | ')} |`;
  const tried = cases.filter(({ name }) => harnesses.some(({ cells }) => cells[name] !== undefined));
  return [
    row(['case', ...harnesses.map(({ name, version }) => `${name.replace('-managed', '')} ${version}`)]),
    row(['---', ...harnesses.map(() => '---')]),
    ...tried.map(({ name }) => row([name, ...harnesses.map(({ cells }) => WORD[cells[name]?.outcome] ?? '-')])),
  ].join('\n');
}

/** Where a later run saw another version of a harness, nothing of the earlier one counts: it is not true of the other. */
function merged(runs) {
  const found = new Map();
  for (const { name, version, cells } of runs.flatMap(({ harnesses }) => harnesses)) {
    const before = found.get(name);
    const kept = before?.version === version ? before.cells : {};
    found.set(name, { name, version, cells: { ...kept, ...cells } });
  }
  return [...found.values()];
}

/** Scratch places are other ones in each run. */
const plain = (text) =>
  text
    .replaceAll(/\/tmp\/ape-certify-\w+\/[^/\s]+\/(home|work)/g, '…')
    .replaceAll('|', '\\|')
    .replaceAll(/\s*\n\s*/g, ' ')
    .slice(0, 300);
