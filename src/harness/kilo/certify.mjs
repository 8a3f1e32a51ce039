/** How `apes hooks certify` sets up and starts Kilo CLI, and the cases for Kilo CLI. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { acpCases } from '../../certify/cases/acp-cases.mjs';
import { deniedTool } from '../../certify/cases/own-cases.mjs';
import { must } from '../../certify/cases.mjs';
import { writeFiles } from '../../certify/files.mjs';
import { installUserHooks } from '../../certify/gates.mjs';
import { managed } from '../../certify/managed.mjs';
import { say, tool } from '../../certify/mock-model.mjs';
import { opencodeManagedCases, userCases } from '../opencode/certify-cases.mjs';
import { scriptedSettings } from '../opencode/certify-settings.mjs';

const FAMILY = { name: 'kilo', project: '.kilo', settings: 'kilo', prefix: 'KILO' };

/** Cases for tools that can start a command. opencode does not have these tools. */
const OWN = [
  {
    name: 'background',
    title: 'a background process waits; approved, it runs',
    turns: 3,
    async next(stage, request, turn) {
      const start = tool('background_process', { action: 'monitor', command: stage.command, timeout: 30_000 });
      if (turn === 0) return start;
      if (turn === 1) {
        await stage.installation.approve(stage.pendingIn(request).id, 'always');
        return start;
      }
      must(stage.didRun(), 'approved, and the background process did not run');
      return say('done');
    },
  },
  deniedTool('cron', 'work at a later time is denied', (stage) => ({
    name: 'cron_create',
    input: { prompt: `run ${stage.command}`, delay: '1s' },
  })),
];

/** By default, Kilo runs tools without asking a person. These settings make Kilo ask. */
const ACP = acpCases(({ file }, { home }) => {
  const path = join(home, '.config/kilo/kilo.json');
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), permission: { bash: 'ask' } }));
  return [file, 'acp'];
});

export const kiloAgent = {
  name: 'kilo',
  // This package is for Linux on x64. The general package `@kilocode/cli` needs a version of this package that is not in the registry.
  package: '@kilocode/cli-linux-x64',
  version: '7.7.9',
  integrity: 'sha512-83tBMkWSOk6ilD1VAT55ze8BjOrNkZGMs+mulnE4tjfPNJ/ZlCQeoRmH79s36yPVbAP7D8m3f8LfJpPlkz5daw==',
  gate: 'shell, plugin',
  // Kilo takes longer to start than the other harnesses.
  timeoutMs: 600_000,
  resumed: (argv) => argv.toSpliced(-1, 0, '--continue'),
  own: [...userCases(FAMILY), ...OWN, ...ACP],
  async prepare({ agent, home, work, url, installation, mcp, installHooks = installUserHooks }) {
    const settings = scriptedSettings(url, mcp, {
      name: 'mock',
      tool_call: true,
      limit: { context: 100_000, output: 4_000 },
    });
    writeFiles(home, { '.config/kilo/kilo.json': settings });
    await installHooks('kilo', { home, work, installation });
    return {
      file: `${agent.directory}/node_modules/@kilocode/cli-linux-x64/bin/kilo`,
      argv: ['run', '--auto', 'run the tripwire'],
      env: {
        KILO_DISABLE_AUTOUPDATE: '1',
        KILO_DISABLE_MODELS_FETCH: '1',
        KILO_DISABLE_DEFAULT_PLUGINS: '1',
        KILO_DISABLE_LSP_DOWNLOAD: '1',
        KILO_DISABLE_CODEBASE_INDEXING: '1',
        KILO_TELEMETRY_LEVEL: 'off',
      },
    };
  },
};

export const kiloManaged = {
  ...managed(kiloAgent, {
    file: 'kilo/kilo.json',
    original:
      '{\n  "$schema": "https://app.kilo.ai/config.json",\n  // kept by the administrator\n  "autoupdate": false\n}\n',
    proof: 'ape-shell.js',
  }),
  gate: 'shell, plugin, managed',
  own: opencodeManagedCases(FAMILY),
};
