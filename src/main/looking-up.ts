/**
 * Looks up the host facts of a request. If a grant covers the exact bytes of the request, no host facts are needed. This code is in its own
 * file, and is loaded only for a request that needs host facts.
 */
import type { RuleBook } from '../core/rules/rule.ts';
import type { Gate } from '../gate/authorize.ts';
import { lookUpRequest } from '../gate/facts/look-up.ts';
import { ownPlaces } from '../gate/facts/own-places.ts';
import { reachedInSession, reachedLevel } from '../platform/confinement.ts';
import type { Installation } from '../platform/installation.ts';
import { loadRules } from '../platform/rule-files.ts';

/** The key is the path of a configuration file; the value is its rules, or null if a rule file is broken. */
const ruleBooks = new Map<string, RuleBook | null>();

/** Reads the rule files once for each process. If a rule file is broken, grants cover only exact bytes. `apes health` shows the fault. */
export const lookUpFor =
  ({ dist, paths, settings }: Pick<Installation, 'dist' | 'paths' | 'settings'>): Gate['lookUp'] =>
  async (request, line) => {
    const found = ruleBooks.get(paths.configFile);
    const rules = found === undefined ? await rulesOf(dist, paths.configFile) : found;
    ruleBooks.set(paths.configFile, rules);
    const { bash } = settings.shell;
    const reached = request.kind === 'line' ? await reachedInSession(bash, dist) : reachedLevel(dist);
    return lookUpRequest(request, bash, rules, reached.level, line, ownPlaces({ dist, paths }));
  };

async function rulesOf(dist: string, configFile: string): Promise<RuleBook | null> {
  const loaded = await loadRules(dist, configFile);
  return loaded.ok ? loaded.value : null;
}
