/**
 * A canary in quotes, in every construct that contains a word, in substitutions of up to two levels. bash 5.2 parses a substitution
 * and writes it anew before it runs it; within double quotes it loses quotes there (`"$(p ${x:-$'$(cnry)'})"` starts the canary).
 */
const QUOTED = [
  "$'$(cnry)'",
  "$'`cnry`'",
  "'$(cnry)'",
  '"\\$(cnry)"',
  '"\\`cnry\\`"',
  '\\$\\(cnry\\)',
  '"\'"\'$(cnry)\'"\'"',
  "'a'\\''$(cnry)'",
];

const HOLDERS: readonly ((quoted: string) => string)[] = [
  (quoted) => `p ${quoted}`,
  (quoted) => `p $((q a); p ${quoted})`,
  (quoted) => `((p a); p ${quoted})`,
  (quoted) => `p $((q a) | p ${quoted})`,
  (quoted) => `p $(( ${quoted} ))`,
  (quoted) => `p $[ ${quoted} ]`,
  (quoted) => `p \${x:-${quoted}}`,
  (quoted) => `p \${x:-"${quoted}"}`,
  (quoted) => `p \${x#${quoted}}`,
  (quoted) => `p \${x/a/${quoted}}`,
  (quoted) => `a=([${quoted}]=1)`,
  (quoted) => `a=(${quoted})`,
  (quoted) => `a[${quoted}]=1`,
  (quoted) => `[[ x =~ (${quoted}) ]]`,
  (quoted) => `p < <(p ${quoted})`,
  (quoted) => `p <<< ${quoted}`,
  (quoted) => `case ${quoted} in ${quoted}) p;; esac`,
  (quoted) => `for i in ${quoted}; do p; done`,
  (quoted) => `x=$((p a); p ${quoted})`,
  (quoted) => `p {a,${quoted}}`,
  (quoted) => `(p ${quoted})`,
];

const AROUND: readonly ((line: string) => string)[] = [
  (line) => line,
  (line) => `p "$( ${line} )"`,
  (line) => `p $( ${line} )`,
  (line) => `p <( ${line} )`,
  (line) => `p "\${x:-$( ${line} )}"`,
  (line) => `p \${x:-"$( ${line} )"}`,
  (line) => `p <<E\n$( ${line} )\nE`,
  (line) => `p "$( { ${line}; } 2<<< a )"`,
];

/** Yields all lines of the first level, and the lines of the second level whose indices `isTaken` accepts. */
export function* nestedQuotes(isTaken: (at: number) => boolean): Generator<string> {
  let at = 0;
  for (const quoted of QUOTED)
    for (const hold of HOLDERS)
      for (const first of AROUND) {
        yield first(hold(quoted));
        for (const second of AROUND.slice(1)) if (isTaken(at++)) yield second(first(hold(quoted)));
      }
}
