import { writeFiles } from '../files.mjs';
import { installUserHooks, shimOf } from '../gates.mjs';

export const qwen = {
  name: 'qwen',
  package: '@qwen-code/qwen-code',
  version: '0.24.4',
  integrity: 'sha512-pmexy/Nj+BKd3Un1ogqGQE8V4GJn5B6N9PQOrU1GH+lMR29kn6Bgf6YdbZa8hNIoTmAKT1LTPK+P8TibZRPPVg==',
  gate: 'hook, PATH',
  needsNode24: true,
  async prepare({ agent, home, work, url, node24, path, installation, mcp }) {
    const settings = {
      security: { auth: { selectedType: 'openai' } },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      general: { enableAutoUpdate: false },
      ...(mcp ? { mcpServers: { apes: { ...mcp, timeout: 600_000, trust: true } } } : {}),
    };
    writeFiles(home, { '.qwen/settings.json': settings });
    await installUserHooks('qwen', { home, work, installation });
    return {
      file: node24 ?? process.execPath,
      argv: [
        `${agent.directory}/node_modules/@qwen-code/qwen-code/${agent.version.startsWith('0.15.') ? 'cli.js' : 'cli-entry.js'}`,
        '--approval-mode',
        'yolo',
        '-p',
        'run the tripwire',
      ],
      env: {
        PATH: `${shimOf(installation)}:${path}`,
        // It would start itself a second time, for more memory.
        QWEN_CODE_NO_RELAUNCH: 'true',
        OPENAI_API_KEY: 'mock',
        OPENAI_BASE_URL: `${url}/v1`,
        OPENAI_MODEL: 'mock-model',
      },
    };
  },
};
