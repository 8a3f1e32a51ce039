/** How `apes hooks certify` sets up and starts Qwen Code, and the cases that only Qwen Code has. */
import { acpCases } from '../../certify/cases/acp-cases.mjs';
import { bashByPathManagedCases, injected, ownCases, startCommands } from '../../certify/cases/bash-by-path-cases.mjs';
import { neverRuns } from '../../certify/cases/own-cases.mjs';
import { writeFiles } from '../../certify/files.mjs';
import { installUserHooks, shimOf } from '../../certify/gates.mjs';
import { managed } from '../../certify/managed.mjs';

const PROMPT = 'run the tripwire';

const OWN = ownCases((prompt) => ({
  name: 'agent',
  input: { description: 'work', prompt, subagent_type: 'general-purpose' },
}));

export const qwenAgent = {
  name: 'qwen',
  package: '@qwen-code/qwen-code',
  version: '0.24.4',
  integrity: 'sha512-pmexy/Nj+BKd3Un1ogqGQE8V4GJn5B6N9PQOrU1GH+lMR29kn6Bgf6YdbZa8hNIoTmAKT1LTPK+P8TibZRPPVg==',
  gate: 'hook, PATH',
  needsNode24: true,
  resumed: (argv) => [...argv, '--continue'],
  own: [
    ...OWN,
    ...acpCases(({ file, argv }) => [file, argv[0], '--acp']),
    neverRuns('no-shim', 'without the PATH shim a command is denied, with the call to make instead', (_, prepared) => ({
      ...prepared,
      env: { ...prepared.env, PATH: '/usr/local/bin:/usr/bin:/bin' },
    })),
    injected(
      '.qwen/commands/planted.md',
      (command) => `Say this: !{${command}}\n`,
      (prepared) => ({ ...prepared, argv: prepared.argv.map((word) => (word === PROMPT ? '/planted' : word)) }),
    ),
  ],
  async prepare({ agent, home, work, url, node24, path, installation, mcp, installHooks = installUserHooks }) {
    const settings = {
      security: { auth: { selectedType: 'openai' } },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      general: { enableAutoUpdate: false },
      ...(mcp ? { mcpServers: { apes: { ...mcp, timeout: 600_000, trust: true } } } : {}),
    };
    writeFiles(home, { '.qwen/settings.json': settings });
    await installHooks('qwen', { home, work, installation });
    return {
      file: node24 ?? process.execPath,
      argv: [
        `${agent.directory}/node_modules/@qwen-code/qwen-code/${agent.version.startsWith('0.15.') ? 'cli.js' : 'cli-entry.js'}`,
        '--approval-mode',
        'yolo',
        '-p',
        PROMPT,
      ],
      env: {
        PATH: `${shimOf(installation)}:${path}`,
        // Without this variable, Qwen Code starts itself again, to get more memory.
        QWEN_CODE_NO_RELAUNCH: 'true',
        OPENAI_API_KEY: 'mock',
        OPENAI_BASE_URL: `${url}/v1`,
        OPENAI_MODEL: 'mock-model',
      },
    };
  },
};

/** The administrator's settings. Qwen Code would rewrite a settings file that has no version. */
const ADMINISTRATOR = '{\n  // of the administrator\n  "$version": 4\n}\n';

/**
 * Qwen Code after `apes hooks install qwen --managed`, without the shim. Each command is denied, and the denial names the call to make
 * instead.
 */
const plain = managed(qwenAgent, { file: 'qwen-code/settings.json', original: ADMINISTRATOR });

export const qwenManaged = {
  ...plain,
  own: [
    ...OWN,
    startCommands('qwen'),
    ...bashByPathManagedCases(
      'qwen',
      'PreToolUse',
      { async: true },
      {
        'hooks-off': { disableAllHooks: true },
        'safe-mode': { env: { QWEN_CODE_SAFE_MODE: '1' } },
        simple: { env: { QWEN_CODE_SIMPLE: '1' } },
      },
    ),
  ],
};
