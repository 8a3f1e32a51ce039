import { join } from 'node:path';
import { writeFiles } from '../files.mjs';
import { GATE_SHELL, installUserHooks } from '../gates.mjs';

export const openclaw = {
  name: 'openclaw',
  package: 'openclaw',
  version: '2026.9.6',
  integrity: 'sha512-Ie0kyQSCVfFqixsgVg39vevUDq01Ch5u3+7Yu5Y3qARczmdAe+lzp8bVnO9925rHiW/+CFp70zfORCyPmCH31g==',
  gate: 'SHELL, plugin',
  needsNode24: true,
  timeoutMs: 240_000,
  async prepare({ agent, home, work, url, node24, installation, mcp }) {
    const model = {
      id: 'mock-model',
      name: 'mock',
      reasoning: false,
      input: ['text'],
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      contextWindow: 128_000,
      maxTokens: 4096,
    };
    const settings = {
      models: {
        providers: { mock: { baseUrl: `${url}/v1`, apiKey: 'x', api: 'openai-completions', models: [model] } },
      },
      // Else it keeps the tools of MCP servers out of its list, behind a tool that searches.
      ...(mcp ? { mcp: { servers: { apes: mcp } }, tools: { toolSearch: false } } : {}),
      agents: { defaults: { model: { primary: 'mock/mock-model' } } },
    };
    writeFiles(home, { 'openclaw.json': settings });
    const config = join(home, 'openclaw.json');
    await installUserHooks('openclaw', { home, work, installation, env: { OPENCLAW_CONFIG_PATH: config } });
    const words = ['--config', config, '--model', 'mock/mock-model', '--cwd', work, '--json', '--timeout', '100'];
    return {
      file: node24,
      argv: [
        join(agent.directory, 'node_modules/openclaw/openclaw.mjs'),
        'agent',
        'exec',
        'run the tripwire',
        ...words,
      ],
      env: { SHELL: GATE_SHELL, OPENCLAW_CONFIG_PATH: config },
    };
  },
};
