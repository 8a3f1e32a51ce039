/** What an agent can do instead when its line is opaque. */

const ADVICE: readonly (readonly [RegExp, string])[] = [
  [/in the session itself/, 'write the file with a command of its own line, under its full name: printf … | tee FILE'],
  [
    /substitution|expands|transforms|index|offset|name that is only known at run time/,
    'run the inner command by itself, look at what it prints, and write that into the line',
  ],
  [/computes|arithmetic/, 'write the number itself'],
  [/loop|question/, 'write the commands out, one for each round'],
  [/function|coprocess/, 'write the commands themselves'],
  [/wrapped more than/, 'leave wrappers away, or ask for the inner command by itself'],
  [/only known at run time/, 'write the word out, in quotes, instead of a variable'],
  [
    /decide what runs|decides what runs/,
    'call the program with an option, or by its full path, instead of setting that variable',
  ],
  [
    /commands of a file/,
    'call the program in that environment by its full path: .venv/bin/python instead of source .venv/bin/activate',
  ],
  [/evaluates a string/, 'write the command itself instead of a string that is evaluated'],
  [/another shell|whose language/, 'use bash -c, or ask for the inner command by itself'],
  [/reads its commands from elsewhere|nobody knows what/, 'give the commands with -c, or ask for them one by one'],
  [
    /option that is not understood|way that is not (?:understood|modelled)|operand/,
    'write options in full and separately, or ask for the inner command by itself',
  ],
  [/nowhere in PATH|no such file|not executable/, 'check the name: as it stands bash would not find it'],
  [/redefined by this shell/, 'call the program by its full path'],
  [/other users can change/, 'call a program that only root can change'],
  [/longer than|more than/, 'split it into several calls'],
  [
    /valid bash|cannot be (?:parsed|read)|backslash|here-document/,
    'check the quoting with bash -n, or write it more simply',
  ],
];

/** One sentence that begins with a verb; there is always one. */
export const adviceFor = (reason: string): string =>
  ADVICE.find(([pattern]) => pattern.test(reason))?.[1] ?? 'ask for each command by itself';
