/**
 * Computes the confinement of a request that is approved by its exact bytes. The approver may choose this confinement or no confinement.
 */

import { runsCodeWhileGitWrites } from '../confinement/code-beside.ts';
import { type CommandNeeds, type NeedsSetting, needsOfCommand, usesProxy } from '../confinement/command-needs.ts';
import type { Confinement } from '../confinement/confinement.ts';
import { confinementOfLine } from '../confinement/line-confinement.ts';
import type { Assessment, RequiredPermission } from '../effects/assess-line.ts';
import { type Fault, fault } from '../fault.ts';
import { failed, type Result, success } from '../result.ts';
import type { AskedLine } from './scope-fault.ts';

/**
 * Where the request runs.
 * @property cwd        absolute, symbolic links followed
 * @property repository the top of the git repository that contains `cwd`; null: no repository contains `cwd`
 * @property home       the user's home directory; null: not known
 * @property confinementLevel the level that the host reaches (`ConfinementLevel`)
 */
export interface ExactPlace {
  readonly cwd: string;
  readonly repository: string | null;
  readonly home: string | null;
  readonly confinementLevel: 0 | 1 | 2 | 3;
}

/** Fails if the request cannot be confined. The message says why. Callers put the word `it` in front of the message. */
export function confineExact(
  { request, assessment }: Pick<AskedLine, 'request' | 'assessment'>,
  { cwd, repository, home, confinementLevel }: ExactPlace,
): Result<Confinement, Fault> {
  if (confinementLevel === 0) return failed(fault('is for a host whose kernel cannot confine it'));
  const read = requiredPermissionsOf(assessment);
  if (!read.ok) return read;
  const setting: NeedsSetting = {
    workDirectory: repository ?? cwd,
    homes: home === null ? [] : [home],
    reaches: () => false,
    isExact: true,
    programs: 'system',
    hasProxy: usesProxy(request.environment),
  };
  const needs: CommandNeeds[] = [];
  for (const required of read.value) {
    const outcome = needsOfCommand(required, setting);
    if (!outcome.ok) return outcome;
    needs.push(outcome.value);
  }
  if (runsCodeWhileGitWrites(needs))
    return failed(fault('runs code while git writes .git, and that code could give git other settings there'));
  return success(confinementOfLine(needs, confinementLevel));
}

function requiredPermissionsOf(
  assessment: Pick<Assessment, 'requiredPermissions' | 'opaque'> | null,
): Result<readonly RequiredPermission[], Fault> {
  if (assessment === null) return failed(fault('was not looked up'));
  const { requiredPermissions, opaque } = assessment;
  return requiredPermissions === null || opaque.length > 0
    ? failed(fault(opaque[0]?.reason ?? 'is not understood'))
    : success(requiredPermissions);
}
