/**
 * `apes owner people`, `quorum`, `delegate`, `on-call` and `break-glass`: the other people who decide or audit, and the rules for these
 * people.
 */
import type { Command, Option } from 'commander';
import { RISKS, type Risk } from '../../core/effects/permission.ts';
import { failure } from '../../core/failure.ts';
import { visibleLine } from '../../core/text/visible-text.ts';
import { newArgument, newOption } from '../commander.ts';
import type { CliContext } from '../context.ts';
import { choiceArgument, choiceOption, countOf, durationOf, valueParser } from '../option-values.ts';
import type { BreakGlassOptions } from './break-glass-here.ts';
import type { DelegateOptions } from './delegate-here.ts';
import type { OnCallOptions } from './on-call-here.ts';

const MAX_NAME = 64;
/** @param example a valid command, for the message about an invalid name */
const nameFor = (example: string) =>
  valueParser(
    (text) => {
      const name = text.trim();
      return name === '' || name.startsWith('-') || name.length > MAX_NAME || visibleLine(name) !== name ? null : name;
    },
    () => failure('usage', `a name has 1 to ${MAX_NAME} visible characters and does not begin with -`, example),
  );

/** Reads `all`, or names that are separated by commas. */
const namesOf = (flag: string) =>
  valueParser(
    (text): readonly string[] | 'all' | null => {
      const names = text.split(',').map((name) => name.trim());
      if (text.trim() === 'all') return 'all';
      return names.some((name) => name === '') ? null : names;
    },
    (text) => failure('usage', `${flag} is ${text}`, `write ${flag} one,two or ${flag} all`),
  );

type PersonRole = 'approver' | 'auditor';

/**
 * An absent option changes nothing. For a new person, an absent `role` is `approver`, and each absent limit means: no limit.
 * @property requesters ids or names; this person decides only for these requesters; `all` lifts this limit
 * @property hosts      this person decides only for these hosts; `all` lifts this limit
 * @property upTo       the highest risk at which this person decides
 * @property own        the requesters that belong to this person; `['none']`: no requester; `all` is refused
 * @property unlimited  lifts every limit
 */
export interface PersonOptions {
  readonly role?: PersonRole;
  readonly requesters?: readonly string[] | 'all';
  readonly hosts?: readonly string[] | 'all';
  readonly upTo?: Risk;
  readonly own?: readonly string[] | 'all';
  readonly unlimited?: true;
}

const MAX_PEOPLE = 9;
const noSuchRisk = (text: string) => failure('usage', `there is no risk ${text}`, `write ${RISKS.join(', ')}`);

const roleOption = (): Option =>
  choiceOption(
    '--role <role>',
    'approver (decides) or auditor (sees everything, decides nothing)',
    ['approver', 'auditor'],
    (text) => failure('usage', `there is no role ${text}`, 'write approver or auditor'),
  );

const limitOptions = (): readonly Option[] => [
  newOption('--requesters <names>', 'may decide only requests of these requesters; all lifts this limit').argParser(
    namesOf('--requesters'),
  ),
  newOption('--hosts <names>', 'may decide only requests of these hosts; all lifts this limit').argParser(
    namesOf('--hosts'),
  ),
  choiceOption(
    '--up-to <risk>',
    'may decide only up to this risk; a line that cannot be read counts as critical',
    RISKS,
    noSuchRisk,
  ),
];

const actions = () => import('./people-here.ts');

export function registerOwnerPeople(owner: Command, context: CliContext): void {
  const people = owner.command('people').description('the other people who decide or audit');
  people
    .command('list')
    .description('list people and keys, with their limits and devices')
    .option('--json', 'one JSON object')
    .action(context.settle(async () => (await actions()).peopleList(context)));
  const invite = people
    .command('invite')
    .argument('<name>', '', nameFor('apes owner people invite Grace'))
    .description(
      'print a sign-in link for another person (one use, 24 hours); without limits this person decides like the owner',
    )
    .addOption(roleOption());
  for (const option of limitOptions()) invite.addOption(option);
  invite
    .option('--json', 'one JSON object')
    .action(
      context.settle(async (name: string, options: PersonOptions) =>
        (await actions()).personInvite(context, name, options),
      ),
    );
  const set = people
    .command('set <person>')
    .description('change what a person may decide; limits that you do not name stay as they are')
    .addOption(roleOption());
  for (const option of limitOptions()) set.addOption(option);
  set
    .addOption(
      newOption(
        '--own <requesters>',
        'the requesters that belong to this person; the person may not approve requests of these requesters; the word none lifts this rule',
      ).argParser(namesOf('--own')),
    )
    .option('--unlimited', 'lift every limit')
    .option('--json', 'one JSON object')
    .action(
      context.settle(async (person: string, options: PersonOptions) =>
        (await actions()).personSet(context, person, options),
      ),
    );
  owner
    .command('quorum')
    .addArgument(choiceArgument('[risk]', '', RISKS, noSuchRisk))
    .addArgument(newArgument('[people]', '').argParser(countOf('the number of people', 1, MAX_PEOPLE)))
    .description(
      'set how many people have to approve a request of this risk or a higher one; without arguments, show the numbers',
    )
    .option('--json', 'one JSON object')
    .action(
      context.settle(async (risk: Risk | undefined, count: number | undefined) =>
        (await import('./quorum-here.ts')).quorum(context, risk ?? null, count ?? null),
      ),
    );
  owner
    .command('delegate')
    .argument('[from]', '')
    .argument('[to]', '')
    .description('let <to> decide for a time what <from> may decide; without arguments, list the delegations')
    .addOption(
      newOption('--for <duration>', 'how long, such as 8h; approvals by the delegation end with it').argParser(
        durationOf('--for', '8h, 2d or 90m'),
      ),
    )
    .option('--end', 'end the delegation now')
    .option('--json', 'one JSON object')
    .action(
      context.settle(async (from: string | undefined, to: string | undefined, options: DelegateOptions) =>
        (await import('./delegate-here.ts')).delegate(context, from ?? null, to ?? null, options),
      ),
    );
  registerOnCall(owner, context);
  registerBreakGlass(owner, context);
  people
    .command('revoke <id>')
    .description('remove a person: their sessions, devices and recovery codes stop working at once')
    .option('--json', 'one JSON object')
    .action(context.settle(async (id: string) => (await actions()).personRevoke(context, id)));
}

const MAX_THEN = '24h';

function registerOnCall(owner: Command, context: CliContext): void {
  owner
    .command('on-call')
    .argument('[persons...]', '')
    .description('notify one person first, each for a week in turn; without arguments, print who is on call')
    .addOption(
      newOption(
        '--from <moment>',
        'when the first week begins, such as 2026-11-30T09:00 (default: the last Monday at 9:00)',
      ),
    )
    .addOption(
      newOption('--zone <zone>', 'the time zone of --from, such as Europe/Berlin (default: the zone of this machine)'),
    )
    .addOption(
      newOption(
        '--then <duration>',
        `how long until the others are notified of what still waits, up to ${MAX_THEN} (default: 15m)`,
      ).argParser(durationOf('--then', '15m or 1h')),
    )
    .option('--end', 'end the on-call weeks: each approver is notified at once')
    .option('--json', 'one JSON object')
    .action(
      context.settle(async (persons: readonly string[], options: OnCallOptions) =>
        (await import('./on-call-here.ts')).onCall(context, persons, options),
      ),
    );
}

function registerBreakGlass(owner: Command, context: CliContext): void {
  const codes = owner
    .command('break-glass')
    .description(
      'codes in a sealed envelope: a person who uses a code decides alone for 15 minutes, and every approver is notified',
    );
  const here = () => import('./break-glass-here.ts');
  codes
    .command('list')
    .description('list the codes, and which are in use')
    .option('--json', 'one JSON object')
    .action(context.settle(async () => (await here()).breakGlassList(context)));
  codes
    .command('make')
    .argument('<name>', '', nameFor("apes owner break-glass make 'Safe in the office'"))
    .description('make a code and show it once; the name says where its envelope is')
    .option(
      '--seal',
      'make a code that also seals: its key is added to the list of approvers, and older hosts then refuse this list',
    )
    .addOption(
      newOption('--for <duration>', 'how long hosts accept what the code seals (default: 365d)').argParser(
        durationOf('--for', '365d or 730d'),
      ),
    )
    .option('--json', 'one JSON object')
    .action(
      context.settle(async (name: string, options: BreakGlassOptions) =>
        (await here()).breakGlassMake(context, name, options),
      ),
    );
  codes
    .command('end <id>')
    .description('end a code, or the 15 minutes of a code in use, at once')
    .option('--json', 'one JSON object')
    .action(context.settle(async (id: string) => (await here()).breakGlassEnd(context, id)));
}
