/** How each real agent is started offline, in a terminal of our own: its home, its settings, its hooks, its environment. */
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const json = (path, value) => {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, JSON.stringify(value, null, 2));
};

/** Every hook runs `reporter HARNESS EVENT`, which gets the hook's JSON on standard input. */
const grouped = (command, events, harness) =>
  Object.fromEntries(
    events.map((event) => [
      event,
      [{ matcher: '*', hooks: [{ type: 'command', command: `${command} ${harness} ${event}`, timeout: 10000 }] }],
    ]),
  );

const AGENTS = {
  'claude-code': {
    bin: 'claude',
    prepare: ({ home, cwd, reporter, isTrusted }) => {
      const events = [
        'UserPromptSubmit',
        'PreToolUse',
        'PostToolUse',
        'PostToolUseFailure',
        'PermissionRequest',
        'Notification',
        'Stop',
        'SessionStart',
        'SessionEnd',
        'SubagentStop',
      ];
      json(join(home, 'hooks.json'), { hooks: grouped(reporter, events, 'claude-code') });
      json(join(home, '.claude.json'), {
        hasCompletedOnboarding: true,
        theme: 'dark',
        customApiKeyResponses: { approved: ['sk-mock'], rejected: [] },
        projects: isTrusted ? { [cwd]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } } : {},
      });
    },
    args: ({ home }) => ['--permission-mode', 'default', '--settings', join(home, 'hooks.json')],
    environment: ({ url }) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: 'sk-mock',
      DISABLE_TELEMETRY: '1',
      DISABLE_AUTOUPDATER: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    }),
  },
  codex: {
    bin: 'codex',
    prepare: ({ home, cwd, url, reporter, isTrusted }) => {
      mkdirSync(join(home, '.codex'), { recursive: true });
      const trust = isTrusted ? `[projects."${cwd}"]\ntrust_level="trusted"\n` : '';
      writeFileSync(
        join(home, '.codex/config.toml'),
        `model="mock-model"\nmodel_provider="mock"\ncheck_for_update_on_startup=false\n[model_providers.mock]\nname="mock"\nbase_url="${url}/v1"\nwire_api="responses"\nenv_key="MOCK_KEY"\n${trust}`,
      );
      const events = [
        'UserPromptSubmit',
        'PreToolUse',
        'PostToolUse',
        'PermissionRequest',
        'Stop',
        'SessionStart',
        'SessionEnd',
        'Interrupt',
      ];
      json(join(home, '.codex/hooks.json'), { hooks: grouped(reporter, events, 'codex') });
    },
    args: () => [
      '-a',
      'on-request',
      '-s',
      'workspace-write',
      '--dangerously-bypass-hook-trust',
      '--disable',
      'shell_snapshot',
    ],
    environment: () => ({ MOCK_KEY: 'x' }),
  },
  gemini: {
    bin: 'gemini',
    prepare: ({ home, reporter }) => {
      const events = [
        'BeforeAgent',
        'AfterAgent',
        'BeforeTool',
        'AfterTool',
        'Notification',
        'SessionStart',
        'SessionEnd',
      ];
      json(join(home, '.gemini/settings.json'), {
        security: { auth: { selectedType: 'gemini-api-key' } },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        general: { enableAutoUpdate: false, disableAutoUpdate: true },
        tools: { enableHooks: true },
        hooks: grouped(reporter, events, 'gemini'),
      });
    },
    args: () => ['-m', 'gemini-2.5-flash'],
    environment: ({ url, isTrusted }) => ({
      GEMINI_API_KEY: 'mock',
      GOOGLE_GEMINI_BASE_URL: url,
      ...(isTrusted ? { GEMINI_CLI_TRUST_WORKSPACE: 'true' } : {}),
    }),
  },
  qwen: {
    bin: 'qwen',
    prepare: ({ home, reporter }) => {
      const events = [
        'UserPromptSubmit',
        'PreToolUse',
        'PostToolUse',
        'PostToolUseFailure',
        'PermissionRequest',
        'Notification',
        'Stop',
        'SessionStart',
        'SessionEnd',
      ];
      json(join(home, '.qwen/settings.json'), {
        security: { auth: { selectedType: 'openai' } },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        general: { enableAutoUpdate: false, disableAutoUpdate: true },
        hooks: grouped(reporter, events, 'qwen'),
      });
    },
    args: () => [],
    environment: ({ url }) => ({ OPENAI_API_KEY: 'mock', OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: 'mock-model' }),
  },
  opencode: {
    bin: 'opencode',
    prepare: ({ home, url, reporter }) => {
      json(join(home, '.config/opencode/opencode.json'), {
        autoupdate: false,
        share: 'disabled',
        model: 'mock/mock-model',
        small_model: 'mock/mock-model',
        permission: { bash: 'ask', edit: 'ask' },
        provider: {
          mock: {
            npm: '@ai-sdk/openai-compatible',
            options: { baseURL: `${url}/v1`, apiKey: 'x' },
            models: { 'mock-model': { name: 'mock' } },
          },
        },
      });
      mkdirSync(join(home, '.config/opencode/plugin'), { recursive: true });
      writeFileSync(
        join(home, '.config/opencode/plugin/report.js'),
        `import { spawn } from 'node:child_process';
const report = (event, value) => { const child = spawn(${JSON.stringify(reporter)}, ['opencode', event], { stdio: ['pipe', 'ignore', 'ignore'] }); child.stdin.end(JSON.stringify(value)); };
export const Report = async () => ({
  event: async ({ event }) => report(event.type, event),
  'chat.message': async (input, output) => report('chat.message', { ...input, parts: output.parts }),
  'tool.execute.before': async (input, output) => report('tool.execute.before', { ...input, args: output.args }),
  'tool.execute.after': async (input) => report('tool.execute.after', input),
});
`,
      );
    },
    args: () => [],
    environment: () => ({
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    }),
  },
};

export const HARNESSES = Object.keys(AGENTS);

/** The file of the program, below the folder that holds one npm project for each agent. */
export const programOf = (agents, harness) =>
  join(agents, AGENTS[harness].bin, 'node_modules/.bin', AGENTS[harness].bin);

/**
 * Writes the agent's home and working directory below `place`; the hooks append to `events.log` in it.
 * @returns {{file: string, args: string[], cwd: string, environment: Record<string, string>, events: string}}
 */
export function prepareAgent({ agents, harness, place, url, isTrusted = true, reporter }) {
  const agent = AGENTS[harness];
  const home = join(place, 'home');
  const cwd = join(place, 'work');
  for (const each of [home, cwd, join(cwd, '.git')]) mkdirSync(each, { recursive: true });
  const events = join(place, 'events.log');
  const plain = join(place, 'report');
  if (reporter === undefined) {
    // One line for each event: time, harness, event, the hook's own JSON.
    writeFileSync(
      plain,
      `#!/bin/sh\nbody=$(cat | tr '\\n' ' ')\nprintf '%s\\t%s\\t%s\\t%s\\n' "$(date +%s%3N)" "$1" "$2" "$body" >> ${events}\n`,
    );
    chmodSync(plain, 0o755);
  }
  const settings = { home, cwd, url, isTrusted, reporter: reporter ?? plain };
  agent.prepare(settings);
  const node = join(agents, 'node24/node_modules/node/bin');
  return {
    file: programOf(agents, harness),
    args: agent.args(settings),
    cwd,
    events,
    environment: {
      HOME: home,
      PATH: `${existsSync(node) ? `${node}:` : ''}/usr/bin:/bin`,
      TERM: 'xterm-256color',
      COLORTERM: 'truecolor',
      LANG: 'C.UTF-8',
      SHELL: '/bin/bash',
      ...agent.environment(settings),
    },
  };
}
