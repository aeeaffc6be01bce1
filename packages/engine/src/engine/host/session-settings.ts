/** Settings and permission rules of a running session, as a host sees and changes them. */
import { TurnwrightError } from '../../protocol/errors.ts';
import type { EffortLevel } from '../../protocol/model/wire.ts';
import type { SDKMessage } from '../../protocol/stream/sdk-messages.ts';
import type {
  PermissionBehavior,
  PermissionMode,
  PermissionRuleSource,
  PermissionUpdate,
} from '../../protocol/tools/permission.ts';
import type { Session } from '../session/session.ts';
import { applyUpdates } from './asking.ts';
import type { SettingsAccess, SettingsDestination, SettingsReport } from './settings-access.ts';

export interface PermissionRulesState {
  readonly rules: readonly {
    readonly behavior: PermissionBehavior;
    readonly source: PermissionRuleSource;
    readonly rule: string;
    /** Kept in a settings file, for this session alone, or not to be changed from here. */
    readonly editability: 'persistent' | 'session' | 'readonly';
    /** Managed settings let no other rule allow. */
    readonly notInEffect?: true;
  }[];
  readonly workspaceDirectories: readonly { readonly path: string; readonly source: PermissionRuleSource }[];
  readonly originalCwd: string;
  readonly managedOnly: boolean;
}

/** What the next request is made with, wherever it comes from. */
interface AppliedSettings {
  readonly model: string;
  /** null: the model's own. */
  readonly effort: EffortLevel | null;
}

export class SessionSettings {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  get permissionMode(): PermissionMode {
    return this.#session.permissions.mode;
  }

  /**
   * At once, for calls that are not yet decided. Throws `invalid_mode`, and `bypass_not_launched` for a mode
   * that was not enabled.
   */
  setPermissionMode(mode: PermissionMode): void {
    const { appState, permissions } = this.#session;
    permissions.setMode(mode);
    appState.set((state) => ({ ...state, permissionMode: mode }));
  }

  /** The message that tells consumers of a changed permission mode. */
  modeMessage(): SDKMessage {
    return this.#session.notices.mode();
  }

  /**
   * Lays keys over the flag layer, null takes one away. Rules, folders and mode hold at once, the model from
   * the next request on, effort and fast mode from the next turn on, other keys from the next session on.
   * Throws `invalid_settings`; nothing has changed then.
   */
  async applyFlags(given: Readonly<Record<string, unknown>>): Promise<void> {
    const { model, permissions } = this.#session;
    const { config } = await this.#access().applyFlags(given);
    const { directorySources, effort, fastMode, permissionLocks, permissionMode, permissionRules } = config;
    const folders = Object.entries(directorySources).filter(([, source]) => source === 'flagSettings');
    permissions.replaceSource(
      'flagSettings',
      permissionRules.flagSettings ?? {},
      folders.map(([path]) => path),
    );
    permissions.setLocks(permissionLocks);
    if (says(given['permissions'], 'defaultMode')) this.setPermissionMode(permissionMode);
    if ('model' in given) {
      const { switchModel } = await import('../models/switch-model.ts');
      await switchModel(modelIn(given), 'sdk', this.#session);
    }
    if ('effortLevel' in given) model.effort = effort;
    if ('fastMode' in given) model.fastMode = fastMode;
  }

  /** Writes allow-listed keys to a settings file; the running session stays as it is. */
  async update(
    source: 'localSettings' | 'userSettings',
    settings: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    await this.#access().update(source, settings);
  }

  /** Writes one key of a settings file; the running session stays as it is. */
  async set(destination: SettingsDestination, path: string, value: unknown): Promise<void> {
    await this.#access().set(destination, path, value);
  }

  report(): SettingsReport & { readonly applied: AppliedSettings } {
    const { model } = this.#session;
    return { ...this.#access().report(), applied: { model: model.current, effort: model.effort ?? null } };
  }

  permissionRules(): PermissionRulesState {
    const { config, permissions } = this.#session;
    return {
      rules: permissions.rules().map(({ behavior, source, rule, inForce }) => ({
        behavior,
        source,
        rule,
        editability: inForce ? editability(source) : ('readonly' as const),
        ...(!inForce && { notInEffect: true as const }),
      })),
      workspaceDirectories: permissions.directories(),
      originalCwd: config.cwd,
      managedOnly: permissions.locks.managedRulesOnly === true,
    };
  }

  /**
   * Changes rules, folders and mode at once, and writes what names a settings file. Throws `invalid_option`
   * for an update that cannot be read, and `invalid_settings`; nothing has changed then.
   */
  async updatePermissions(updates: readonly PermissionUpdate[]): Promise<void> {
    const { appState, config, hooks, permissions, scope } = this.#session;
    await applyUpdates(updates, config, permissions);
    for (const directory of addedBy(updates))
      void hooks.run(
        { event: 'DirectoryAdded', directory, source: 'slash_command' },
        { signal: scope.signal },
      );
    const { mode: permissionMode } = permissions;
    if (appState.get().permissionMode !== permissionMode)
      appState.set((state) => ({ ...state, permissionMode }));
  }

  /** The file to which updates for this destination are written. */
  fileOf(destination: SettingsDestination): Promise<string> {
    return this.#access().fileOf(destination);
  }

  #access(): SettingsAccess {
    const { settingsAccess } = this.#session.config;
    if (settingsAccess !== undefined) return settingsAccess;
    throw new TurnwrightError(
      'invalid_option',
      'This engine was made without settings, so it has none to change.',
    );
  }
}

/** What is laid here is newer than any flag; null: the default model. */
const modelIn = ({ model }: Readonly<Record<string, unknown>>): string | undefined =>
  typeof model === 'string' && model !== 'default' ? model : undefined;

function says(permissions: unknown, key: string): boolean {
  return typeof permissions === 'object' && permissions !== null && key in permissions;
}

function editability(source: PermissionRuleSource): 'persistent' | 'session' | 'readonly' {
  switch (source) {
    case 'userSettings':
    case 'projectSettings':
    case 'localSettings':
      return 'persistent';
    case 'session':
    case 'cliArg':
      return 'session';
    case 'flagSettings':
    case 'policySettings':
    case 'command':
      return 'readonly';
  }
}

const addedBy = (updates: readonly PermissionUpdate[]): readonly string[] =>
  updates.flatMap((update) => (update.type === 'addDirectories' ? update.directories : []));
