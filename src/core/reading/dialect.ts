/** Which shells read a text as bash would. Where they differ, nothing is believed. */

/** `remote`: whatever shell that user has there. */
export type ShellDialect = 'bash' | 'sh' | 'zsh' | 'remote';

/**
 * dash and other POSIX shells read these otherwise: `$'…'`, `$"…"`, `&>`, `|&`, `<(…)`, `<<<`, `[[`, `((`, `+=`, arrays,
 * `{a,b}`, `;&`, and bash's own words and escapes. A backslash in echo is harmless, one in a here-document is the same.
 */
const NOT_POSIX =
  /\$['"([{]?(?<=\$['"])|&>|\|&|[<>]\(|<<<|\[\[|\(\(|\+=|=\(|;;?&|\{[^}\s]*(?:,|\.\.)[^}\s]*\}|>&[^\d\s-]|\b(?:function|select|coproc|time|source|typeset|declare)\b|\$\{[^}]*[/^,@!:[]/;

/** Words and a few operators whose meaning is the same everywhere; no expansion, no redirection, no escape. */
const SAME_EVERYWHERE = /^(?:[A-Za-z0-9_./:@%+,\- \t\n]|(?<=\S)=|'[^'\\!]*'|"[^"\\$`!]*"|&&|\|\||;|\|)*$/;

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
