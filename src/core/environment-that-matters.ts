/**
 * Which variables change what a command does, so that a grant binds them: another value is another request.
 * Sources: bash(1) "Shell Variables", ld.so(8), git(1), and the start-up files and pagers of common interpreters.
 */

export const MATTERING_NAMES: readonly string[] = [
  'PATH',
  'IFS',
  'ENV',
  'BASH_ENV',
  'BASHOPTS',
  'BASH_COMPAT',
  'BASH_XTRACEFD',
  'SHELLOPTS',
  'POSIXLY_CORRECT',
  'CDPATH',
  'GLOBIGNORE',
  'EXECIGNORE',
  'PS4',
  'HOME',
  'TMPDIR',
  'PAGER',
  'MANPAGER',
  'EDITOR',
  'VISUAL',
  'BROWSER',
  'LESSOPEN',
  'LESSCLOSE',
  'LESS',
  'SUDO_ASKPASS',
  'SSH_ASKPASS',
  'NODE_OPTIONS',
  'NODE_PATH',
  'NODE_EXTRA_CA_CERTS',
  'RUBYOPT',
  'RUBYLIB',
  'JAVA_TOOL_OPTIONS',
  '_JAVA_OPTIONS',
  'JDK_JAVA_OPTIONS',
  'MAKEFLAGS',
  'MAKEFILES',
  'RIPGREP_CONFIG_PATH',
  'TAR_OPTIONS',
  'CURL_HOME',
  'WGETRC',
  'OPENSSL_CONF',
];

export const MATTERING_PREFIXES: readonly string[] = [
  'LD_',
  'DYLD_',
  'GIT_',
  'PYTHON',
  'PERL5',
  'BASH_FUNC_',
  'NPM_CONFIG_',
  'npm_config_',
  'CARGO_',
  'RUSTC',
  'GCONV_',
];

const NAMES: ReadonlySet<string> = new Set(MATTERING_NAMES);
const SECRET = /TOKEN|SECRET|PASSW|CREDENTIAL|_KEY$|APIKEY|_AUTH/i;

/** Whether a grant binds the value of this variable. */
export const isMattering = (name: string): boolean =>
  NAMES.has(name) || MATTERING_PREFIXES.some((prefix) => name.startsWith(prefix));

/** Whether only a digest of the value may leave the host. */
export const isSecretName = (name: string): boolean => SECRET.test(name);
