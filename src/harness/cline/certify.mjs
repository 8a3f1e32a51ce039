/** How `apes hooks certify` sets up and starts Cline, and the extra cases for Cline. */
import { join } from 'node:path';
import { dangerousFiles, subagentShell } from '../../certify/cases/gate-cases.mjs';
import { parallel } from '../../certify/cases/own-cases.mjs';
import { writeFiles } from '../../certify/files.mjs';
import { installUserHooks } from '../../certify/gates.mjs';
import { findProcesses } from '../../certify/processes.mjs';

export const clineAgent = {
  name: 'cline',
  package: 'cline',
  version: '3.0.65',
  integrity: 'sha512-6P2jgsJHp+JRUzlGR6Rp4W/zAwXPg8ihC2M9ec/VgKS4nnlGCB8Ftn17StcIjYFYtocJRkU8UGUnKF69zhv40Q==',
  gate: 'hook file',
  resumed: 'it can continue a session only in a window (--id)',
  // After a denial by the guard, Cline does not call the model again.
  turns: { killed: 1, 'no-guard': 1, 'no-exec': 1, garbage: 1, hangs: 1, fetch: 1 },
  own: [
    parallel,
    subagentShell('spawn_agent', (task) => ({ systemPrompt: 'You are a subagent.', task })),
    // Each denial needs a separate case, because Cline does not call the model after a denial.
    dangerousFiles([{ name: 'editor', input: (path) => ({ path, new_text: 'x\n' }), path: '.git/hooks/pre-commit' }]),
    dangerousFiles(
      [
        {
          name: 'editor',
          input: (path) => ({ path, old_text: 'original', new_text: 'x' }),
          path: '.cline/hooks/PreToolUse.sh',
          isHome: true,
        },
      ],
      'own-hook',
    ),
    dangerousFiles(
      [
        {
          name: 'read_files',
          input: (path) => ({ files: [{ path }] }),
          path: '.ssh/id_rsa',
          isHome: true,
          isRead: true,
        },
      ],
      'secret',
    ),
  ],
  async prepare({ agent, home, work, url, installation, mcp, path, installHooks = installUserHooks }) {
    await installHooks('cline', { home, work, installation });
    const settings = { apiKey: 'x', model: 'mock-model', baseUrl: `${url}/v1` };
    writeFiles(home, {
      '.cline/data/settings/providers.json': {
        version: 1,
        lastUsedProvider: 'openai-compatible',
        providers: {
          'openai-compatible': {
            settings: { provider: 'openai-compatible', ...settings },
            updatedAt: '2026-01-01T00:00:00.000Z',
            tokenSource: 'manual',
          },
        },
      },
      ...(mcp
        ? {
            '.cline/data/settings/cline_mcp_settings.json': {
              mcpServers: { apes: { transport: { type: 'stdio', ...mcp }, timeout: 60 } },
            },
          }
        : {}),
    });
    return {
      file: join(agent.directory, 'node_modules/.bin/cline'),
      argv: ['--provider', 'openai-compatible', '-m', 'mock-model', 'run the tripwire'],
      env: { PATH: path },
      /** Ends Cline's hub daemon. Without this, the daemon would keep running, and would keep the environment of this start. */
      cleanUp: () => {
        for (const pid of findProcesses(`HOME=${home}`, (argv) => argv.includes('--cline-hub-daemon')))
          process.kill(pid, 'SIGKILL');
      },
    };
  },
};
