/**
 * From options, settings files and environment to the engine's configuration, through the one resolver (L1).
 */

import { systemClock } from '@turnwright/base/clock.ts';
import { extended } from '@turnwright/base/collections/extended.ts';
import { confinedFiles, type LookedAtFiles } from '@turnwright/base/files/confined-files.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import type { UnreadFields } from '@turnwright/base/text/unread-fields.ts';
import type { BaseOptions } from '../../options/options.ts';
import { createPermissions } from '../../permissions/permission-engine.ts';
import { neverMatching } from '../../permissions/rules/never-matches.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import type { Resolution } from '../../settings/resolve/resolution.ts';
import { type ConfigSources, resolveConfig } from '../../settings/resolve/resolve-config.ts';
import { hideStartupSecrets } from '../../settings/trust/hide-startup-secrets.ts';
import { skillCommands } from '../../skills/commands.ts';
import type { QueryEngineConfig } from '../config.ts';
import { hooksInForce } from '../hooks/hooks-in-force.ts';
import { createSettingsAccess } from '../host/settings-access.ts';
import { credentialsFromHelper } from '../models/api-key-helper.ts';
import { checkModelReach } from '../models/unreachable-model.ts';
import { commandFileSources } from '../project/command-file-sources.ts';
import { openOutputStyles } from '../project/open-output-styles.ts';
import { pluginCommands } from '../project/plugin-commands.ts';
import { openPlugins } from '../project/plugins.ts';
import { requestedSandbox } from '../sandbox/requested-sandbox.ts';
import { openSkills } from './open-skills.ts';
import { findLanguages } from './tools/compose-language.ts';
import { everyToolName, toolFields, unknownTools } from './tools/tool-fields.ts';

export { machineSettingsFile } from '../../settings/read/read-managed.ts';
export type { ProjectServerPolicy } from '../../settings/resolve/resolution.ts';

interface SettingsInput extends ConfigSources {
  readonly options: BaseOptions;
  readonly files: PersistentFiles;
  /** Receives fields of agents, skills and commands that have no effect. */
  readonly unread: UnreadFields;
}

/** The engine's configuration, and what its servers and agents are found with. */
interface SettingsOutcome extends Pick<Resolution, 'project' | 'projectServers' | 'userServers'> {
  readonly config: QueryEngineConfig;
  /** For other readers of files of the project. */
  readonly projectFiles: LookedAtFiles;
  /** The agent of the main thread that the settings name. */
  readonly settingsAgent: string | undefined;
  /** Why the model cannot be asked, as an error to throw; undefined: it can. */
  readonly unreachable: TurnwrightError | undefined;
  /** Why no session may start with these settings, as an error to throw. */
  readonly refused: TurnwrightError | undefined;
}

export async function configFromSettings(input: SettingsInput): Promise<SettingsOutcome> {
  const { options, files, unread } = input;
  const warn = (line: string) => options.stderr?.(line);
  hideStartupSecrets();
  const resolved = await resolveConfig(input);
  const { config, apiKeyHelper } = resolved;
  resolved.warnings.forEach(warn);
  const { sandbox, refused } = await requestedSandbox(resolved, files, warn);
  const { unreachable } = await checkModelReach(resolved);
  const toolNames = options.tools === undefined || 'type' in options.tools ? undefined : options.tools;
  for (const name of unknownTools(toolNames ?? []))
    warn(`There is no built-in tool "${name}"; it was passed over.`);
  const place = { root: config.cwd, home: resolved.homeDirectory, unknownTools };
  const vain = neverMatching(config.permissionRules ?? {}, place);
  if (vain !== undefined) warn(vain);
  const looked = projectFiles(resolved, files, warn);
  const skills = openSkills({ skills: options.skills, toolNames, files: looked, warn, unread }, resolved);
  const plugins = await openPlugins(options.plugins ?? [], {
    files,
    warn,
    unread,
    unknownTools,
    cwd: config.cwd,
    skills: skills.catalogue,
    hookPolicy: config.hookPolicy,
  });
  const ofSkills = skillCommands(skills.catalogue, { files: looked });
  const commands = commandFileSources(config, { files: looked, warn, unread });
  const hooks = hooksInForce({
    configured: config.configuredHooks ?? [],
    ofPlugins: plugins?.hooks ?? [],
    callbacks: options.hooks,
    tools: () => [...everyToolName()],
    rules: { files, home: resolved.homeDirectory },
  });
  hooks.notices.forEach(warn);
  plugins?.setHooks(hooks.ofPlugins);
  const credentials = apiKeyHelper !== undefined && (await credentialsFromHelper(apiKeyHelper, config));
  return {
    config: extended(config, {
      files,
      sandbox,
      skills,
      plugins,
      configuredHooks: hooks.hooks,
      startNotices: [...resolved.notices, ...(vain === undefined ? [] : [vain]), ...hooks.notices],
      language: await findLanguages(options, resolved, { plugins, files, warn }),
      outputStyles: await openOutputStyles(resolved, { files: looked, plugins, warn }),
      commandSources: [
        // A skill wins over a command of its name; one of a project that is not trusted, over none.
        ...(config.projectTrusted ? [ofSkills, ...commands.first] : [...commands.first, ofSkills]),
        pluginCommands(plugins, { files, warn, unread }),
        ...commands.last,
      ],
      settingsAccess: createSettingsAccess(resolved, extended(input, { nowMs: systemClock.nowMs })),
      ...toolFields(toolNames, resolved, sandbox),
      ...credentials,
    }),
    project: resolved.project,
    projectServers: resolved.projectServers,
    userServers: resolved.userServers,
    projectFiles: looked,
    settingsAgent: resolved.agent,
    unreachable,
    refused: refused ?? lapsedTrust(resolved.project),
  };
}

/** Guards that were trusted and do not run any more must not stand open. */
function lapsedTrust({ trust }: Resolution['project']): TurnwrightError | undefined {
  return trust?.lapsed === undefined ? undefined : new TurnwrightError('invalid_settings', trust.lapsed);
}

/**
 * The files of a project as the rooms see them that look for skills, commands, agents and styles: no link
 * leads out of the repository, and what a rule keeps from being read comes in by no other name.
 */
function projectFiles(
  { config, homeDirectory, repositoryRoot }: Pick<Resolution, 'config' | 'homeDirectory' | 'repositoryRoot'>,
  files: PersistentFiles,
  warn: (line: string) => void,
): LookedAtFiles {
  const { cwd, permissionRules: rules } = config;
  const isDenied = createPermissions({ rules, home: homeDirectory, files }).readFilter({ cwd });
  return confinedFiles(files, {
    root: repositoryRoot,
    ...(isDenied !== undefined && { isDenied }),
    refused: (path, why) => warn(`${path} was passed over: ${why}.`),
  });
}
