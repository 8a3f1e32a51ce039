/** How `apes hooks certify` sets up and starts GitHub Copilot CLI, and the cases for Copilot CLI. */
import { join } from 'node:path';
import { acpCases } from '../../certify/cases/acp-cases.mjs';
import { writeFiles } from '../../certify/files.mjs';
import { installUserHooks } from '../../certify/gates.mjs';
import { managed } from '../../certify/managed.mjs';

export const copilotAgent = {
  name: 'copilot',
  package: '@github/copilot',
  version: '1.0.102',
  integrity: 'sha512-mv6cTWMhMILxg5ZDgqJ6UsnpPuySCPWOPbZVaO8lL0dpmjY3VD9ZhJr6DFcG7fhUXZv6OmvLdcRCa5MJ6hBI+Q==',
  gate: 'hook',
  resumed: (argv) => [...argv, '--continue'],
  own: acpCases(({ file }) => [file, '--acp']),
  async prepare({ agent, home, work, url, installation, mcp, installHooks = installUserHooks }) {
    if (mcp)
      writeFiles(home, {
        '.copilot/mcp-config.json': { mcpServers: { apes: { type: 'local', ...mcp, tools: ['*'] } } },
      });
    await installHooks('copilot', { home, work, installation });
    return {
      file: `${agent.directory}/node_modules/.bin/copilot`,
      argv: ['-p', 'run the tripwire', '--allow-all-tools'],
      env: {
        COPILOT_OFFLINE: 'true',
        COPILOT_PROVIDER_TYPE: 'openai',
        COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
        COPILOT_PROVIDER_API_KEY: 'x',
        COPILOT_MODEL: 'mock-model',
        // Copilot unpacks 300 MB of its files into this directory.
        COPILOT_CACHE_HOME: join(agent.directory, 'unpacked'),
      },
    };
  },
};

export const copilotManaged = {
  ...managed(copilotAgent, {
    file: 'github-copilot/policy.d/zz-ape-shell.json',
    original:
      '{\n  "version": 1,\n  "hooks": {\n    "SessionStart": [{ "type": "command", "exec": "/bin/true", "args": [] }]\n  }\n}\n',
  }),
  own: [],
};
