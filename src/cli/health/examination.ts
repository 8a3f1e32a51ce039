/** Runs all checks of `apes health`, most of them at the same time. A result that several checks need is obtained once. */
import { type Failure, failure } from '../../core/failure.ts';
import { failed, type Result } from '../../core/result.ts';
import { readSettings, type Settings } from '../../core/settings.ts';
import type { Installation } from '../../platform/installation.ts';
import { locate } from '../../platform/paths.ts';
import type { CliContext } from '../context.ts';
import { approvers } from './approvers.ts';
import { type CheckResult, check, type Finding, warn } from './check.ts';
import { hooks } from './hooks.ts';
import * as local from './local.ts';
import * as reaching from './reaching.ts';
import { rules } from './rules.ts';
import * as remote from './server.ts';

const QUICK_MS = 3000;

/** Returns the findings in the order in which `apes health` prints them. */
export async function examine(context: CliContext): Promise<readonly Finding[]> {
  const opened = await openOrExplain(context);
  const installation = opened.ok ? opened : withDefaults(context);
  const client = installation.ok ? context.openClient(installation.value, 'requester') : installation;
  const timeoutMs = installation.ok ? installation.value.settings.server.timeoutMs * 3 + 1000 : QUICK_MS;
  const withInstallation = (look: (installation: Installation) => CheckResult | Promise<CheckResult>) => () =>
    installation.ok
      ? look(installation.value)
      : warn('not checked: the directories of this installation are not known');
  // This call runs first and alone. Otherwise the load of our other checks would increase the measured latency of the server.
  const contact = client.ok ? await remote.contact(client.value) : client;
  const reach = installation.ok ? reaching.readReachability(installation.value) : Promise.resolve(installation);
  return Promise.all([
    check('version', QUICK_MS, () => local.version(context)),
    check('node', QUICK_MS, () => local.node()),
    check('bash', QUICK_MS * 2, withInstallation(local.bash)),
    check('confinement', QUICK_MS * 2, withInstallation(local.confinement)),
    check('configuration', QUICK_MS, () => local.configuration(opened)),
    check('directories', QUICK_MS, withInstallation(local.directories)),
    check('approvers', QUICK_MS, withInstallation(approvers)),
    check('rules', QUICK_MS * 2, withInstallation(rules)),
    check('audit', QUICK_MS, withInstallation(local.audit)),
    check('identity', QUICK_MS, () => remote.identity(client)),
    check('server', timeoutMs, () => remote.server(contact)),
    check('clock', timeoutMs, () => remote.clock(contact)),
    check('token', timeoutMs, () => remote.token(client, contact)),
    check('grants', timeoutMs, () => remote.grants(client, contact)),
    check('own server', timeoutMs, withInstallation(remote.examineOwnServer)),
    check('channels', timeoutMs, async () => reaching.channels(await reach)),
    check('phone', timeoutMs, async () => reaching.phone(await reach)),
    check('notifications', QUICK_MS, () =>
      opened.ok ? local.notifications(opened.value) : warn('not known: the configuration cannot be read'),
    ),
    check('login shell', QUICK_MS, () => local.loginShell(context)),
    check('hooks', QUICK_MS, withInstallation(hooks)),
  ]);
}

async function openOrExplain(context: CliContext): Promise<Result<Installation, Failure>> {
  try {
    return await context.openInstallation();
  } catch (error) {
    return failed(failure('configuration', `the configuration cannot be read (${String(error)})`));
  }
}

/** Returns the installation with default settings. If the configuration is broken, the other checks use these settings. */
function withDefaults(context: CliContext): Result<Installation, Failure> {
  const paths = locate(context.caller.environment);
  if (!paths.ok) return paths;
  const settings: Result<Settings, Failure> = readSettings({}, '', () => undefined);
  if (!settings.ok) return settings;
  const { caller, dist } = context;
  return { ok: true, value: { caller, dist, paths: paths.value, settings: settings.value } };
}
