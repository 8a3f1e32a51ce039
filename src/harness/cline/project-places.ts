/**
 * The files of a project that Cline CLI reads. Sources: the file names in the program of version 3.0.65, and the storage paths in
 * `sdk/packages/shared` of its source code. The program contains Bun. Bun reads `bunfig.toml` and `.env` in the directory in which Cline
 * starts. In a test, Bun ran a program that `preload` in `bunfig.toml` named.
 */
import { variables } from '../project-examiners.ts';
import { examined, harmless, type ProjectPlaces, reported } from '../project-places.ts';
import { agentsFolder, skillsIn, textsIn } from '../project-rows.ts';

/** The files of variables that Bun can read. NODE_ENV decides which of these files Bun reads. */
const ENVIRONMENT = ['.env', '.env.development', '.env.production', '.env.test'];

export const clinePlaces: ProjectPlaces = {
  folders: ['.cline', '.clinerules', '.agents'],
  rows: [
    reported('Cline starts the programs that this file names, ungated', 'bunfig.toml'),
    examined(variables, ...ENVIRONMENT, ...ENVIRONMENT.map((name) => `${name}.local`)),
    reported('another hook runs ungated, and can replace our command', ...['.cline/hooks/**', '.clinerules/hooks/**']),
    reported('a plugin runs inside of Cline and can replace our command', '.cline/plugins/**'),
    ...textsIn(['.clinerules', '.cline/rules', '.cline/workflows', '.cline/agents']),
    harmless('.cline/rules.md', '.cline/README.md', '.cline/.gitignore', '.cline/worktrees/**'),
    ...skillsIn(['.cline/skills', '.claude/skills']),
    ...agentsFolder(),
  ],
};
