/** Prepares the start of each real agent in a session without a network: its home, its settings, its environment. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const json = (path, value) => {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, JSON.stringify(value, null, 2));
};

const AGENTS = {
  'claude-code': {
    bin: 'claude',
    prepare: ({ home, cwd }) => {
      json(join(home, '.claude.json'), {
        hasCompletedOnboarding: true,
        theme: 'dark',
        customApiKeyResponses: { approved: ['sk-mock'], rejected: [] },
        projects: { [cwd]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
      });
    },
    args: () => ['--permission-mode', 'default'],
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
    prepare: ({ home, cwd, url }) => {
      mkdirSync(join(home, '.codex'), { recursive: true });
      const trust = `[projects."${cwd}"]\ntrust_level="trusted"\n`;
      writeFileSync(
        join(home, '.codex/config.toml'),
        `model="mock-model"\nmodel_provider="mock"\ncheck_for_update_on_startup=false\n[model_providers.mock]\nname="mock"\nbase_url="${url}/v1"\nwire_api="responses"\nenv_key="MOCK_KEY"\n${trust}`,
      );
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
    prepare: ({ home }) => {
      json(join(home, '.gemini/settings.json'), {
        security: { auth: { selectedType: 'gemini-api-key' } },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        general: { enableAutoUpdate: false, disableAutoUpdate: true },
        tools: { enableHooks: true },
      });
    },
    args: () => ['-m', 'gemini-2.5-flash'],
    environment: ({ url }) => ({
      GEMINI_API_KEY: 'mock',
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    }),
  },
  qwen: {
    bin: 'qwen',
    prepare: ({ home }) => {
      json(join(home, '.qwen/settings.json'), {
        security: { auth: { selectedType: 'openai' } },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        general: { enableAutoUpdate: false, disableAutoUpdate: true },
      });
    },
    args: () => [],
    environment: ({ url }) => ({ OPENAI_API_KEY: 'mock', OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: 'mock-model' }),
  },
  opencode: {
    bin: 'opencode',
    prepare: ({ home, url }) => {
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

/**
 * Writes the agent's home and working directory below `place`. `apes hooks install` adds the hooks later.
 * @param parts `agentDirectory`: the npm project with the agent; `node24`: the path of that Node, for agents that need it
 * @returns {{home: string, cwd: string, argv: string[], environment: Record<string, string>}}
 */
export function prepareAgent(harness, { agentDirectory, node24, place, url }) {
  const agent = AGENTS[harness];
  const home = join(place, 'home');
  const cwd = join(place, 'work');
  for (const each of [home, cwd, join(cwd, '.git')]) mkdirSync(each, { recursive: true });
  agent.prepare({ home, cwd, url });
  return {
    home,
    cwd,
    argv: [join(agentDirectory, 'node_modules/.bin', agent.bin), ...agent.args()],
    environment: {
      HOME: home,
      PATH: `${node24 === undefined ? '' : `${dirname(node24)}:`}/usr/local/bin:/usr/bin:/bin`,
      TERM: 'xterm-256color',
      COLORTERM: 'truecolor',
      LANG: 'C.UTF-8',
      SHELL: '/bin/bash',
      ...agent.environment({ url }),
    },
  };
}
