/**
 * Compares each rule file with the installed program of that name: which words each option takes, and which word ends the options.
 * Takes minutes.
 *
 *   node scripts/check-rules.mjs [TOOL …]     checks these tools; default: all
 *   … --unsure                                also prints the options about which the program's answers say nothing
 *   … --programs DIR                          looks for programs in DIR first; may be given several times
 *
 * Every program is started thousands of times with words that it does not know, in a directory of its own, without network,
 * without a home and, if root runs this, as the user `nobody`. Status 1 if a rule is wrong. The test suite runs the fast part of this.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parse } from 'smol-toml';
import { removeDirectory } from './remove-directory.mjs';
import { loadTestSources } from './test-sources.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values, positionals } = parseArgs({
  options: { unsure: { type: 'boolean' }, programs: { type: 'string', multiple: true } },
  allowPositionals: true,
});
const { checkTool, programAt, readRule, toolsOf } = await loadTestSources(
  [
    `export * from '../rules-truth/check-tool.ts';`,
    `export * from '../rules-truth/complaint.ts';`,
    `export { readRule, toolsOf } from '../../src/core/rules/read-rule.ts';`,
  ].join('\n'),
);

const SEARCHED = [
  ...(values.programs ?? []).map((directory) => path.resolve(directory)),
  '/usr/local/bin',
  '/usr/bin',
  '/bin',
  '/usr/sbin',
  '/sbin',
];
/** @type {(name: string) => string | undefined} */
const findProgram = (name) =>
  SEARCHED.map((directory) => path.join(directory, name)).find((file) => spawnSync('test', ['-x', file]).status === 0);

/**
 * Returns the words to put before a program, so that it has no network, and runs as the user `nobody` if this script runs as root. Returns
 * null if this is not possible here.
 */
function sandbox() {
  const nobody = process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--'] : [];
  const words = [...nobody, 'unshare', '--user', '--map-current-user', '--net', '--'];
  const [command = '', ...rest] = words;
  return spawnSync(command, [...rest, 'true']).status === 0 ? words : null;
}

/** Makes a repository with one commit, in a directory of its own. */
function makeRepository() {
  const place = mkdtempSync(path.join(tmpdir(), 'ape-rules-'));
  chmodSync(place, 0o777);
  writeFileSync(path.join(place, 'a'), 'a\n');
  /** @type {(...words: string[]) => Buffer} */
  const git = (...words) =>
    execFileSync('git', ['-c', 'user.name=u', '-c', 'user.email=u@x', ...words], { cwd: place, stdio: 'ignore' });
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'one');
  if (process.getuid?.() === 0) execFileSync('chown', ['-R', '65534:65534', place]);
  return place;
}

const sandboxWords = sandbox();
if (sandboxWords === null) {
  console.error(
    'check-rules: the programs need a user namespace, and none can be made here; allow unprivileged user namespaces, or use another machine',
  );
  process.exit(1);
}
const total = { tools: 0, checked: 0, faults: 0, unsure: 0 };
const missing = [];
for (const file of readdirSync(path.join(root, 'src/rules')).sort()) {
  const rule = readRule(parse(readFileSync(path.join(root, 'src/rules', file), 'utf8')));
  if (!rule.ok) throw new Error(`${file}: ${rule.failure.message}`);
  for (const tool of toolsOf(rule.value))
    for (const name of tool.names) {
      if (positionals.length > 0 && !positionals.includes(name)) continue;
      const program = findProgram(name);
      if (program === undefined) {
        missing.push(name);
        continue;
      }
      const place = makeRepository();
      const begin = Date.now();
      const findings = checkTool(tool, programAt(program, name, place, sandboxWords));
      await removeDirectory(place);
      total.tools++;
      total.checked += findings.checked;
      total.faults += findings.faults.length;
      total.unsure += findings.unsure.length;
      for (const fault of findings.faults) console.log(`WRONG   ${fault}`);
      if (values.unsure) for (const each of findings.unsure) console.log(`unsure  ${each}`);
      process.stderr.write(`${name}: ${findings.checked} in ${Date.now() - begin} ms\n`);
    }
}
console.log(JSON.stringify(total), 'not installed:', missing.join(' '));
process.exit(total.faults === 0 ? 0 : 1);
