/**
 * The files of a project that Qwen Code reads (the bundle of 0.24.4: class Storage, findEnvFile, loadProjectMcpServers, LspConfigLoader,
 * loadClaudeCodeMcpSources). Qwen Code uses the first `.env` that it finds in the project or in a directory above. Any `.env` can be this
 * file, so every `.env` is examined.
 */
import type { BashByPath } from '../bash-by-path.ts';
import { rowsOf } from '../bash-by-path-places.ts';
import { jsonWith } from '../project-examiners.ts';
import { examined, harmless, type ProjectPlaces, reported } from '../project-places.ts';
import { serverFiles, textsIn } from '../project-rows.ts';

export const qwenPlaces = (harness: BashByPath): ProjectPlaces => ({
  folders: ['.qwen', '.agents'],
  rows: [
    ...rowsOf(harness),
    harmless('.qwen/rules/**', '.qwen/team-memory/**', '.qwen/loop.md', '.qwen/review-rules.md'),
    ...textsIn(['.qwen/output-styles']),
    serverFiles('.mcp.json'),
    reported('the language servers that it names start with Qwen Code, ungated', '.lsp.json'),
    // Qwen Code reads only `mcpServers` from this file.
    examined(jsonWith({ '*': 'any', mcpServers: 'off' }), '.claude/settings.json'),
  ],
});
