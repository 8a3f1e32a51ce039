/**
 * Finds the interpreters in a text: programs that run commands from their arguments, from files or from standard input. A grant for
 * a line that starts an interpreter covers all those commands. The search is a guess: it can name too many programs and miss some.
 */

const INTERPRETERS: ReadonlySet<string> = new Set(
  `bash sh ash dash zsh ksh mksh yash fish csh tcsh elvish nu xonsh pwsh busybox eval source . exec python ipython pypy perl
  ruby irb node deno bun ts-node tsx php lua luajit tclsh wish expect rscript julia guile racket sbcl ocaml erl elixir iex java
  groovy scala osascript awk gawk mawk gdb lldb strace ltrace valgrind rlwrap script socat make gmake ninja just cmake cargo
  gradle mvn ant npm npx pnpm yarn pipx uvx tox vim vi nvim emacs ed ex nano less ssh sudo doas su env xargs find parallel watch
  tmux screen docker podman kubectl crontab at batch systemd-run`.split(/\s+/),
);

/** Whether programs of this name run commands. A version behind the name does not count: `python3.11-dbg` is `python`, `lua5.4` is `lua`. */
export function isInterpreter(name: string): boolean {
  const lower = name.toLowerCase(); // a file system may ignore case
  return INTERPRETERS.has(lower) || INTERPRETERS.has(lower.replace(/[-_.]?v?\d[\w.+-]*$/, ''));
}

/**
 * Returns each interpreter once, in the order of the text. Considers only words that may begin a command, in the first 65,536 characters of
 * the text.
 */
export function interpretersIn(text: string): readonly string[] {
  const found = new Set<string>();
  for (const piece of text.slice(0, 65_536).split(/[;&|\n(){}`]|\$\(/)) {
    const words = piece.trim().split(/\s+/);
    const first = words.find(
      (word) => !/^(?:[A-Za-z_]\w*=.*|then|do|else|elif|if|while|until|!|time|command|builtin)$/.test(word),
    );
    const name = first?.replace(/^.*\//, '').replace(/["'\\]/g, '');
    if (name !== undefined && isInterpreter(name)) found.add(name);
  }
  return [...found];
}
