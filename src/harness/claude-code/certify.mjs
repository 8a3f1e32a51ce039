/** How `apes hooks certify` sets up and starts Claude Code, and the cases that only Claude Code has. */
import { join } from 'node:path';
import { writeFiles } from '../../certify/files.mjs';
import { installUserHooks } from '../../certify/gates.mjs';
import { managed } from '../../certify/managed.mjs';
import { claudeCodeCases } from './certify-cases.mjs';

export const claudeCodeAgent = {
  name: 'claude-code',
  folder: 'claude',
  package: '@anthropic-ai/claude-code',
  version: '2.1.331',
  integrity: 'sha512-E6IE7pon8YAtlzIBB0yhhQgopGvsYuSjnCaoP9ATw64T/f3I4ZfwVcj5jWV9yD7XkrSQZCwO7PgS+qMcP817gA==',
  gate: 'hook',
  own: claudeCodeCases,
  resumed: (argv) => [...argv, '--continue'],
  async prepare({ agent, home, work, url, installation, mcp, installHooks = installUserHooks }) {
    await installHooks('claude-code', { home, work, installation });
    if (mcp) writeFiles(home, { 'mcp.json': { mcpServers: { apes: mcp } } });
    return {
      file: join(agent.directory, 'node_modules/.bin/claude'),
      argv: [
        '-p',
        'run the tripwire',
        '--output-format',
        'json',
        '--allowedTools',
        'Bash,Read,Write,Edit,Agent,Task,mcp__apes',
        ...(mcp ? ['--mcp-config', join(home, 'mcp.json')] : []),
      ],
      env: {
        ANTHROPIC_BASE_URL: url,
        ANTHROPIC_API_KEY: 'sk-mock',
        ENABLE_TOOL_SEARCH: 'false',
        DISABLE_TELEMETRY: '1',
        DISABLE_AUTOUPDATER: '1',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      },
    };
  },
};

export const claudeCodeManaged = managed(claudeCodeAgent, {
  file: 'claude-code/managed-settings.json',
  original: '{\n  "cleanupPeriodDays": 30\n}\n',
});
