import { absolutePath } from '@turnwright/base/files/home-path.ts';
import type { BaseOptions } from '../../options/options.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import type { AutoMode } from '../../protocol/tools/auto-mode.ts';
import {
  PERMISSION_MODES,
  type PermissionMode,
  type PermissionRuleSource,
} from '../../protocol/tools/permission.ts';
import { invalidSettings } from '../read/parse-settings.ts';
import type { SettingsLayer } from '../settings-keys.ts';
import type { Resolution } from './resolution.ts';

/** The source of rules, by layer. */
export const RULE_SOURCES: Record<SettingsLayer['source'], PermissionRuleSource> = {
  user: 'userSettings',
  project: 'projectSettings',
  local: 'localSettings',
  flag: 'flagSettings',
  managed: 'policySettings',
};

interface PermissionPlaces {
  readonly cwd: string;
  readonly homeDirectory: string | undefined;
  readonly warn: (warning: string) => void;
  /** Of an entry that is not in force. */
  readonly notice: (sentence: string) => void;
}

/** Rules are combined by source, and directories are combined; the strongest layer sets the mode. */
export function resolvePermissions(
  options: BaseOptions,
  layers: readonly SettingsLayer[],
  places: PermissionPlaces,
): Pick<
  Resolution['config'],
  | 'additionalDirectories'
  | 'allowDangerouslySkipPermissions'
  | 'autoMode'
  | 'directorySources'
  | 'permissionLocks'
  | 'permissionMode'
  | 'permissionRules'
> {
  const rules: { [S in PermissionRuleSource]?: { allow: string[]; deny: string[]; ask: string[] } } = {};
  const of = (source: PermissionRuleSource) => {
    rules[source] ??= { allow: [], deny: [], ask: [] };
    return rules[source];
  };
  const directories = new Map<string, PermissionRuleSource>();
  for (const { source, settings } of layers) {
    const { allow = [], deny = [], ask = [], additionalDirectories = [] } = settings.permissions ?? {};
    for (const directory of additionalDirectories)
      directories.set(
        absolutePath(directory, { cwd: places.cwd, home: places.homeDirectory }),
        RULE_SOURCES[source],
      );
    if (allow.length + deny.length + ask.length === 0) continue;
    const own = of(RULE_SOURCES[source]);
    own.allow.push(...allow);
    own.deny.push(...deny);
    own.ask.push(...ask);
  }
  const { allowedTools = [], disallowedTools = [], additionalDirectories = [] } = options;
  if (allowedTools.length + disallowedTools.length > 0) {
    const own = of('cliArg');
    own.allow.push(...allowedTools);
    own.deny.push(...disallowedTools);
  }
  for (const directory of additionalDirectories)
    directories.set(absolutePath(directory, { cwd: places.cwd, home: places.homeDirectory }), 'cliArg');

  const says = (
    key:
      | 'blockReadsOutsideWorkingDirectories'
      | 'blockWritesOutsideWorkingDirectories'
      | 'denyInsteadOfPrompting'
      | 'allowedToolsOnly',
  ) => layers.some(({ settings }) => settings.permissions?.[key] === true);
  const banned = layers.find(
    ({ settings }) => settings.permissions?.disableBypassPermissionsMode === 'disable',
  );
  const unjudged = layers.find(({ settings }) => settings.permissions?.disableAutoMode === 'disable');
  const autoMode = unjudged === undefined ? resolveAutoMode(options, layers) : undefined;
  const whyUnjudged = unjudged === undefined ? NO_JUDGE : `it is switched off by ${unjudged.file}`;
  // Starting in this mode implies the option; switching to it later needs the option at the start.
  const asksToSkip =
    options.allowDangerouslySkipPermissions === true || options.permissionMode === 'bypassPermissions';
  const maySkip = asksToSkip && banned === undefined;
  return {
    permissionMode: resolveMode(
      options,
      layers,
      { maySkip, banned, unjudged: autoMode?.judge === undefined ? whyUnjudged : undefined },
      places,
    ),
    autoMode,
    allowDangerouslySkipPermissions: maySkip,
    permissionRules: rules,
    additionalDirectories: [...directories.keys()],
    directorySources: Object.fromEntries(directories),
    permissionLocks: {
      managedRulesOnly: layers.some(
        ({ source, settings }) => source === 'managed' && settings.allowManagedPermissionRulesOnly === true,
      ),
      blockReadsOutside: says('blockReadsOutsideWorkingDirectories'),
      blockWritesOutside: says('blockWritesOutsideWorkingDirectories'),
      allowedToolsOnly: options.allowedToolsOnly === true || says('allowedToolsOnly'),
      denyInsteadOfPrompting: options.permissionPrompts === 'none' || says('denyInsteadOfPrompting'),
    },
  };
}

function resolveMode(
  options: BaseOptions,
  layers: readonly SettingsLayer[],
  { maySkip, banned, unjudged }: ModeLimits,
  { warn, notice }: Pick<PermissionPlaces, 'warn' | 'notice'>,
): PermissionMode {
  if (options.permissionMode !== undefined) {
    const mode = modeNamed(options.permissionMode) ?? 'default';
    if (mode === 'auto' && unjudged !== undefined) {
      warn(sayUnjudged(unjudged));
      return 'default';
    }
    if (mode !== 'bypassPermissions' || banned === undefined) return mode;
    throw new TurnwrightError(
      'invalid_option',
      `permissionMode bypassPermissions is switched off by ${banned.file}.`,
    );
  }
  for (const { source, file, settings } of layers.toReversed()) {
    const name = settings.permissions?.defaultMode;
    if (name === undefined) continue;
    const mode = modeNamed(name);
    if (mode === 'auto' && unjudged !== undefined) {
      warn(`${file}: ${sayUnjudged(unjudged)}`);
      return 'default';
    }
    if (mode !== undefined && (mode !== 'bypassPermissions' || maySkip)) return mode;
    if (mode === undefined) {
      const problem = `permissions.defaultMode: expected one of ${PERMISSION_MODES.join(', ')}, got "${name}".`;
      if (source === 'flag') throw invalidSettings(file, problem);
      notice(`${file}: passed over, because it cannot be read: ${problem}`);
      continue;
    }
    warn(
      `${file}: permissions.defaultMode "${name}" was ignored: it needs allowDangerouslySkipPermissions; the mode is default.`,
    );
    return 'default';
  }
  return 'default';
}

const NO_JUDGE =
  'no judge is named. Name a model as autoMode.judge in your settings, as the option, or as --judge';

const sayUnjudged = (why: string): string =>
  `The permission mode "auto" means "default" here: what no rule allows is asked about, and denied where no question can be asked, because ${why}.`;

/** Field by field; undefined: no source has any. */
function resolveAutoMode(options: BaseOptions, layers: readonly SettingsLayer[]): AutoMode | undefined {
  const given = [...layers.map(({ settings }) => settings.autoMode), options.autoMode];
  return given.every((each) => each === undefined) ? undefined : Object.assign({}, ...given);
}

interface ModeLimits {
  readonly maySkip: boolean;
  readonly banned: SettingsLayer | undefined;
  /** Why the mode `auto` has no judge; undefined: it has one. */
  readonly unjudged: string | undefined;
}

/** `manual` is another name of the default mode. */
function modeNamed(name: string): PermissionMode | undefined {
  return name === 'manual' ? 'default' : PERMISSION_MODES.find((mode) => mode === name);
}
