/** How `apes hooks certify` sets up and starts opencode, and the cases that are added for opencode. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { acpCases } from '../../certify/cases/acp-cases.mjs';
import { writeFiles } from '../../certify/files.mjs';
import { installUserHooks } from '../../certify/gates.mjs';
import { managed } from '../../certify/managed.mjs';
import { opencodeManagedCases, userCases } from './certify-cases.mjs';
import { scriptedSettings } from './certify-settings.mjs';

const FAMILY = { name: 'opencode', project: '.opencode', settings: 'opencode', prefix: 'OPENCODE' };

/** opencode asks a person before a tool call only if the settings of opencode demand this. */
const ACP = acpCases(({ file }, { home }) => {
  const path = join(home, '.config/opencode/opencode.json');
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), permission: { bash: 'ask' } }));
  return [file, 'acp'];
});

export const opencodeAgent = {
  name: 'opencode',
  package: 'opencode-ai',
  version: '1.18.33',
  integrity: 'sha512-58P1ffLRXiAY4QeoABqUjqf6DEzm1ihpovvn9Ad+oOLbLiwK/rf88wruT9IATJ7AtNjmi8iA7pC8tN4o5y799Q==',
  gate: 'shell, plugin',
  timeoutMs: 600_000,
  resumed: (argv) => argv.toSpliced(-1, 0, '--continue'),
  own: [...userCases(FAMILY), ...ACP],
  async prepare({ agent, home, work, url, installation, mcp, installHooks = installUserHooks }) {
    const settings = scriptedSettings(url, mcp, { name: 'mock' });
    writeFiles(home, { '.config/opencode/opencode.json': settings });
    await installHooks('opencode', { home, work, installation });
    return {
      file: `${agent.directory}/node_modules/.bin/opencode`,
      argv: ['run', 'run the tripwire'],
      env: {
        OPENCODE_DISABLE_AUTOUPDATE: '1',
        OPENCODE_DISABLE_MODELS_FETCH: '1',
        OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
        OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      },
    };
  },
};

export const opencodeManaged = {
  ...managed(opencodeAgent, {
    file: 'opencode/opencode.json',
    original:
      '{\n  "$schema": "https://opencode.ai/config.json",\n  // kept by the administrator\n  "autoupdate": false\n}\n',
    proof: 'ape-shell.js',
  }),
  gate: 'shell, plugin, managed',
  own: opencodeManagedCases(FAMILY),
};
