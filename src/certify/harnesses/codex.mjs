import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installUserHooks } from '../gates.mjs';
import { managed } from '../managed.mjs';

const settings = (url, mcp) => `model = "mock-model"
model_provider = "mock"
[model_providers.mock]
name = "mock"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "MOCK_KEY"
${mcp ? `[mcp_servers.apes]\ncommand = ${JSON.stringify(mcp.command)}\nargs = ["mcp"]\nrequired = true\nstartup_timeout_sec = 60\ntool_timeout_sec = 600\nenv = { APES_HOME = ${JSON.stringify(mcp.env.APES_HOME)} }\n` : ''}`;

/** What a user's hook needs and a managed one does not. */
const TRUSTED = ['--dangerously-bypass-hook-trust', '--disable', 'unified_exec_tty'];

export const codex = {
  name: 'codex',
  package: '@openai/codex',
  version: '0.169.0',
  integrity: 'sha512-KhzYlkKPxoNssR8CEm45IjqnFWn7UtlF4CiD3tOJPea51xBs7MaHy0UQG9GSbCqk6Lrjn5QdJDV0QD1/FgWlGw==',
  // A user's hook counts only once trusted, which is what the option stands for.
  gate: 'hook',
  async prepare({ agent, home, work, url, installation, mcp, installHooks = installUserHooks }) {
    mkdirSync(join(home, '.codex'), { recursive: true });
    writeFileSync(join(home, '.codex/config.toml'), settings(url, mcp));
    await installHooks('codex', { home, work, installation });
    return {
      file: process.execPath,
      argv: [
        join(agent.directory, 'node_modules/@openai/codex/bin/codex.js'),
        ...['exec', '--skip-git-repo-check', '-s', 'danger-full-access', ...TRUSTED, 'run the tripwire'],
      ],
      env: { MOCK_KEY: 'x' },
    };
  },
};

export const codexManaged = managed(codex, {
  file: 'codex/requirements.toml',
  original: '# kept by the administrator\n',
  without: TRUSTED,
});
