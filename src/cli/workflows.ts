/** The texts of `apes workflow`: exact commands, exit statuses, and what not to do. Agents follow these texts word by word. */
export interface Workflow {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

export const WORKFLOWS: readonly Workflow[] = [
  {
    id: 'async-grant',
    title: 'A command ended with exit status 75: it waits for a human',
    text: `Nothing has run yet, and nothing is broken. A human has been notified, and decides later.

Do:
  1. Read the grant id (g_…) from the text on standard error (from \`apes run\`: standard output).
  2. Call, in the background if you can:
         apes grants run ID --wait
     This one call waits for the decision, then runs the command. Wait longer with --timeout 30m (default 5m).
  3. Tell the human what you wait for, with the approval URL, and go on with work that does not depend on this command.

The call ends with:
  the command's own output and status   approved; the command ran
  77 and one line "refused: …"          denied, withdrawn, used already, revoked or expired; see workflow denied
  75                                    not decided in time; the request stays; call the same line again
  69                                    the grant server does not answer; nothing ran; call the same line again later

Without waiting: apes grants status ID --json has "state" in its "data":
  pending, approved, denied, withdrawn, used, revoked, expired.
These control commands need no grant of their own.

Do not:
  - ask again in another form (other quoting, a script file, another shell): each form is a new request to a human
  - poll in a loop: the waiting call wakes by itself
  - treat 75 as done, or as an error of the command
`,
  },
  {
    id: 'denied',
    title: 'A request was denied, withdrawn, revoked, used or expired (exit status 77)',
    text: `Nothing ran. The line "refused: …" says why:
  denied (REASON)   a human said no. The reason is an instruction to you.
  withdrawn         the request was taken back, by you or at the keyboard (Ctrl-C)
  used already      the approval was for one run, and that run is over. Its output was printed then.
  revoked           the approval was taken back
  expired           no human decided in time, or the approval was not used in time

Do:
  - denied: read the reason, and do what it says. If there is no reason, tell the human what you wanted and why, and ask how to go on.
  - otherwise: if the command is still needed, give the original command again. That files a new request.
  - apes grants show ID shows everything about the request.

Do not:
  - repeat a denied command unchanged, or reach the same effect by another command
  - look for a way around the shell (another interpreter, a scheduler, a file that another program or person will run)
A command may itself end with 77. A refusal always comes with a line that begins "ape-shell: refused:" or "apes: refused:".
`,
  },
  {
    id: 'timed-session',
    title: 'The same command is needed many times',
    text: `One approval can cover the same command for a while, or until it is revoked.

Propose this with the request; the approver decides:
  apes run --term timed --for 1h --reason "the tests, after each change" -- npm test
  apes run --term always --reason "harmless, wanted often" -- git status

Then give exactly the same command again: it runs at once, and one line on standard error names the grant.
Exactly the same means: the same bytes, directory, host, user, and the variables that change what runs (PATH, LD_*, GIT_*, …).
So:
  - run it in the same directory, each time
  - leave parts that change (dates, temporary names) out of the command
  - apes run -- CMD ARG… and ape-shell -c 'CMD ARG…' are two different requests: stay with one of them

Do not:
  - propose --term always for something that changes the system: the approver will choose once, or deny it
  - use a standing grant for another purpose than the reason you gave

When the time is over, the same command becomes a new request: exit status 75, workflow async-grant.
apes grants list --state approved shows what is covered now.
`,
  },
  {
    id: 'plan',
    title: 'A piece of work of several commands: ask once',
    text: `File a plan. A human sees all of it on one card, may strike out or narrow parts, and decides once.

  {"reason": "Release 1.4", "for": "2h", "order": false, "parts": [
     {"line": "npm test", "uses": 5},
     {"like": "cat src/a.ts", "as": "reading", "uses": 50, "paths": ["src"]},
     {"like": "git add src/a.ts", "as": "operation", "uses": 10},
     {"line": "git push origin main"}]}

  line    one line, byte for byte as you will call it: ape-shell -c 'LINE'
  like    an example of a kind of lines; as: operation (the default), reading, reading-any, narrow
  uses    how often (default: 1)   cwd    where (default: here)   paths    only below these paths
  for     how long, from the approval; or until: "2030-01-31T18:00:00Z"
  order   true: a part counts only after the part before it was used

Do:
  1. Write it to a file, and call: apes plan FILE        exit status 75: it waits for a human
  2. Call, in the background if you can: apes plan wait ID
     It ends with 0 and prints what was approved. Parts may be missing or narrower: that is the answer, do not ask again.
  3. Call the lines as usual. A line of the plan runs at once; any other line needs a grant of its own.
  4. When the work is done: apes plan done ID

apes plan show ID shows what is left. apes plan list, apes plan withdraw ID.

Do not:
  - plan lines that you will perhaps not need: a human reads each part
  - use a part for another purpose than the reason you gave
  - write a plan with wide parts where the lines are known: exact lines are decided on faster
`,
  },
  {
    id: 'compound-lines',
    title: 'Several commands: one request or many',
    text: `What you send as one text is one request, shown whole and approved whole:
  ape-shell -c 'cd build && make && ./check'      one request, one decision
A script file is one request too: it is shown with its content, and any change to the file makes a new request.

Prefer:
  - one request for steps that only make sense together; the human sees everything that the decision is about
  - short commands, each on its own, for things that will be needed again: they can be covered for a while
  - apes run --reason "why" -- CMD ARG… : no shell in between, so nothing in the arguments is expanded

Avoid:
  - $(…), backquotes, variables and globs whose value the human cannot see: they slow the decision down
  - a long line of unrelated steps: a human who doubts one step denies all of them
  - interpreters with inline code (python -c, node -e, bash -c inside): a human must read and approve all of the code at once

Do not split a command up in order to make parts of it look harmless.
`,
  },
  {
    id: 'privileged',
    title: 'A command that needs root or changes the system',
    text: `Say first, in words, what will change and how it is undone; put it into --reason, the approver reads it:
  apes run --reason "install jq 1.7 from Debian; undo: apt-get remove jq" -- sudo -n apt-get install -y jq

Do:
  - ask for exactly one change at a time, with the narrowest arguments
  - use sudo -n: a password prompt cannot be answered, and would only hang
  - look first (a dry run, --check, --simulate) and put its result into the reason
  - expect --term once: such requests are approved for one run
  - after 77, stop; see workflow denied

Do not:
  - ask for a root shell (sudo -i, sudo bash, su): that is one approval for everything after it
  - ask to change how grants work: the shell, apes itself, its configuration, keys or server. An owner does that.
  - hide a privileged step inside a script or a pipe
`,
  },
];
