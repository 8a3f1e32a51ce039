/**
 * Names of files with secrets, in any directory. A name is listed only if such a file nearly always contains a key, a password or a
 * token, or if the file is a history or `sudoers`. `tokens.json`, `*.tfvars`, `database.yml` and `gradle.properties` are not listed: such
 * files often contain no secret.
 *
 * The author of a command chooses the file names, perhaps to keep the gate busy. So every pattern must take linear time: two repeated
 * parts of a pattern must not compete for the same characters.
 */

/**
 * @property name     matches the last component of a path, after `folded` has made the path lower case
 * @property examples some names that match after `folded`
 */
interface SecretName {
  readonly name: RegExp;
  readonly examples: readonly string[];
}

const names = (name: RegExp, ...examples: readonly string[]): SecretName => ({ name, examples });

/** Some names of copies, such as `.env~`, do not match. So look up the `originalNames` too. */
export const SECRET_NAMES: readonly SecretName[] = [
  names(/^(?:shadow|gshadow|sudoers)$/, 'shadow', 'gshadow', 'sudoers'),
  names(/^id_[a-z0-9]+$/, 'id_rsa', 'id_ed25519', 'id_ecdsa'),
  names(/^id_(?:rsa|dsa|ecdsa|ed25519)(?:[._-][\w.-]*)?(?<!\.pub)$/, 'id_ed25519_work', 'id_rsa.old'),
  names(/^ssh_host_\w+_key$/, 'ssh_host_rsa_key'),
  names(
    /^.*\.(?:pem|key|p8|p12|pfx|pkcs12|keystore|jks|ppk|kdbx?|ovpn)$/,
    ...['key.pem', 'server.pem', 'server.key', 'a.p8', 'a.p12', 'a.pfx', 'a.pkcs12'],
    ...['a.keystore', 'a.jks', 'a.ppk', 'a.kdbx', 'a.kdb', 'a.ovpn'],
  ),
  names(/^(?:private|priv|deploy|signing)[_-]?key(?:\.(?:txt|json|der|b64))?$/, 'private_key', 'deploy-key'),
  names(/^(?:key|age-keys?|secring)\.(?:txt|gpg)$/, 'key.txt', 'secring.gpg'),
  names(
    /^\.env(?!.*\.(?:example|sample|template|dist)$)(?:[._-][\w-]+(?:\.[\w-]+)*)?$/,
    ...['.env', '.env.local', '.env.production', '.env.prod.local', '.env_prod'],
  ),
  names(/^(?!(?:example|sample|template|dist)\.)[\w-]+\.env$/, 'prod.env'),
  names(/^\.(?:flaskenv|dev\.vars|secrets)$/, '.flaskenv', '.dev.vars', '.secrets'),
  names(/^(?:[\w-]*credentials|accesstokens|(?=[\w-]*adminsdk)[\w-]+)(?:\.json)?$/, 'credentials', 'credentials.json'),
  names(/^[\w-]*credentials\.(?:txt|csv|ini|ya?ml|toml)$/, 'credentials.txt', 'new_user_credentials.csv'),
  names(/^(?:rootkey|[\w-]*accesskeys)\.csv$/, 'rootkey.csv', 'agent_accessKeys.csv'),
  names(/^(?:gcp|gcs|gcloud|google|firebase)[\w-]*key\.json$/, 'gcp-key.json'),
  names(
    /^secrets?(?:\.[\w-]+)?\.(?:ya?ml|json|toml|txt|ini|properties|tfvars)$/,
    ...['secrets.yml', 'secret.yaml', 'secrets.json', 'secrets.toml', 'secret.txt', 'secrets.prod.yaml'],
  ),
  names(/^(?:service[-_]?account|client[-_]secrets?)[\w.-]*\.json$/, ...['service-account.json', 'client_secret.json']),
  names(
    /^(?:passwords?|passwd|api[-_]?keys?|access[-_]?keys?)\.(?:txt|csv|json|ya?ml)$/,
    'passwords.csv',
    'api_key.txt',
  ),
  names(/^(?:token\.(?:txt|json)|\.tokens?)$/, 'token.txt', '.token'),
  names(/^(?:oauth[\w-]*\.json|oauth[-_]tokens?|auth\.json)$/, 'oauth.json', 'oauth_token', 'auth.json'),
  names(/^terraform\.tfstate(?:\.backup)?$/, 'terraform.tfstate', 'terraform.tfstate.backup'),
  names(/^(?:\.terraformrc|terraform\.rc|credentials\.tfrc\.json)$/, '.terraformrc', 'credentials.tfrc.json'),
  names(/^\.htpasswd$|^\.envrc$/, '.htpasswd', '.envrc'),
  names(/^(?:[\w.-]+\.)?kubeconfig(?:\.ya?ml)?$/, 'kubeconfig', 'prod.kubeconfig'),
  names(/^(?:\.vault_pass(?:word)?|vault[_-]pass(?:word)?)(?:\.txt)?$/, '.vault_pass', 'vault_pass.txt'),
  names(
    /^(?:_netrc|\.dockercfg|\.mylogin\.cnf|\.boto|\.s3cfg|\.databrickscfg|\.?rclone\.conf|\.msmtprc|\.fetchmailrc|\.clasprc\.json|\.sentryclirc)$/,
    ...['_netrc', '.dockercfg', '.mylogin.cnf', '.boto', '.s3cfg', 'rclone.conf', '.msmtprc', '.sentryclirc'],
  ),
  names(/^\.(?:xauthority|iceauthority|erlang\.cookie)$/, '.Xauthority', '.erlang.cookie'),
  names(/^(?:wp-config|localsettings)\.php$/, 'wp-config.php', 'LocalSettings.php'),
  names(/^(?:cookies\.(?:txt|sqlite)|login data|wallet\.dat|mnemonic\.txt)$/, 'cookies.sqlite', 'wallet.dat'),
  names(/^\.(?:\w+_history|viminfo|lesshst|histfile)$/, '.bash_history', '.psql_history'),
];

/** Endings that editors and people add to the name of a copy, after `.`, `_` or `-`. */
const COPY = /^(?:bak|backup|old|orig|save|saved|copy|rej|tmp|\d+)$/;
/**
 * The files in which vim and Emacs keep changes: `.NAME.swp` and `#NAME#` for changes that are not saved yet, and `.NAME.un~` for undo. The
 * swap file of `.env` is `.env.swp`.
 */
const UNSAVED = /^(?:\.(.+)\.(?:sw[a-p]|un~)|#(.+)#)$/;

/**
 * Returns the names that the original of a copy (`.env~`, `#.env#`, `id_rsa.old`, `.netrc.bak.2`) can have. Returns an empty list if
 * `name` is not the name of a copy. The swap file `.netrc.swp` belongs to `netrc` or to `.netrc`.
 * @param name the last component of a path, in lower case
 */
export function originalNames(name: string): readonly string[] {
  const [, swapped, autosaved] = UNSAVED.exec(name) ?? [];
  const saved = swapped === undefined ? [autosaved ?? name] : [swapped, `.${swapped}`];
  return saved.map(withoutCopyMarks).filter((original) => original !== name && original !== '');
}

/** Removes the endings of copies, from the end of the name. A regular expression for all endings would take quadratic time. */
function withoutCopyMarks(name: string): string {
  let end = name.length;
  for (;;) {
    let at = end - 1;
    while (at >= 0 && !'~._-'.includes(name.charAt(at))) at -= 1;
    const isMark = at >= 0 && (name[at] === '~' ? at === end - 1 : COPY.test(name.slice(at + 1, end)));
    if (!isMark) return name.slice(0, end);
    end = at;
  }
}
