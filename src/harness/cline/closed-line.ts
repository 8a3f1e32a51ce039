/**
 * Makes the shell line that Cline runs before a tool. Cline runs the tool if the hook does not answer with valid JSON. So this line prints
 * `cancel` in two cases: the guard is missing, not executable, killed or too late; or its output is no valid answer. To print `cancel`,
 * the line needs only sh(1). If this sh itself is killed, the tool runs.
 */
import { singleQuoted } from '../../core/grant/own-call.ts';

/** Cline waits 120 s, then lets the tool run. The guard denies by itself after 25 s. */
const DEADLINE_SECONDS = 60;

const NO_ANSWER = JSON.stringify({
  cancel: true,
  errorMessage: 'ape-shell: DENIED, nothing ran: no valid answer came from the gate. A human has to look: apes health',
});

/** The three answers of `clineDialect`, as a `case` pattern. Any other output counts as no answer, even with exit 0. */
const FORMS = `'{}' | '{"overrideInput":{'*'}}' | '{"cancel":true,"errorMessage":"'*'"}'`;

/** Returns the part of the guard's line before the last ` || {`. A path in the line may contain an earlier ` || {`. */
function callOf(guard: string): string {
  const end = guard.lastIndexOf(' || {');
  if (end === -1) throw new Error(`not the line of a guard: ${guard}`);
  return guard.slice(0, end);
}

/**
 * @param guard    the line that `guardLine` makes; only the call of the guard is used
 * @param deadline absolute path of `dist/bin/deadline`
 */
export function clineLine(guard: string, deadline: string): string {
  const ask = `answer=$(${singleQuoted(deadline)} ${DEADLINE_SECONDS} ${callOf(guard)})`;
  return `${ask} && case $answer in ${FORMS}) printf '%s\\n' "$answer" ;; *) false ;; esac || printf '%s\\n' ${singleQuoted(NO_ANSWER)}`;
}
