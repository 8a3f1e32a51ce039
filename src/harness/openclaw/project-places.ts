/**
 * The files of a workspace that openclaw reads. Source: the docs in the package of openclaw 2026.9.6 (gateway/config-extensions,
 * automation/hooks, concepts/agent-workspace, gateway/configuration/environment-variables).
 */
import { variables } from '../project-examiners.ts';
import { examined, harmless, type ProjectPlaces, reported } from '../project-places.ts';
import { agentsFolder } from '../project-rows.ts';

export const openclawPlaces: ProjectPlaces = {
  folders: ['.openclaw', '.agents'],
  rows: [
    reported('an extension runs inside of openclaw, past every gate', '.openclaw/extensions/**'),
    reported('a hook runs inside of openclaw if settings allow hooks of the workspace', 'hooks/*/HOOK.md'),
    examined(variables, '.env'),
    harmless('.openclaw/workspace-state.json', '.openclaw/README.md', '.openclaw/.gitignore'),
    ...agentsFolder(),
  ],
};
