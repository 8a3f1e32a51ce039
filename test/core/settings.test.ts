/** Settings come from the file and the environment. A fault is reported with its position. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readSettings, SETTING_KEYS, type Settings } from '../../src/core/settings.ts';

const FILE = '/x/config.toml';
const read = (file: Record<string, unknown>, variables: Record<string, string> = {}): Settings => {
  const settings = readSettings(file, FILE, (name) => variables[name]);
  if (!settings.ok) throw new Error(settings.failure.message);
  return settings.value;
};
const complaint = (file: Record<string, unknown>, variables: Record<string, string> = {}): string => {
  const settings = readSettings(file, FILE, (name) => variables[name]);
  return settings.ok ? 'none' : `${settings.failure.code}: ${settings.failure.message}; ${settings.failure.advice}`;
};

describe('settings', () => {
  it('have the documented defaults', () => {
    expect(read({})).toMatchObject({
      shell: {
        bash: '/bin/bash',
        asyncExitCode: 75,
        audience: 'agent',
        waitsInPlace: false,
        isQuiet: false,
        waitTimeoutMs: 300_000,
      },
      server: { url: null, timeoutMs: 10_000, caFile: null },
      notifications: { pendingCommand: null },
      mcp: { runTimeoutMs: 600_000, outputLimitBytes: 65_536 },
      hooks: { readRoots: ['.'], gatesFetches: true, ungatedTools: [] },
      serve: {
        host: '127.0.0.1',
        port: 7417,
        publicUrl: null,
        database: null,
        smtpUrl: null,
        mailFrom: null,
        notificationHosts: [],
        logLevel: 'info',
        metrics: null,
        keepRequestsMs: null,
        keepUsesMs: null,
        keepEventsMs: null,
      },
    });
  });

  it('come from the file', () => {
    const file = {
      shell: { async_exit_code: 3, wait: true, wait_timeout: '2m' },
      server: { url: 'https://g.example/' },
    };
    expect(read(file)).toMatchObject({
      shell: { asyncExitCode: 3, waitsInPlace: true, waitTimeoutMs: 120_000 },
      server: { url: 'https://g.example' },
    });
  });

  it('come from a variable rather than from the file', () => {
    expect(read({ shell: { async_exit_code: 3 } }, { APES_ASYNC_EXIT_CODE: '4' }).shell.asyncExitCode).toBe(4);
    expect(read({ shell: { wait: true } }, { APE_WAIT: '0' }).shell.waitsInPlace).toBe(false);
  });

  it('include retention times of a day or more, by default for ever, which no variable sets', () => {
    const serve = { keep_requests: '90d', keep_uses: '1d', keep_events: '36h' };
    expect(read({ serve }).serve).toMatchObject({
      keepRequestsMs: 90 * 86_400_000,
      keepUsesMs: 86_400_000,
      keepEventsMs: 129_600_000,
    });
    for (const wrong of ['23h', '0d', 90, '', true, 'for ever', '-90d', '90'])
      for (const key of ['keep_requests', 'keep_uses', 'keep_events'])
        expect([key, wrong, complaint({ serve: { [key]: wrong } })]).toEqual([
          key,
          wrong,
          expect.stringContaining('write a duration of at least a day such as 90d'),
        ]);
    const variables = { APES_SERVE_KEEP_REQUESTS: '1d', APES_KEEP_REQUESTS: '1d', APES_SERVE_KEEP_EVENTS: '1d' };
    expect(read({}, variables).serve).toMatchObject({ keepRequestsMs: null, keepEventsMs: null });
  });

  it('include no variable for the bash that runs what was approved', () => {
    const names: string[] = [];
    readSettings({}, FILE, (name) => {
      names.push(name);
      return undefined;
    });
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => /BASH|GATE|DISABLE/.test(name))).toEqual([]);
    expect(read({}, { APES_BASH: '/tmp/x', APES_SHELL_BASH: '/tmp/x' }).shell.bash).toBe('/bin/bash');
  });

  it('include the directories for reading without a grant, as a list that no variable sets', () => {
    expect(read({ hooks: { read_roots: ['/usr/include', '.'] } }).hooks.readRoots).toEqual(['/usr/include', '.']);
    expect(read({ hooks: { read_roots: [] } }).hooks.readRoots).toEqual([]);
    for (const wrong of ['/', [''], [1], ['a\0b'], true])
      expect(complaint({ hooks: { read_roots: wrong } })).toContain('write a list of directories');
    const variables = { APES_READ_ROOTS: '/', APES_HOOKS_READ_ROOTS: '/' };
    expect(read({}, variables).hooks.readRoots).toEqual(['.']);
  });

  it('include the tools that pass without the gate, which only the file names', () => {
    expect(read({ hooks: { ungated_tools: ['weather', 'srv__*'] } }).hooks.ungatedTools).toEqual(['weather', 'srv__*']);
    for (const wrong of ['weather', ['*'], [''], ['a b'], ['a*b'], [1], true])
      expect(complaint({ hooks: { ungated_tools: wrong } })).toContain('write a list of tools');
    expect(read({}, { APES_UNGATED_TOOLS: 'x', APES_HOOKS_UNGATED_TOOLS: 'x' }).hooks.ungatedTools).toEqual([]);
  });

  it.each<readonly [Record<string, unknown>, string]>([
    [{ shell: { nix: 1 } }, `configuration: ${FILE}: unknown key shell.nix; known keys: shell.bash, `],
    [{ shell: 3 }, `configuration: ${FILE}: unknown key shell; known keys: `],
    [{ shell: { bash: { path: 1 } } }, `configuration: ${FILE}: unknown key shell.bash.path; `],
    [{ shell: { bash: 'bash' } }, `configuration: ${FILE}: shell.bash is "bash"; write an absolute path`],
    [
      { shell: { async_exit_code: 256 } },
      `configuration: ${FILE}: shell.async_exit_code is 256; write a whole number from 0 to 255`,
    ],
    [{ shell: { async_exit_code: 1.5 } }, `configuration: ${FILE}: shell.async_exit_code is 1.5; write a whole number`],
    [{ shell: { audience: 'robot' } }, `configuration: ${FILE}: shell.audience is "robot"; write one of agent, human`],
    [{ shell: { wait: 'perhaps' } }, `configuration: ${FILE}: shell.wait is "perhaps"; write true or false`],
    [{ server: { timeout: 'soon' } }, `configuration: ${FILE}: server.timeout is "soon"; write a duration`],
    [
      { server: { url: 'https://user:secret@h:99999' } },
      `configuration: ${FILE}: server.url is "https://…@h:99999"; write an http or https URL`,
    ],
    [{ server: { url: 'ftp://x' } }, `configuration: ${FILE}: server.url is "ftp://x"; write an http or https URL`],
    [
      { server: { url: ['http://x'] } },
      `configuration: ${FILE}: server.url is ["http://x"]; write an http or https URL`,
    ],
    [
      { serve: { smtp_url: 'http://u:hunter2@x' } },
      `configuration: ${FILE}: serve.smtp_url cannot be used; write smtps://`,
    ],
    [
      { serve: { notification_hosts: ['ntfy.lan'] } },
      `configuration: ${FILE}: serve.notification_hosts is ["ntfy.lan"]; write a list of hosts`,
    ],
    [{ serve: { port: -1 } }, `configuration: ${FILE}: serve.port is -1; write a whole number from 0 to 65535`],
    [
      { shell: { wait_timeout: '25d' } },
      'shell.wait_timeout is "25d"; write a duration such as 90s, 15m or 1h, at most',
    ],
    [{ server: { timeout: '30d' } }, `server.timeout is "30d"; write a duration`],
    [{ mcp: { run_timeout: '30d' } }, `mcp.run_timeout is "30d"; write a duration`],
    ...['127.0.0.1:99999', '127.0.0.1', ':9464', '::1:9464', '[::1]:65536', 'a b:1'].map(
      (metrics) =>
        [{ serve: { metrics } }, `serve.metrics is ${JSON.stringify(metrics)}; write HOST:PORT, such as`] as const,
    ),
    ...['http://x:65536', 'http://x:0', 'http://x:port', 'https://[::1]:99999/a', 'http://:80'].flatMap(
      (url) =>
        [
          [{ server: { url } }, `server.url is ${JSON.stringify(url)}; write an http or https URL`],
          [{ serve: { public_url: url } }, `serve.public_url is ${JSON.stringify(url)}; write an http or https URL`],
        ] as const,
    ),
    ...['smtp://x:0', 'smtps://u:p@x:65536'].map(
      (smtp) => [{ serve: { smtp_url: smtp } }, 'serve.smtp_url cannot be used; write smtps://'] as const,
    ),
    ...['ntfy.lan:0', 'ntfy.lan:65536', '[::1]:99999', '[FE80::1]:443'].map(
      (host) => [{ serve: { notification_hosts: [host] } }, `["${host}"]; write a list of hosts with ports`] as const,
    ),
    [{ serve: { port: true } }, `configuration: ${FILE}: serve.port is true; write a whole number`],
  ])('with %j are one clear line of error', (file, line) => {
    expect(complaint(file)).toContain(line);
  });

  it('have ports up to 65535', () => {
    const serve = {
      metrics: '[::1]:65535',
      smtp_url: 'smtps://u:p@mail.example:65535',
      notification_hosts: ['[::1]:65535', 'ntfy.lan:1'],
      public_url: 'https://[::1]:65535/apes',
    };
    expect(read({ serve, server: { url: 'https://u@g.example:65535/' } })).toMatchObject({
      serve: {
        metrics: serve.metrics,
        smtpUrl: serve.smtp_url,
        notificationHosts: serve.notification_hosts,
        publicUrl: serve.public_url,
      },
      server: { url: 'https://u@g.example:65535' },
    });
  });

  it('with a variable that does not parse are an error that names it, not the default', () => {
    expect(complaint({}, { APES_ASYNC_EXIT_CODE: 'x' })).toBe(
      'configuration: APES_ASYNC_EXIT_CODE is "x"; write a whole number from 0 to 255',
    );
    expect(complaint({ shell: { async_exit_code: 3 } }, { APES_ASYNC_EXIT_CODE: '' })).toContain(
      'APES_ASYNC_EXIT_CODE',
    );
  });

  it('treat names such as __proto__ like any other key', () => {
    const file = JSON.parse('{"shell":{"__proto__":{"wait":true}}}') as Record<string, unknown>;
    expect(complaint(file)).toContain('unknown key shell.__proto__.wait');
    expect(complaint({ constructor: 1 })).toContain('unknown key constructor');
  });

  it('of any file have the right types, or are one failure', () => {
    const place = fc.constantFrom(...SETTING_KEYS, 'shell.x', 'y');
    const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.double(), fc.constant([]), fc.constant({}));
    fc.assert(
      fc.property(place, value, (key, given) => {
        const [table = '', name] = key.split('.');
        const file = name === undefined ? { [table]: given } : { [table]: { [name]: given } };
        const settings = readSettings(file, FILE, () => undefined);
        if (!settings.ok) expect(settings.failure.code).toBe('configuration');
        else {
          expect(settings.value.shell.bash.startsWith('/')).toBe(true);
          expect(settings.value.shell.waitTimeoutMs).toBeGreaterThanOrEqual(0);
          expect(Number.isInteger(settings.value.serve.port)).toBe(true);
        }
      }),
      { numRuns: 1000 },
    );
  });
});
