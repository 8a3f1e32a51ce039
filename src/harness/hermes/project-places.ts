/**
 * The project files that Hermes Agent reads. Source: hermes-agent.nousresearch.com/docs (plugins, context files, skills, environment
 * variables).
 */
import { variables } from '../project-examiners.ts';
import { examined, harmless, type ProjectPlaces, reported } from '../project-places.ts';
import { agentsFolder } from '../project-rows.ts';

export const hermesPlaces: ProjectPlaces = {
  folders: ['.hermes', '.agents'],
  rows: [
    reported('a plugin runs inside of Hermes, past every hook', '.hermes/plugins/**'),
    reported('it can name hooks and MCP servers that run ungated', 'cli-config.yaml', '.hermes/config.yaml'),
    examined(variables, '.env', '.hermes/.env'),
    harmless('.hermes/plans/**', '.hermes/README.md', '.hermes/.gitignore'),
    ...agentsFolder(),
  ],
};
