/** Defines for each setting: the key in `config.toml`, the environment variable, the allowed values and the default. */

import { type Failure, failure } from './failure.ts';
import { failed, type Result, success } from './result.ts';
import { MAX_TIMER_MS, parseDuration } from './text/duration.ts';
import { isPort, MAX_PORT, readHostAndPort } from './text/host-and-port.ts';
import { isNear } from './text/near-name.ts';

export interface Settings {
  readonly shell: {
    /** Absolute path of the bash that runs commands. Default `/bin/bash`. File only: no variable may name another program. */
    readonly bash: string;
    /** Exit status of a call whose request is pending, 0 to 255. Default 75 (EX_TEMPFAIL). */
    readonly asyncExitCode: number;
    /** Who reads our messages: `agent` (the messages are explicit) or `human` (the messages are short). Default `agent`. */
    readonly audience: 'agent' | 'human';
    /** Whether a call waits for the decision instead of ending with `asyncExitCode`. Default false. */
    readonly waitsInPlace: boolean;
    /** True: a call does not name its grant on stderr, and an interactive shell starts without our first line. Default false. */
    readonly isQuiet: boolean;
    /** Whether a gate keeps running between `-c` calls, so that a covered command need not start Node. Default true. */
    readonly hasResidentGate: boolean;
    /** How long a call waits for a decision, ms. Default 5 min. */
    readonly waitTimeoutMs: number;
  };
  readonly server: {
    /** The grant server's new address; null: the same address as at the enrolment. The server must still have the same key. */
    readonly url: string | null;
    /** How long to wait for an answer of the server, ms. Default 10 s. */
    readonly timeoutMs: number;
    /** A PEM file with certificate authorities for an https server. Node's own authorities stay valid. Null: only Node's own are valid. */
    readonly caFile: string | null;
  };
  readonly approvals: {
    /**
     * `required`: this host runs only requests whose approval an approver's own device has signed. Default `optional`. File only: a
     * variable would let a call drop this requirement.
     */
    readonly sealed: 'optional' | 'required';
  };
  readonly notifications: {
    /** A command that runs when a request begins to wait; null: no command. File only: no variable may decide what runs. */
    readonly pendingCommand: string | null;
  };
  readonly mcp: {
    /** How long a command of an MCP client may run, ms. After this time, the process group of the command is ended. Default 10 min. */
    readonly runTimeoutMs: number;
    /** How much of each output stream a result holds, bytes: half from the start, half from the end. Default 64 KiB. */
    readonly outputLimitBytes: number;
  };
  readonly hooks: {
    /**
     * Directories in which file tools may read without a grant. Each directory is absolute, or relative to the project (`.` is the
     * project). Sensitive paths (keys, credentials) still need a grant. Default `["."]`. File only.
     */
    readonly readRoots: readonly string[];
    /** Whether a harness's web fetch tool needs a grant for the addresses that the tool fetches. Default true. File only. */
    readonly gatesFetches: boolean;
    /**
     * Tools that need no grant although ape-shell does not know them (tools of plugins and MCP servers). Each entry is a tool's name in the
     * harness, or a prefix and `*`. Default: no tools. File only: a variable of a call must not exempt a tool from the gate.
     */
    readonly ungatedTools: readonly string[];
  };
  readonly serve: {
    /** The address at which the server listens. Default 127.0.0.1. */
    readonly host: string;
    /** The port at which the server listens, 0 to 65535; 0 lets the system choose. Default 7417. */
    readonly port: number;
    /** The address at which approvers reach the server, such as the address of its proxy; null: `http://HOST:PORT`. */
    readonly publicUrl: string | null;
    /** A path, `sqlite:PATH` or `postgres://…`; null means `grants.sqlite` in the data directory. */
    readonly database: string | null;
    /**
     * The relay for mail to approvers, `smtps://USER:PASSWORD@HOST:PORT` or `smtp://…`; user, password and port may be left out. Null: no
     * mail is sent. File only, because the value contains a password.
     */
    readonly smtpUrl: string | null;
    /**
     * The sender of mail to approvers. Null: the user in `smtpUrl`, with `@HOST` added if the user has no `@`; `ape-shell@HOST` if
     * `smtpUrl` has no user. File only.
     */
    readonly mailFrom: string | null;
    /**
     * `HOST:PORT` of each host that may get notifications although it is in a private network. These hosts need no TLS. Default: no host.
     * File only.
     */
    readonly notificationHosts: readonly string[];
    /** The log level of pino. Default `info`. */
    readonly logLevel: string;
    /** `HOST:PORT` at which the server serves metrics; null: it serves no metrics. */
    readonly metrics: string | null;
    /**
     * How long requests stay on record after their end, ms, at least a day; null: for ever. File only, like the next two settings: a
     * variable must not empty the record.
     */
    readonly keepRequestsMs: number | null;
    /** How long the records of two things are kept: uses of grants, and lines that a rule forbade; ms, at least a day; null: for ever. */
    readonly keepUsesMs: number | null;
    /** How long all other events stay on record, ms, at least a day; null: for ever. */
    readonly keepEventsMs: number | null;
  };
}

type Value = string | number | boolean | readonly string[];
type Reading = { readonly ok: true; readonly value: Value | null } | { readonly ok: false; readonly expected: string };

/** @property variable the environment variable that overrides the file; null: file only */
interface Setting {
  readonly key: string;
  readonly variable: string | null;
  readonly fallback: Value | null;
  readonly read: (value: unknown) => Reading;
  /** True if the value contains a password. Then no message may quote the value. */
  readonly isSecret?: true;
}

const good = (value: Value): Reading => ({ ok: true, value });
const bad = (expected: string): Reading => ({ ok: false, expected });

const text = (value: unknown): Reading => (typeof value === 'string' ? good(value) : bad('a text'));
const nonEmpty = (value: unknown): Reading => (typeof value === 'string' && value !== '' ? good(value) : bad('a text'));
const absolutePath = (value: unknown): Reading =>
  typeof value === 'string' && value.startsWith('/') ? good(value) : bad('an absolute path');
const oneOf =
  (...choices: readonly string[]) =>
  (value: unknown): Reading =>
    typeof value === 'string' && choices.includes(value) ? good(value) : bad(`one of ${choices.join(', ')}`);
const integer =
  (lowest: number, highest: number) =>
  (value: unknown): Reading => {
    const number = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
    return typeof number === 'number' && Number.isInteger(number) && number >= lowest && number <= highest
      ? good(number)
      : bad(`a whole number from ${lowest} to ${highest}`);
  };
const flag = (value: unknown): Reading => {
  if (value === true || value === '1' || value === 'true' || value === 'yes') return good(true);
  if (value === false || value === '0' || value === 'false' || value === 'no' || value === '') return good(false);
  return bad('true or false');
};
/** Reads a duration into ms. A number without a unit is seconds. */
const duration = (value: unknown): Reading => {
  const ms =
    typeof value === 'number' ? parseDuration(String(value)) : typeof value === 'string' ? parseDuration(value) : null;
  return ms === null ? bad('a duration such as 90s, 15m or 1h') : good(ms);
};
const timerDuration = (value: unknown): Reading => {
  const reading = duration(value);
  return reading.ok && Number(reading.value) <= MAX_TIMER_MS
    ? reading
    : bad('a duration such as 90s, 15m or 1h, at most 24d');
};
/**
 * For a day, the server keeps the answer to a call with an idempotency key. This answer can contain a request. So the server must keep
 * each request for at least a day. Moreover, a day is longer than the difference between the clocks of two servers.
 */
const MIN_RETENTION_MS = 86_400_000;
const retention = (value: unknown): Reading => {
  const reading = duration(value);
  return reading.ok && Number(reading.value) >= MIN_RETENTION_MS
    ? reading
    : bad('a duration of at least a day such as 90d; leave it out to keep all');
};
const HTTP_URL = /^https?:\/\/(?:[^\s/?#@]*@)?(?:\[[^\s/?#\]]+\]|[^\s/?#:[\]]+)(?::(\d{1,5}))?(?:\/[^\s?#]*)?$/;
const url = (value: unknown): Reading => {
  const parts = typeof value === 'string' ? HTTP_URL.exec(value) : null;
  return parts !== null && isPort(parts[1], 1) ? good(parts[0].replace(/\/+$/, '')) : bad('an http or https URL');
};

const directories = (value: unknown): Reading =>
  Array.isArray(value) && value.every((one) => typeof one === 'string' && one !== '' && !one.includes('\0'))
    ? good(value as readonly string[])
    : bad('a list of directories such as [".", "/usr/include"]');

const toolNames = (value: unknown): Reading =>
  Array.isArray(value) && value.every((one) => typeof one === 'string' && /^[\w.:/-]+\*?$/.test(one))
    ? good(value as readonly string[])
    : bad('a list of tools such as ["weather", "my-server__*"]');

const SMTP_URL = /^smtps?:\/\/(?:[^\s/@:]+(?::[^\s/@]*)?@)?[A-Za-z0-9.-]+(?::(\d{1,5}))?$/;

const smtpUrl = (value: unknown): Reading => {
  const parts = typeof value === 'string' ? SMTP_URL.exec(value) : null;
  return parts !== null && isPort(parts[1], 1)
    ? good(parts[0])
    : bad('smtps://USER:PASSWORD@HOST:PORT (or smtp://…), with %40 for an @ in the user');
};

const mailAddress = (value: unknown): Reading =>
  typeof value === 'string' && /^[^\s@<>,]+@[^\s@<>,]+$/.test(value) ? good(value) : bad('a mail address');

/** Refuses an IPv6 address with a capital letter: `URL` makes addresses lower case, so the entry would never match. */
const isNotificationHost = (one: unknown): boolean =>
  typeof one === 'string' && !/^\[.*[A-F]/.test(one) && readHostAndPort(one, 1) !== null;

const hostsAndPorts = (value: unknown): Reading =>
  Array.isArray(value) && value.every(isNotificationHost)
    ? good(value as readonly string[])
    : bad('a list of hosts with ports such as ["ntfy.lan:443", "127.0.0.1:8080"]');

const metricsAddress = (value: unknown): Reading =>
  typeof value === 'string' && readHostAndPort(value, 0) !== null
    ? good(value)
    : bad('HOST:PORT, such as 127.0.0.1:9464');

const TABLE = [
  { key: 'shell.bash', variable: null, fallback: '/bin/bash', read: absolutePath },
  { key: 'shell.async_exit_code', variable: 'APES_ASYNC_EXIT_CODE', fallback: 75, read: integer(0, 255) },
  { key: 'shell.audience', variable: 'APES_USER', fallback: 'agent', read: oneOf('agent', 'human') },
  { key: 'shell.wait', variable: 'APE_WAIT', fallback: false, read: flag },
  { key: 'shell.quiet', variable: 'APES_QUIET', fallback: false, read: flag },
  { key: 'shell.resident', variable: 'APES_RESIDENT', fallback: true, read: flag },
  { key: 'shell.wait_timeout', variable: 'APES_WAIT_TIMEOUT', fallback: 300_000, read: timerDuration },
  { key: 'server.url', variable: 'APES_SERVER_URL', fallback: null, read: url },
  { key: 'server.timeout', variable: 'APES_SERVER_TIMEOUT', fallback: 10_000, read: timerDuration },
  { key: 'server.ca_file', variable: 'APES_SERVER_CA_FILE', fallback: null, read: absolutePath },
  { key: 'approvals.sealed', variable: null, fallback: 'optional', read: oneOf('optional', 'required') },
  { key: 'notifications.pending_command', variable: null, fallback: null, read: text },
  { key: 'mcp.run_timeout', variable: 'APES_MCP_RUN_TIMEOUT', fallback: 600_000, read: timerDuration },
  { key: 'mcp.output_limit', variable: 'APES_MCP_OUTPUT_LIMIT', fallback: 65_536, read: integer(1024, 8_388_608) },
  { key: 'hooks.read_roots', variable: null, fallback: ['.'], read: directories },
  // File only: a variable of a call must not turn the gate off.
  { key: 'hooks.gate_web_fetch', variable: null, fallback: true, read: flag },
  { key: 'hooks.ungated_tools', variable: null, fallback: [], read: toolNames },
  { key: 'serve.host', variable: 'APES_SERVE_HOST', fallback: '127.0.0.1', read: nonEmpty },
  { key: 'serve.port', variable: 'APES_SERVE_PORT', fallback: 7417, read: integer(0, MAX_PORT) },
  { key: 'serve.public_url', variable: 'APES_SERVE_PUBLIC_URL', fallback: null, read: url },
  { key: 'serve.database', variable: 'APES_SERVE_DATABASE', fallback: null, read: nonEmpty },
  { key: 'serve.metrics', variable: 'APES_SERVE_METRICS', fallback: null, read: metricsAddress },
  { key: 'serve.smtp_url', variable: null, fallback: null, read: smtpUrl, isSecret: true },
  { key: 'serve.mail_from', variable: null, fallback: null, read: mailAddress },
  // File only: a variable must not make the server connect to hosts of its own network.
  { key: 'serve.notification_hosts', variable: null, fallback: [], read: hostsAndPorts },
  { key: 'serve.keep_requests', variable: null, fallback: null, read: retention },
  { key: 'serve.keep_uses', variable: null, fallback: null, read: retention },
  { key: 'serve.keep_events', variable: null, fallback: null, read: retention },
  {
    key: 'serve.log_level',
    variable: 'APES_LOG_LEVEL',
    fallback: 'info',
    read: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
  },
] as const satisfies readonly Setting[];

/** All keys of `config.toml`, for `apes health` and for the message about an unknown key. */
export const SETTING_KEYS: readonly string[] = TABLE.map((setting) => setting.key);

/** All environment variables of settings. */
export const SETTING_VARIABLES: readonly string[] = TABLE.flatMap(({ variable }) =>
  variable === null ? [] : [variable],
);

/**
 * Returns the settings from the parsed file and the environment. A variable overrides the file. Fails with `configuration` for the
 * first fault: an unknown key, a value of the wrong kind, a variable that cannot be parsed. The server checks the form of `serve.database`
 * when it starts.
 * @param fileName the name of the file, for messages
 * @param variable returns undefined if the variable is not set; an empty variable counts as set
 */
export function readSettings(
  file: Readonly<Record<string, unknown>>,
  fileName: string,
  variable: (name: string) => string | undefined,
): Result<Settings, Failure> {
  const flat = flatten(file);
  for (const key of flat.keys())
    if (!SETTING_KEYS.includes(key))
      return failed(failure('configuration', `${fileName}: unknown key ${key}`, keyAdvice(key)));
  const values = new Map<string, Value | null>();
  for (const setting of TABLE) {
    const fromEnvironment = setting.variable === null ? undefined : variable(setting.variable);
    const given = fromEnvironment ?? flat.get(setting.key);
    if (given === undefined) {
      values.set(setting.key, setting.fallback);
      continue;
    }
    const reading = setting.read(given);
    if (!reading.ok) {
      const where = fromEnvironment === undefined ? `${fileName}: ${setting.key}` : `${setting.variable}`;
      const is = 'isSecret' in setting ? 'cannot be used' : `is ${shown(given)}`;
      return failed(failure('configuration', `${where} ${is}`, `write ${reading.expected}`));
    }
    values.set(setting.key, reading.value);
  }
  return success(assemble(values));
}

/** Names a known key that is similar to `key`. If no known key is similar, names all known keys. */
function keyAdvice(key: string): string {
  const near = SETTING_KEYS.find((each) => isNear(each, key));
  return near === undefined ? `known keys: ${SETTING_KEYS.join(', ')}` : `did you mean ${near}?`;
}

function shown(value: unknown): string {
  const text = (JSON.stringify(value) ?? String(value)).replace(/:\/\/[^/?#"]*@/g, '://…@');
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/** Turns tables into dotted keys. A table inside a table gives keys with two dots, which `readSettings` refuses as unknown. */
function flatten(table: Readonly<Record<string, unknown>>, prefix = ''): Map<string, unknown> {
  const flat = new Map<string, unknown>();
  for (const [name, value] of Object.entries(table)) {
    const isTable = typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
    if (!isTable) flat.set(prefix + name, value);
    else
      for (const [key, inner] of flatten(value as Record<string, unknown>, `${prefix}${name}.`)) flat.set(key, inner);
  }
  return flat;
}

function assemble(values: ReadonlyMap<string, Value | null>): Settings {
  const get = <T extends Value | null>(key: (typeof TABLE)[number]['key']): T => values.get(key) as T;
  return {
    shell: {
      bash: get('shell.bash'),
      asyncExitCode: get('shell.async_exit_code'),
      audience: get('shell.audience'),
      waitsInPlace: get('shell.wait'),
      isQuiet: get('shell.quiet'),
      hasResidentGate: get('shell.resident'),
      waitTimeoutMs: get('shell.wait_timeout'),
    },
    server: { url: get('server.url'), timeoutMs: get('server.timeout'), caFile: get('server.ca_file') },
    approvals: { sealed: get('approvals.sealed') },
    notifications: { pendingCommand: get('notifications.pending_command') },
    mcp: { runTimeoutMs: get('mcp.run_timeout'), outputLimitBytes: get('mcp.output_limit') },
    hooks: {
      readRoots: get('hooks.read_roots'),
      gatesFetches: get('hooks.gate_web_fetch'),
      ungatedTools: get('hooks.ungated_tools'),
    },
    serve: {
      host: get('serve.host'),
      port: get('serve.port'),
      publicUrl: get('serve.public_url'),
      database: get('serve.database'),
      smtpUrl: get('serve.smtp_url'),
      mailFrom: get('serve.mail_from'),
      notificationHosts: get('serve.notification_hosts'),
      logLevel: get('serve.log_level'),
      metrics: get('serve.metrics'),
      keepRequestsMs: get('serve.keep_requests'),
      keepUsesMs: get('serve.keep_uses'),
      keepEventsMs: get('serve.keep_events'),
    },
  };
}
