/** Runs the sections of a bench: checks the command line, describes the machine, runs the sections, prints the table, and exits. */
import os from 'node:os';
import { messageOf } from '../message-of.mjs';
import { printTable } from './table.mjs';

/**
 * Exits with 64 for a wrong command line, 1 if a section failed, else 0.
 * @param {string} program the name of the bench in messages
 * @param {Record<string, (options: any) => Promise<void>>} sections by name
 * @param {{ only: string, numbers: Record<string, string>, others: Record<string, unknown> }} options
 *   `only`: names of sections, separated by commas; `numbers`: texts of whole numbers above 0; `others`: passed to the sections unchanged
 */
export async function runSections(program, sections, { only, numbers, others }) {
  const names = only.split(',');
  const unknown = names.find((name) => !(name in sections));
  const counts = Object.fromEntries(Object.entries(numbers).map(([name, text]) => [name, Number(text)]));
  const bad = Object.keys(counts).find((name) => !(Number.isInteger(counts[name]) && counts[name] > 0));
  if (unknown !== undefined || bad !== undefined) {
    console.error(
      unknown !== undefined
        ? `${program}: no section ${unknown}; there are ${Object.keys(sections).join(', ')}`
        : `${program}: --${bad} wants a whole number above 0`,
    );
    process.exit(64);
  }
  const load = os.loadavg()[0]?.toFixed(1);
  console.log(
    `${os.cpus().length} cores (${os.cpus()[0]?.model.trim()}), ${os.type()} ${os.release()}, Node ${process.version}, load ${load}`,
  );
  let failures = 0;
  for (const name of names)
    try {
      await sections[name]?.({ ...counts, ...others });
    } catch (error) {
      failures++;
      console.error(`\n${program}: ${name}: ${messageOf(error)}`);
    }
  printTable();
  process.exit(failures === 0 ? 0 : 1);
}
