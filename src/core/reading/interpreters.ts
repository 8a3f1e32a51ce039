/**
 * Finds the interpreters in a text: programs that run commands from their arguments, from files or from standard input. A grant for
 * a line that starts an interpreter covers all those commands. The search is a guess: it can name too many programs and miss some.
 */

const INTERPRETERS: ReadonlySet<string> = new Set(
  `bash sh dash zsh ksh fish csh tcsh busybox eval source . exec python python2 python3 pypy perl ruby node deno bun php lua
  tclsh expect Rscript osascript awk gawk mawk make gmake ninja just cmake cargo gradle mvn ant npm npx pnpm yarn pipx uvx
  tox vim vi nvim emacs ed ex nano less ssh sudo doas su env xargs find parallel watch tmux screen docker podman kubectl
  crontab at batch systemd-run`.split(/\s+/),
);

/**
 * Returns each interpreter once, in the order of the text. Looks only at words with which a command may begin, and only in the first
 * 65,536 characters.
 */
export function interpretersIn(text: string): readonly string[] {
  const found = new Set<string>();
  for (const piece of text.slice(0, 65_536).split(/[;&|\n(){}`]|\$\(/)) {
    const words = piece.trim().split(/\s+/);
    const first = words.find(
      (word) => !/^(?:[A-Za-z_]\w*=.*|then|do|else|elif|if|while|until|!|time|command|builtin)$/.test(word),
    );
    const name = first?.replace(/^.*\//, '').replace(/["'\\]/g, '');
    if (name !== undefined && INTERPRETERS.has(name)) found.add(name);
  }
  return [...found];
}
