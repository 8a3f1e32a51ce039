/** How `apes hooks certify` sets up and starts Kimi Code, and which cases it adds for Kimi Code. */
import { join } from 'node:path';
import { acpCases } from '../../certify/cases/acp-cases.mjs';
import { backgroundShell, dangerousFiles, killedGuard, subagentShell } from '../../certify/cases/gate-cases.mjs';
import { parallel } from '../../certify/cases/own-cases.mjs';
import { writeFiles } from '../../certify/files.mjs';
import { installUserHooks } from '../../certify/gates.mjs';
import { shell, together } from '../../certify/mock-model.mjs';

const DEMANDED_CALL = /Call the tool again with exactly this command:\n(.*)/;

/** Our hook first denies a call, and demands another call. Returns a turn with the demanded calls; null: the hook demanded no call. */
function turnAfterDenial({ body }) {
  const answers = [];
  for (const message of [...(body.messages ?? [])].reverse()) {
    if (message.role !== 'tool') break;
    answers.unshift(DEMANDED_CALL.exec(message.content)?.[1] ?? null);
  }
  const calls = answers.filter((each) => each !== null).map((each) => shell(each.trim()));
  return calls.length === 0 ? null : calls.length === 1 ? calls[0] : together(...calls);
}

export const kimiAgent = {
  name: 'kimi',
  package: '@moonshot-ai/kimi-code',
  version: '2.1.0',
  integrity: 'sha512-c9rY0DS0xNOraEgUFJ5Cexz6+S3R+PczIwCVCI4eP93xv1xpIbyFLe6wyQl29VR9UMafmfQG6+dIyJcCLEAoBQ==',
  gate: 'hook, denied first',
  needsNode24: true,
  turnAfterDenial,
  resumed: (argv) => [...argv, '--continue'],
  own: [
    parallel,
    ...acpCases(({ file, argv }) => [file, argv[0], 'acp']),
    subagentShell('Agent', (task) => ({ prompt: task, description: 'a subagent' })),
    backgroundShell('Bash', (command) => ({ command, run_in_background: true, description: 'in the background' })),
    killedGuard,
    dangerousFiles([
      { name: 'Write', input: (path) => ({ path, content: 'x\n' }), path: '.git/hooks/pre-commit' },
      { name: 'Write', input: (path) => ({ path, content: 'x\n' }), path: '.kimi-code/config.toml', isHome: true },
      {
        name: 'Write',
        input: () => ({ path: '~/.kimi-code/config.toml', content: 'x\n' }),
        path: '.kimi-code/config.toml',
        isHome: true,
      },
      { name: 'Edit', input: (path) => ({ path, old_string: 'original', new_string: 'x' }), path: '.git/config' },
      { name: 'Read', input: (path) => ({ path }), path: '.ssh/id_rsa', isHome: true, isRead: true },
      { name: 'Read', input: () => ({ path: '~/.ssh/id_rsa' }), path: '.ssh/id_rsa', isHome: true, isRead: true },
      { name: 'Glob', input: () => ({ pattern: '*', path: '~' }), path: '.ssh/id_rsa', isHome: true, isRead: true },
      {
        name: 'Grep',
        input: () => ({ pattern: 'secret', path: '~/.ssh' }),
        path: '.ssh/id_rsa',
        isHome: true,
        isRead: true,
      },
    ]),
  ],
  async prepare({ agent, home, work, url, node24, installation, mcp, installHooks = installUserHooks }) {
    await installHooks('kimi', { home, work, installation });
    if (mcp) writeFiles(home, { '.kimi-code/mcp.json': { mcpServers: { apes: mcp } } });
    return {
      file: node24,
      argv: [join(agent.directory, 'node_modules/@moonshot-ai/kimi-code/dist/main.mjs'), ...['-p', 'run the tripwire']],
      env: {
        KIMI_MODEL_NAME: 'mock-model',
        KIMI_MODEL_API_KEY: 'x',
        KIMI_MODEL_PROVIDER_TYPE: 'openai',
        KIMI_MODEL_BASE_URL: `${url}/v1`,
      },
    };
  },
};
