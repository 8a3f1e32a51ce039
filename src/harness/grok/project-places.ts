/**
 * Lists the files of a project that Grok Build reads. Grok Build also reads hooks, servers, plugins, skills and agents of Claude Code and
 * Cursor. Sources: docs.x.ai/build (settings, features/hooks, features/skills-plugins-marketplaces), and the user guide of
 * xai-org/grok-build on GitHub.
 */
import { jsonWith, tomlWith } from '../project-examiners.ts';
import { examined, harmless, type ProjectPlaces, reported } from '../project-places.ts';
import { agentsFolder, serverFiles, skillsIn, textsIn } from '../project-rows.ts';

const COMPATIBLE = { '*': 'any', hooks: 'off', mcpServers: 'off', enabledPlugins: 'off' } as const;

export const grokPlaces: ProjectPlaces = {
  folders: ['.grok', '.agents'],
  rows: [
    examined(
      tomlWith({ permission: 'any', mcp_servers: 'off', plugins: 'off', mcp: { max_output_bytes: 'any' } }),
      '.grok/config.toml',
    ),
    reported('another hook runs ungated', '.grok/hooks/**'),
    reported('a plugin can bring hooks and servers that run ungated', '.grok/plugins/**', '.claude/plugins/**'),
    reported('the language servers that this file names start with Grok, ungated', '.grok/lsp.json', '.lsp.json'),
    serverFiles('.mcp.json', '.grok/mcp.json', '.cursor/mcp.json'),
    examined(jsonWith(COMPATIBLE), '.claude/settings.json', '.claude/settings.local.json', '.cursor/hooks.json'),
    harmless('.grok/rules/**', '.grok/README.md', '.grok/.gitignore', '.grok/AGENTS.md'),
    ...textsIn(['.grok/agents', '.grok/commands', '.claude/agents', '.claude/commands']),
    ...skillsIn(['.grok/skills', '.claude/skills', '.cursor/skills']),
    ...agentsFolder(),
  ],
};
