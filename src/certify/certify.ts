/**
 * Makes every failure happen to the agents of this machine: each in a HOME of its own that goes again, with a grant server of
 * its own and a scripted model, so that it needs no key and no network, and touches nothing of the user's.
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
/** Another way to start the same program. */
const VARIANT = /-(?:managed|gateway)$/;
/** Which directory below `agents` holds a Node for agents that want a newer one than ours. */
const NODE_24 = 'node24/node_modules/node/bin/node';

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

interface Tried {
  readonly name: string;
  readonly title: string;
  readonly turns: number;
  readonly only?: readonly string[];
  readonly whyNot?: (driver: Driver) => string | null | undefined;
}

interface Agent {
  readonly directory: string;
  readonly version: string;
  readonly isPinned: boolean;
  readonly program?: string;
}

/**
 * @property harnesses null: every one that is there, for its user's settings
 * @property cases     null: all
 * @property agents    a directory as `npm run tripwire` makes it; null: what is in PATH
 * @property say       progress, a line each
 * @property jobs      so many harnesses at once
 * @property onOpen    what has to be called where all must end at once; what it returns takes that back
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

/** What a word on the command line may be. */
export const DRIVER_NAMES: readonly string[] = DRIVERS.map(({ name }) => name);
export const CASE_NAMES: readonly string[] = [
  ...new Set([...SHARED, ...DRIVERS.flatMap(({ own }) => own ?? [])].map(({ name }) => name)),
];

/** @property missing harnesses that were not asked for and are not there */
export interface Certified {
  readonly certificate: Certificate;
  readonly missing: readonly string[];
}

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

/** The results in the order of the values, whichever is ready first. */
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
 * The cases that one driver is tried in; an own case takes the place of the shared one of its name. A driver with the
 * machine's settings inherits the list of the user's one, so `only` counts here.
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
  const tell = (name: string, cell: Cell): void => {
    cells[name] = cell;
    order.say(`${driver.name} ${name}: ${cell.outcome}${cell.text === null ? '' : ` (${cell.text})`}`);
  };
  const rest = (text: string): void => {
    for (const { name } of cases) if (cells[name] === undefined) tell(name, { outcome: 'not seen', text, seconds: 0 });
  };
  if (agent === null) rest(order.agents === null ? 'it is not in PATH' : `it is not below ${order.agents}`);
  else
    try {
      await withInstallation(order, async (installation) => {
        for (const tried of cases) {
          const why = driver.whyNot ?? driver.notApplicable?.[tried.name] ?? tried.whyNot?.(driver);
          if (typeof why === 'string') tell(tried.name, { outcome: 'n.a.', text: why, seconds: 0 });
          else tell(tried.name, await cellOf(driver, tried, { installation, agent, order }));
        }
        unexpected = unexpectedCalls(installation, driver.name);
      });
    } catch (error) {
      rest(error instanceof Error ? error.message : String(error));
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

/** A server of its own; whatever happens, it ends and nothing of it stays. */
async function withInstallation(
  order: CertifyOrder,
  work: (installation: TrialInstallation) => Promise<void>,
): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), RUN_PREFIX));
  noteRun(directory);
  const installation =
    order.agents === null ? new TrialInstallation(directory, order.path) : new TrialInstallation(directory);
  const takeBack = order.onOpen(() => {
    endAll();
    installation.abandon();
  });
  try {
    await installation.open();
    await work(installation);
  } finally {
    await installation.close();
    takeBack();
  }
}

/** Null where it is not there. */
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

/** What reached the gate and is none of our commands: probes and snapshots of the harness itself. */
function unexpectedCalls(installation: TrialInstallation, name: string): readonly string[] {
  const places = [`ran-${name}-`, installation.directory, '/apes-hooks-check-'];
  const ours = (text: string): boolean => places.some((each) => text.includes(each)) || / grants run g_/.test(text);
  const journal: readonly { event: string; text?: string }[] = installation.journal();
  return journal
    .filter(({ event }) => ['asked', 'permitted', 'refused'].includes(event))
    .map(({ text }) => text ?? '')
    .filter((text) => text !== '' && !ours(text));
}
