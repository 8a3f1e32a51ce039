/** Asks the grant server how it would decide about a line now. Files no request and uses no grant. */
import { confinementText } from '../../core/confinement/confinement-text.ts';
import type { Failure } from '../../core/failure.ts';
import { failed, type Result } from '../../core/result.ts';
import { visibleLine } from '../../core/text/visible-text.ts';
import { decidingText } from '../../core/variables/deciding-text.ts';
import type { ExplainAnswer } from '../../core/wire/explain.ts';
import { verdictNow } from '../../gate/verdict-now.ts';
import type { Installation } from '../../platform/installation.ts';
import { boundEntriesFor, currentHost, currentUser } from '../../platform/surroundings.ts';
import type { CliContext } from '../context.ts';

/** Asks about the request that `ape-shell -c LINE` would make in `cwd`. */
export async function verdictOn(
  context: CliContext,
  installation: Installation,
  line: string,
  cwd: string,
): Promise<Result<ExplainAnswer, Failure>> {
  const gate = context.openGate(installation);
  if (!gate.ok) return failed(gate.failure);
  const request = {
    kind: 'command' as const,
    text: line,
    argv: ['-c', line],
    cwd,
    host: currentHost(),
    user: currentUser(),
    environment: boundEntriesFor(context.caller.environment, ['-c', line], { cwd }),
  };
  return verdictNow(gate.value, request);
}

export function verdictText(verdict: Result<ExplainAnswer, Failure>): string {
  if (!verdict.ok) {
    const { code, message } = verdict.failure;
    return `decision  ${code === 'refused' ? '' : 'not known: '}${visibleLine(message)}\n`;
  }
  const { value } = verdict;
  switch (value.outcome) {
    case 'forbidden':
      return `decision  forbidden by rule ${value.ruleId}: ${visibleLine(value.reason)}\n`;
    case 'covered':
      return lines('decision', [
        'covered: ape-shell -c would run it now',
        ...value.coveredBy.map(({ grantId, title }) => `by ${grantId}: ${visibleLine(title)}`),
        ...(value.held ? [`confined to: ${visibleLine(confinementText(value.held))}`] : []),
      ]);
    case 'uncovered':
      return (
        lines('decision', [
          'not covered: it would wait for a human',
          ...decidingLines(value.deciding ?? []),
          ...value.misses.map(visibleLine),
        ]) + lines('could be', value.proposals.map(visibleLine))
      );
  }
}

const decidingLines = (names: readonly string[]): readonly string[] =>
  names.length === 0
    ? []
    : [`the risk is unknown: ${visibleLine(decidingText(names))}; no request with these values was approved before`];

const lines = (name: string, texts: readonly string[]): string =>
  texts.map((text, at) => `${(at === 0 ? name : '').padEnd(10)}${text}\n`).join('');
