/**
 * The line of shell that Cline runs before a tool. Cline lets the tool run for every end of a hook that is not clear JSON, so
 * this line says `cancel` whenever the guard does not answer: missing, not executable, killed, no end in time, no answer of ours.
 * It needs nothing but sh(1); the death of this sh itself cannot be closed from here.
 */
import { singleQuoted } from '../../core/grant/own-call.ts';

/** Cline waits 120 s, then lets the tool run. The guard denies by itself after 25 s. */
const DEADLINE_SECONDS = 60;

const NO_ANSWER = JSON.stringify({
  cancel: true,
  errorMessage:
    'ape-shell: DENIED, nothing ran: the gate did not answer, is missing or was killed. A human has to look: apes health',
});

/** The forms of `clineDialect`; anything else that ends well is no answer of the guard. */
const FORMS = `'{}' | '{"overrideInput":{'*'}}' | '{"cancel":true,"errorMessage":"'*'"}'`;

/**
 * @param guard    the line that asks the guard (`guardLine`)
 * @param deadline absolute path of `dist/bin/deadline`
 */
export function clineLine(guard: string, deadline: string): string {
  const call = guard.slice(0, guard.indexOf(' || {'));
  const ask = `answer=$(${singleQuoted(deadline)} ${DEADLINE_SECONDS} ${call})`;
  return `${ask} && case $answer in ${FORMS}) printf '%s\\n' "$answer" ;; *) false ;; esac || printf '%s\\n' ${singleQuoted(NO_ANSWER)}`;
}
