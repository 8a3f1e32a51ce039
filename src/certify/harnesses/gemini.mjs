import { writeFiles } from '../files.mjs';
import { installUserHooks } from '../gates.mjs';

export const geminiCli = {
  name: 'gemini',
  package: '@google/gemini-cli',
  version: '0.61.0',
  integrity: 'sha512-dbQ9A0qBtFJNi6XBkHvfZ6Azpn6PNgH/P8h2MZ67RLlX8hSAVjup39CRWqdRxZv7YXIuhrFaytr8y0jKnkoxnQ==',
  gate: 'hook',
  async prepare({ agent, home, work, url, installation, mcp }) {
    const settings = {
      security: { auth: { selectedType: 'gemini-api-key' } },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      general: { enableAutoUpdate: false },
      ...(mcp ? { mcpServers: { apes: { ...mcp, timeout: 600_000, trust: true } } } : {}),
    };
    writeFiles(home, { '.gemini/settings.json': settings });
    await installUserHooks('gemini', { home, work, installation });
    return {
      file: process.execPath,
      argv: [
        `${agent.directory}/node_modules/@google/gemini-cli/bundle/gemini.js`,
        ...['-m', 'gemini-2.5-flash', '--approval-mode', 'yolo', '-p', 'run the tripwire'],
      ],
      env: {
        GEMINI_CLI_NO_RELAUNCH: 'true',
        GEMINI_API_KEY: 'mock',
        GOOGLE_GEMINI_BASE_URL: url,
        GEMINI_CLI_TRUST_WORKSPACE: 'true',
      },
    };
  },
};
