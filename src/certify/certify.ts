/**
 * Tries cases with installed agents, and makes the certificate. Each agent gets a temporary HOME, a grant server of its own and a scripted
 * model. So the certification needs no key and no network. It touches no file of the user.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { arch, platform, release, tmpdir } from 'node:os';
import { join } from 'node:path';
import { findHarness } from '../harness/harnesses.ts';
import { findHarnessProgram } from '../harness/program-version.ts';
import { systemClock } from '../platform/clock.ts';
import { RESUMED } from './cases/resumed-case.mjs';
import { CASES } from './cases.mjs';
import type { Cell, Certificate, CertifiedHarness } from './certificate.ts';
import { FAULT_CASES } from './fault-cases.mjs';
import { AGENTS } from './harnesses.mjs';
import { TrialInstallation } from './installation.mjs';
import { noteRun, RUN_PREFIX, removeLeftovers } from './leftovers.ts';
import { endAll } from './processes.mjs';
import { IN_PATH, runCase } from './run-case.mjs';

const SHARED = [...CASES, ...FAULT_CASES, RESUMED];
const MANAGED = '-managed';
/** The end of the name of a variant. A variant is a driver that starts another driver's program with other settings. */
const VARIANT = /-(?:managed|gateway)$/;
/** The program Node 24, below the directory of agents. Some agents need this version. */
const NODE_24 = 'node24/node_modules/node/bin/node';

/**
 * One harness as `certify.mjs` in its folder describes it: package, version, and cases of its own.
 * @property whyNot        why no case can be tried with this harness here; null or absent: cases can be tried
 * @property gate          as in `CertifiedHarness`
 * @property notApplicable the names of the cases that do not apply to this harness, each with the reason
 */
interface Driver {
  readonly name: string;
  readonly folder?: string;
  readonly package: string;
  readonly version: string;
  readonly gate: string;
  readonly whyNot?: string | null;
  readonly needsNode24?: boolean;
  readonly notApplicable?: Readonly<Record<string, string>>;
  readonly own?: readonly Tried[];
}

/** The members of a case that this file reads. */
interface Tried {
  readonly name: string;
  readonly title: string;
  readonly turns: number;
  readonly only?: readonly string[];
  readonly whyNot?: (driver: Driver) => string | null | undefined;
}

/**
 * @property isPinned whether the installed version is the version in the harness's `certify.mjs`
 * @property program  the path of the program in PATH; absent: the program is below `directory`
 */
interface Agent {
  readonly directory: string;
  readonly version: string;
  readonly isPinned: boolean;
  readonly program?: string;
}

/**
 * Unknown names in `harnesses` and `cases` are ignored. `DRIVER_NAMES` and `CASE_NAMES` have the known names.
 * @property harnesses null: every installed harness, without the variants for settings of the whole machine (`NAME-managed`)
 * @property cases     null: all cases
 * @property agents    a directory as `npm run tripwire` makes it; null: the agents in PATH
 * @property path      the PATH that is searched for agents
 * @property say       called with each line of progress
 * @property jobs      how many harnesses are tried at once
 * @property onOpen    called before each server starts. `abandon` kills the server and all agents immediately. The returned function is
 *                     called after the server has ended
 */
export interface CertifyOrder {
  readonly harnesses: readonly string[] | null;
  readonly cases: readonly string[] | null;
  readonly agents: string | null;
  readonly path: string;
  readonly apeShell: Certificate['apeShell'];
  readonly say: (text: string) => void;
  readonly jobs: number;
  readonly onOpen: (abandon: () => void) => () => void;
}

export const DRIVERS = AGENTS as readonly Driver[];

/** The names that `apes hooks certify` accepts. */
export const DRIVER_NAMES: readonly string[] = DRIVERS.map(({ name }) => name);
export const CASE_NAMES: readonly string[] = [
  ...new Set([...SHARED, ...DRIVERS.flatMap(({ own }) => own ?? [])].map(({ name }) => name)),
];

/** @property missing the harnesses that are not installed; always empty if the order names harnesses */
export interface Certified {
  readonly certificate: Certificate;
  readonly missing: readonly string[];
}

/**
 * Runs the certification. If the order names a harness that is not installed, all cells of this harness are `not seen`. If the order names
 * no harnesses, `missing` has each harness that is not installed, and the certificate leaves this harness out.
 */
export async function certify(order: CertifyOrder): Promise<Certified> {
  const at = new Date(systemClock.nowMs()).toISOString();
  const wanted = DRIVERS.filter(({ name }) =>
    order.harnesses === null ? !name.endsWith(MANAGED) : order.harnesses.includes(name),
  );
  for (const line of removeLeftovers()) order.say(line);
  const tried = await inParallel(wanted, order.jobs, async (driver) => {
    const agent = await agentOf(driver, order);
    return agent === null && order.harnesses === null ? null : await tryHarness(driver, agent, order);
  });
  const harnesses = tried.filter((each) => each !== null);
  const missing = wanted.filter((_, at) => tried[at] === null).map(({ name }) => name);
  const known = harnesses.flatMap(({ name }) => casesOf(driverNamed(name), order));
  const cases = [...new Map(known.map(({ name, title }) => [name, { name, title }])).values()];
  const system = `${platform()} ${release()} ${arch()}`;
  return {
    certificate: { typ: 'ape-certificate/1', apeShell: order.apeShell, system, at, cases, harnesses },
    missing,
  };
}

/** Runs `work` for at most `jobs` values at once; the results are in the order of the values. */
async function inParallel<T, R>(
  values: readonly T[],
  jobs: number,
  work: (value: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  const left = [...values.entries()];
  const worker = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) results[next[0]] = await work(next[1]);
  };
  await Promise.all(Array.from({ length: jobs }, worker));
  return results;
}

const driverNamed = (wanted: string): Driver | undefined => DRIVERS.find(({ name }) => name === wanted);

/**
 * Returns the cases for one driver: the shared cases, then the driver's own cases. An own case replaces a shared case of the same name.
 * The driver for the user's settings and the driver for the settings of the whole machine can have the same list of own cases. If a case
 * fits only one driver, `only` names that driver.
 */
export function casesOf(driver: Driver | undefined, { cases }: Pick<CertifyOrder, 'cases'>): readonly Tried[] {
  const own = (driver?.own ?? []).filter(({ only }) => only === undefined || only.includes(driver?.name ?? ''));
  const shared = (SHARED as readonly Tried[]).map((each) => own.find(({ name }) => name === each.name) ?? each);
  const all = [...shared, ...own.filter((each) => !shared.includes(each))];
  return cases === null ? all : all.filter(({ name }) => cases.includes(name));
}

async function tryHarness(driver: Driver, agent: Agent | null, order: CertifyOrder): Promise<CertifiedHarness> {
  const cells: Record<string, Cell> = {};
  const cases = casesOf(driver, order);
  let unexpected: readonly string[] = [];
  const record = (name: string, cell: Cell): void => {
    cells[name] = cell;
    order.say(`${driver.name} ${name}: ${cell.outcome}${cell.text === null ? '' : ` (${cell.text})`}`);
  };
  const recordRest = (text: string): void => {
    for (const { name } of cases)
      if (cells[name] === undefined) record(name, { outcome: 'not seen', text, seconds: 0 });
  };
  if (agent === null)
    recordRest(order.agents === null ? 'the agent is not in PATH' : `the agent is not below ${order.agents}`);
  else
    try {
      await withInstallation(order, async (installation) => {
        for (const tried of cases) {
          const why = driver.whyNot ?? driver.notApplicable?.[tried.name] ?? tried.whyNot?.(driver);
          if (typeof why === 'string') record(tried.name, { outcome: 'n.a.', text: why, seconds: 0 });
          else record(tried.name, await cellOf(driver, tried, { installation, agent, order }));
        }
        unexpected = unexpectedCalls(installation, driver.name);
      });
    } catch (error) {
      recordRest(error instanceof Error ? error.message : String(error));
    }
  return { name: driver.name, version: agent?.version ?? null, gate: driver.gate, cells, unexpected };
}

async function cellOf(
  driver: Driver,
  tried: Tried,
  { installation, agent, order }: { installation: TrialInstallation; agent: Agent; order: CertifyOrder },
): Promise<Cell> {
  const node24 = driver.needsNode24 && order.agents !== null ? join(order.agents, NODE_24) : undefined;
  const { outcome, fault, note, seconds } = await runCase(driver, tried, { installation, agent, node24 });
  return { outcome, text: fault ?? note, seconds: Math.round(seconds * 10) / 10 };
}

/** Runs `work` with an installation that has its own server. Then ends the server, and removes the files of the installation. */
async function withInstallation(
  order: CertifyOrder,
  work: (installation: TrialInstallation) => Promise<void>,
): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), RUN_PREFIX));
  noteRun(directory);
  const installation =
    order.agents === null ? new TrialInstallation(directory, order.path) : new TrialInstallation(directory);
  const unregister = order.onOpen(() => {
    endAll();
    installation.destroy();
  });
  try {
    await installation.open();
    await work(installation);
  } finally {
    await installation.close();
    unregister();
  }
}

/** Returns null if the agent is not installed. */
async function agentOf(driver: Driver, order: CertifyOrder): Promise<Agent | null> {
  if (order.agents !== null) {
    const directory = join(order.agents, driver.folder ?? driver.name);
    const version = packageVersion(directory, driver.package);
    return version === null ? null : { directory, version, isPinned: version === driver.version };
  }
  const harness = findHarness(driver.name.replace(VARIANT, ''));
  if (harness === null) return null;
  const scratch = mkdtempSync(join(tmpdir(), 'ape-certify-version-'));
  const found = await findHarnessProgram(harness, { PATH: order.path, HOME: scratch, LC_ALL: 'C.UTF-8' });
  rmSync(scratch, { recursive: true, force: true });
  if (found === null) return null;
  const version = found.version ?? '?';
  return { directory: IN_PATH, program: found.file, version, isPinned: version === driver.version };
}

function packageVersion(directory: string, name: string): string | null {
  try {
    const value: unknown = JSON.parse(readFileSync(join(directory, 'node_modules', name, 'package.json'), 'utf8'));
    const version = typeof value === 'object' && value !== null && 'version' in value ? value.version : null;
    return typeof version === 'string' ? version : null;
  } catch {
    return null;
  }
}

/** Returns the texts of requests to the gate that no case made, such as probes of the harness itself. */
function unexpectedCalls(installation: TrialInstallation, name: string): readonly string[] {
  const places = [`ran-${name}-`, installation.directory, '/apes-hooks-check-'];
  const ours = (text: string): boolean => places.some((each) => text.includes(each)) || / grants run g_/.test(text);
  const journal: readonly { event: string; text?: string }[] = installation.journal();
  return journal
    .filter(({ event }) => ['asked', 'permitted', 'refused'].includes(event))
    .map(({ text }) => text ?? '')
    .filter((text) => text !== '' && !ours(text));
}
