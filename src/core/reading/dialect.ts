/** Whether another shell reads a text in the same way as bash. If this is not certain, the line is opaque. */

/** `remote`: the unknown login shell of a user on another host. */
export type ShellDialect = 'bash' | 'sh' | 'zsh' | 'remote';

/**
 * Syntax that dash and other POSIX shells may read in another way: `$'…'`, `$"…"`, `&>`, `|&`, `<(…)`, `<<<`, `[[`, `((`, `+=`, arrays,
 * `{a,b}`, `;&`, and keywords and expansions that only bash has. A backslash in the text of echo is not listed: it changes what
 * is printed, and not what runs.
 */
const NOT_POSIX =
  /\$['"([{]?(?<=\$['"])|&>|\|&|[<>]\(|<<<|\[\[|\(\(|\+=|=\(|;;?&|\{[^}\s]*(?:,|\.\.)[^}\s]*\}|>&[^\d\s-]|\b(?:function|select|coproc|time|source|typeset|declare)\b|\$\{[^}]*[/^,@!:[]/;

/** Words and the few operators that mean the same in every shell; no expansion, no redirection, no escape. */
const SAME_EVERYWHERE = /^(?:[A-Za-z0-9_./:@%+,\- \t\n]|(?<=\S)=|'[^'\\!]*'|"[^"\\$`!]*"|&&|\|\||;|\|)*$/;

/** Whether it is certain that a shell with this dialect reads the text as bash does. */
export function isReadAlike(text: string, dialect: ShellDialect): boolean {
  switch (dialect) {
    case 'bash':
      return true;
    case 'sh':
      return !NOT_POSIX.test(text);
    case 'zsh':
    case 'remote':
      return SAME_EVERYWHERE.test(text);
  }
}
