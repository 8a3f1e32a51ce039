/**
 * A reading policy lets a command run without a grant if the command does nothing but read inside given directories. This file makes the
 * scope of such a policy, and finds the past lines that such a scope would cover.
 */
import type { ConfinementLevel } from '../../core/confinement/confinement.ts';
import type { EnvironmentEntry } from '../../core/grant/request.ts';
import type { CommandScope, ResourcePattern } from '../../core/scope/command-scope.ts';
import { boundVariables } from '../../core/scope/conditions.ts';
import { isImplied } from '../../core/scope/covers-required.ts';
import { isReadingPermission } from '../../core/scope/reading-permission.ts';
import { wouldCover } from '../../core/scope/would-cover.ts';
import type { ReadingDirectory, ReadingEvidence } from '../../core/wire/reading-evidence.ts';
import type { Subject } from '../../store/store.ts';
import { type PastLine, samplesOf } from './past-lines.ts';

/**
 * Makes a scope for commands that only read: files below the directories, and refs of repositories. The scope covers a command only if
 * root alone can change the programs that the command runs.
 * @param environment the environment of a past request. A covered command must have the same values of the bound variables
 * @param confinement the level that the host of the past request reported; the scope demands at least this level
 */
export function readingScope(
  requester: Pick<Subject, 'host' | 'user'>,
  directories: readonly string[],
  environment: readonly EnvironmentEntry[],
  confinement: ConfinementLevel,
): CommandScope {
  const below = directories.map(
    (value): ResourcePattern => ({ kind: 'path', access: ['read'], values: { match: 'below', value } }),
  );
  return {
    kind: 'commands',
    patterns: [
      {
        operations: { reading: true, tool: null },
        options: 'any',
        resources: [...below, { kind: 'ref', access: ['read'], values: { match: 'any' } }],
        highestRisk: 'low',
        programs: { listed: [], rootOwned: true },
      },
    ],
    conditions: {
      host: requester.host,
      user: requester.user,
      cwdBelow: null,
      hours: null,
      environment: boundVariables(environment),
      confinement,
    },
    mostUses: null,
  };
}

const MAX_DIRECTORIES = 10;

/**
 * Returns at most `MAX_DIRECTORIES` directories of the requester's past lines that only read. The directory of a line is the repository;
 * outside a repository, the working directory. Each entry counts the lines that a policy for this directory would cover. The largest
 * counts come first.
 * @param lines past lines, the newest first
 */
export function readingEvidence(requester: Subject, lines: readonly PastLine[]): ReadingEvidence {
  const reading = lines.filter(onlyReads);
  const newest = new Map<string, PastLine>();
  for (const line of reading) {
    const directory = line.place.repository ?? line.place.cwd;
    if (!newest.has(directory)) newest.set(directory, line);
  }
  const directories = [...newest].map(([directory, line]): ReadingDirectory => {
    const { environment } = line.request;
    const scope = readingScope(requester, [directory], environment, line.place.confinementLevel);
    const covered = wouldCover(scope, reading);
    return { directory, count: covered.length, samples: samplesOf(covered), environmentOf: line.grantId };
  });
  return {
    requesterId: requester.id,
    requesterName: requester.name,
    of: lines.length,
    reading: reading.length,
    directories: directories
      .filter(({ count }) => count > 0)
      .sort((left, right) => right.count - left.count || (left.directory < right.directory ? -1 : 1))
      .slice(0, MAX_DIRECTORIES),
  };
}

/** Whether the line only reads. False if all commands of the line are implied (`cd` and the like). */
function onlyReads({ assessment }: PastLine): boolean {
  const requiredPermissions = (assessment?.requiredPermissions ?? []).filter((required) => !isImplied(required));
  return (
    requiredPermissions.length > 0 && requiredPermissions.every(({ permission }) => isReadingPermission(permission))
  );
}
