/** The page docs/compatibility.md, out of the signed report that lies beside it. */
const WORD = { holds: 'ok', open: '**open**', failed: '**failed**', 'not seen': 'not seen', 'n.a.': 'n.a.' };

/** @param {string} report what `apes hooks certify --report` wrote; that its signature fits is a test's affair */
export function compatibilityPage(report) {
  const { harnesses, cases, apeShell, system, at } = JSON.parse(
    Buffer.from(JSON.parse(report).payload, 'base64url').toString(),
  );
  const row = (cells) => `| ${cells.join(' | ')} |`;
  const notes = harnesses.flatMap(({ name, cells }) =>
    Object.entries(cells)
      .filter(([, { text }]) => text !== null)
      .map(([tried, { outcome, text }]) => `- ${name}, ${tried}: ${outcome}: ${plain(text)}`),
  );
  return `# Compatibility

**After this page you can** tell which agents were seen to hold, in which version, and in which failures.

This is what \`apes hooks certify\` saw on ${at.slice(0, 10)}, with ape-shell ${apeShell.version} on ${system}. This page is made by
\`node scripts/compatibility.mjs\` out of the signed report [compatibility.json](compatibility.json); a test says that it is.

${row(['case', ...harnesses.map(({ name, version }) => `${name} ${version}`)])}
${row(['---', ...harnesses.map(() => '---')])}
${cases.map(({ name }) => row([name, ...harnesses.map(({ cells }) => WORD[cells[name]?.outcome] ?? '-')])).join('\n')}

**ok**: it was seen, and nothing happened that no grant covers. **open**: something did. **failed**: what should have
happened did not. **not seen**: nothing can be said. **n.a.**: it does not apply.
What a project's own settings can switch off is not among these cases: [what stays open in each
harness](harnesses.md#what-stays-open-in-each-harness).

## What was found

${notes.length === 0 ? 'Nothing beside the table.' : notes.join('\n')}

## The cases

${cases.map(({ name, title }) => `- *${name}*: ${title}`).join('\n')}
`;
}

/** Scratch places are other ones in each run. */
const plain = (text) =>
  text
    .replaceAll(/\/tmp\/ape-certify-\w+\/[^/\s]+\/(home|work)/g, '…')
    .replaceAll('|', '\\|')
    .replaceAll(/\s*\n\s*/g, ' ')
    .slice(0, 300);
