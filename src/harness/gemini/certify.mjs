/** How `apes hooks certify` sets up and starts Gemini CLI, and the extra cases for Gemini CLI. */
import { acpCases } from '../../certify/cases/acp-cases.mjs';
import {
  bashByPathManagedCases,
  injected,
  ownCases,
  rewritten,
  startCommands,
} from '../../certify/cases/bash-by-path-cases.mjs';
import { put, stillGated } from '../../certify/cases/own-cases.mjs';
import { writeFiles } from '../../certify/files.mjs';
import { installUserHooks, shimOf } from '../../certify/gates.mjs';
import { managed } from '../../certify/managed.mjs';

const PROMPT = 'run the tripwire';

const OWN = ownCases((prompt) => ({ name: 'invoke_agent', input: { agent_name: 'generalist', prompt } }));

export const geminiCli = {
  name: 'gemini',
  package: '@google/gemini-cli',
  version: '0.61.0',
  integrity: 'sha512-dbQ9A0qBtFJNi6XBkHvfZ6Azpn6PNgH/P8h2MZ67RLlX8hSAVjup39CRWqdRxZv7YXIuhrFaytr8y0jKnkoxnQ==',
  gate: 'hook',
  resumed: (argv) => [...argv, '--resume', 'latest'],
  own: [
    ...OWN,
    ...acpCases(({ file, argv }) => [file, argv[0], '-m', 'gemini-2.5-flash', '--acp']),
    injected(
      '.gemini/commands/planted.toml',
      (command) => `prompt = "Say this: !{${command}}"\n`,
      (prepared) => ({
        ...prepared,
        argv: prepared.argv.map((word) => (word === PROMPT ? '/planted' : word)),
        env: { ...prepared.env, PATH: `${prepared.shim}:/usr/local/bin:/usr/bin:/bin` },
      }),
    ),
  ],
  async prepare({ agent, home, work, url, installation, mcp, installHooks = installUserHooks }) {
    const settings = {
      security: { auth: { selectedType: 'gemini-api-key' } },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      general: { enableAutoUpdate: false },
      ...(mcp ? { mcpServers: { apes: { ...mcp, timeout: 600_000, trust: true } } } : {}),
    };
    writeFiles(home, { '.gemini/settings.json': settings });
    await installHooks('gemini', { home, work, installation });
    return {
      file: process.execPath,
      argv: [
        `${agent.directory}/node_modules/@google/gemini-cli/bundle/gemini.js`,
        ...['-m', 'gemini-2.5-flash', '--approval-mode', 'yolo', '-p', PROMPT],
      ],
      shim: shimOf(installation),
      env: {
        GEMINI_CLI_NO_RELAUNCH: 'true',
        GEMINI_API_KEY: 'mock',
        GOOGLE_GEMINI_BASE_URL: url,
        GEMINI_CLI_TRUST_WORKSPACE: 'true',
      },
    };
  },
};

/** Gemini CLI whose only hooks are in /etc/gemini-cli/settings.json. No project can change this file. The user has no hooks. */
export const geminiCliManaged = {
  ...managed(geminiCli, { file: 'gemini-cli/settings.json', original: '{\n  // of the administrator\n}\n' }),
  own: [
    ...OWN,
    ...bashByPathManagedCases(
      'gemini',
      'BeforeTool',
      { timeout: 1 },
      {
        'hooks-off': { hooksConfig: { enabled: false } },
        'hooks-disabled': { hooksConfig: { disabled: ['ape-shell', 'hook-guard'] } },
      },
    ),
    stillGated('off-command', 'a project switches hooks off: the command waits all the same', ({ work }) =>
      put(work, { '.gemini/settings.json': { hooksConfig: { enabled: false, disabled: ['ape-shell'] } } }),
    ),
    startCommands('gemini'),
    rewritten('gemini', 'BeforeTool', {
      hookSpecificOutput: { hookEventName: 'BeforeTool', tool_input: { content: 'swapped\n' } },
    }),
  ],
};
