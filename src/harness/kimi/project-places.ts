/**
 * The files that Kimi Code reads in a project. Sources: the bundle of Kimi Code 2.1.0; the documentation of Kimi Code on mcp, skills and
 * agents.
 */
import { harmless, type ProjectPlaces } from '../project-places.ts';
import { agentsFolder, serverFiles, skillsIn, textsIn } from '../project-rows.ts';

export const kimiPlaces: ProjectPlaces = {
  folders: ['.kimi-code', '.agents'],
  rows: [
    serverFiles('.mcp.json', '.kimi-code/mcp.json'),
    harmless('.kimi-code/AGENTS.md', '.kimi-code/README.md', '.kimi-code/.gitignore'),
    ...textsIn(['.kimi-code/agents']),
    ...skillsIn(['.kimi-code/skills']),
    ...agentsFolder(),
  ],
};
