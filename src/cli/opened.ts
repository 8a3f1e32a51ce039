/** Opens what most verbs need first: the installation, and possibly the client of the grant server, or the gate. */
import { type Failure, failure } from '../core/failure.ts';
import { failed, type Result, success } from '../core/result.ts';
import type { Gate } from '../gate/authorize.ts';
import type { GrantClient } from '../grants/client.ts';
import type { KeyRole } from '../grants/enrolment.ts';
import type { Installation } from '../platform/installation.ts';
import type { CliContext } from './context.ts';
import { type Ending, failing } from './ending.ts';

/** Fails without calling `work` if the installation cannot be opened. */
export async function withInstallation<T>(
  context: CliContext,
  work: (installation: Installation) => Promise<Result<T, Failure>> | Result<T, Failure>,
): Promise<Result<T, Failure>> {
  const installation = await context.openInstallation();
  return installation.ok ? work(installation.value) : installation;
}

/** Like `withInstallation`, but `work` returns the ending of the verb. */
export const endingWith = (
  context: CliContext,
  work: (installation: Installation) => Promise<Ending> | Ending,
): Promise<Ending> => orFailing(withInstallation(context, async (installation) => success(await work(installation))));

/** What a verb does with the opened client or gate. */
type Work<Opened, T> = (opened: Opened, installation: Installation) => Promise<Result<T, Failure>> | Result<T, Failure>;

/** Fails without calling `work` if the installation or the client cannot be opened. */
export async function withClient<T>(
  context: CliContext,
  role: KeyRole,
  work: Work<GrantClient, T>,
): Promise<Result<T, Failure>> {
  const result = await withOpened(context, (installation) => context.openClient(installation, role), work);
  return role === 'owner' ? withOwnerMessage(result) : result;
}

/** Replaces the message "no such grant of yours": an owner key sees the grants of all requesters. */
export const withOwnerMessage = <T>(result: Result<T, Failure>): Result<T, Failure> =>
  result.ok || result.failure.detail !== 'grant.not_found' ? result : failed(NO_SUCH_GRANT);

const NO_SUCH_GRANT = failure(
  'refused',
  'refused: there is no such grant',
  'see `apes grants inbox`',
  'grant.not_found',
);

/** Fails without calling `work` if the installation or the gate cannot be opened. */
export const withGate = <T>(context: CliContext, work: Work<Gate, T>) => withOpened(context, context.openGate, work);

const withOpened = <Opened, T>(
  context: CliContext,
  open: (installation: Installation) => Result<Opened, Failure>,
  work: Work<Opened, T>,
): Promise<Result<T, Failure>> =>
  withInstallation(context, (installation) => {
    const opened = open(installation);
    return opened.ok ? work(opened.value, installation) : opened;
  });

/** Returns the ending in the result, or makes an ending from the failure. */
export async function orFailing(result: Promise<Result<Ending, Failure>>): Promise<Ending> {
  const settled = await result;
  return settled.ok ? settled.value : failing(settled.failure);
}
