/** Prints the results: a table with a row for each harness and a column for each case, then the faults and the unexpected calls. */
export function printTable(rows, all) {
  const cases = all.filter(({ name }) => rows.every(({ results }) => results[name] !== undefined));
  const heads = ['harness', 'version', 'gate', ...cases.map(({ name }) => name), 'unexpected'];
  const cells = rows.map(({ name, version, gate, results, unexpected }) => [
    name,
    version,
    gate,
    ...cases.map((each) => cell(results[each.name])),
    String(unexpected.length),
  ]);
  const widths = heads.map((head, at) => Math.max(head.length, ...cells.map((row) => row[at].length)));
  for (const row of [heads, ...cells])
    console.log(
      row
        .map((text, at) => text.padEnd(widths[at]))
        .join('  ')
        .trimEnd(),
    );
  console.log();
  const own = all.filter((each) => !cases.includes(each));
  for (const { name, results } of rows) {
    const tried = own.filter((each) => results[each.name] !== undefined);
    if (tried.length > 0)
      console.log(`${name} also: ${tried.map((each) => `${each.name} ${cell(results[each.name])}`).join(', ')}`);
  }
  for (const { name, title } of all) console.log(`${name}: ${title}`);
  console.log('unexpected: calls of the harness itself that reached the gate');
  for (const { name, results, unexpected } of rows) {
    for (const [tried, { fault, why, note }] of Object.entries(results))
      if (fault || why || note) console.log(`${name} ${tried}: ${fault ?? (why ? `n.a., ${why}` : note)}`);
    for (const text of new Set(unexpected)) console.log(`${name}, unexpected: ${text.slice(0, 160)}`);
  }
}

const cell = (result) => (result.fault ? 'FAILED' : result.why ? 'n.a.' : 'ok');
