/** Language servers of a session: loaded and opened where some are wanted. */

import type { Scope } from '@turnwright/base/async/scope.ts';
import type { BaseOptions } from '../../../options/options.ts';
import type { Permissions } from '../../../permissions/permission-engine.ts';
import type { AnyTool } from '../../../protocol/tools/tool.ts';
import type { Resolution } from '../../../settings/resolve/resolution.ts';
import type { QueryEngineConfig } from '../../config.ts';
import type { FoundServersParts } from '../../language/find-language-servers.ts';
import type { LanguageParts, SessionLanguages } from '../../language/language-setup.ts';
import { ServerSandbox } from '../../mcp/server-sandbox.ts';
import type { PluginSetup } from '../../project/plugins.ts';
import type { SandboxSurroundings } from '../../sandbox/sandbox-surroundings.ts';

/** Starts none. */
export async function findLanguages(
  { projectTrusted, tools, trustRecorded }: BaseOptions,
  { config, languageServers: option, project, removedTools }: Resolution,
  {
    plugins: { plugins },
    ...ports
  }: { readonly plugins: PluginSetup } & Pick<FoundServersParts, 'files' | 'warn'>,
): Promise<QueryEngineConfig['language']> {
  const isBrought = plugins.some(({ lspServers }) => Object.keys(lspServers).length > 0);
  if (option === false || (option === undefined && !isBrought)) return undefined;
  const { findLanguageServers } = await import('../../language/find-language-servers.ts');
  return findLanguageServers({
    ...ports,
    option,
    plugins,
    // A host that asks for no record of trust says with the option that they may run.
    mayRun: project.trusted || (trustRecorded !== true && projectTrusted !== false),
    projectRoot: config.projectRoot,
    childEnv: config.childEnv,
    isOffered: (tool) =>
      (tools === undefined || 'type' in tools || tools.includes(tool)) && !removedTools.includes(tool),
  });
}

interface ComposedLanguages {
  /** undefined: there are none. */
  readonly language: SessionLanguages | undefined;
  /** The built-in tools, which tell of problems. */
  readonly builtin: readonly AnyTool[];
}

export function composeLanguage(
  config: QueryEngineConfig,
  {
    permissions,
    scope,
    surroundings,
    ...ports
  }: Pick<LanguageParts, 'clock' | 'env' | 'files'> & {
    readonly permissions: Pick<Permissions, 'readFilter'>;
    readonly scope: Scope;
    readonly surroundings: SandboxSurroundings;
  },
): ComposedLanguages {
  const { additionalDirectories = [], cwd, language: setup, tools } = config;
  if (setup === undefined) return { language: undefined, builtin: tools };
  const sandbox = new ServerSandbox(config, () => surroundings);
  const opened = setup.open({
    ...ports,
    folders: [cwd, ...additionalDirectories],
    readFilter: () => permissions.readFilter({ cwd }),
    isolateFor: (server) => sandbox.isolateFor(server),
    warn: (line) => config.stderr?.(line),
  });
  scope.onClose(() => opened.close()?.finally(() => sandbox.close()));
  return { language: opened, builtin: opened.toolsWith(tools) };
}
