/** How `apes hooks certify` sets up and starts pi. */
import { join } from 'node:path';
import { writeFiles } from '../../certify/files.mjs';
import { installUserHooks } from '../../certify/gates.mjs';

export const piAgent = {
  name: 'pi',
  package: '@earendil-works/pi-coding-agent',
  version: '0.74.2',
  integrity: 'sha512-4Ey/ZgKw8Rq/cLhKtam7ze+LrTg+cNGRMCcAm0HCteHyVbYGbYqbbV8KzXW6fD/X64+213E9PJvIiPfpKJ1kOw==',
  gate: 'shell, extension',
  notApplicable: { mcp: 'it has no MCP' },
  resumed: (argv) => [...argv, '--continue'],
  async prepare({ agent, home, work, url, installation, node24, installHooks = installUserHooks }) {
    writeFiles(home, {
      '.pi/agent/models.json': {
        providers: {
          mock: { baseUrl: `${url}/v1`, api: 'openai-completions', apiKey: 'x', models: [{ id: 'mock-model' }] },
        },
      },
    });
    await installHooks('pi', { home, work, installation });
    const program = join(agent.directory, 'node_modules/@earendil-works/pi-coding-agent/dist/cli.js');
    return {
      file: node24 ?? process.execPath,
      argv: [program, '--provider', 'mock', '--model', 'mock-model', '-p', 'run the tripwire'],
      env: { PI_OFFLINE: '1', PI_SKIP_VERSION_CHECK: '1' },
    };
  },
};

/** The newest version of pi whose packages are all in the registry. */
export const piLater = {
  ...piAgent,
  name: 'pi-later',
  version: '0.87.1',
  integrity: 'sha512-m8ArJUtVcQMSe1lLE/Ei7vX/JV7O39sWmWBsXV2NOU70F0qCp8GubA24pT3LnwTmM6LL2xV80/h6sQg85n69ew==',
  needsNode24: true,
};
