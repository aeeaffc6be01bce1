/** Settings and permission rules of a running query. */
import type { QueryEngine } from '../engine/query-engine.ts';
import type { PermissionRulesState, SessionSettings } from '../engine/session-settings.ts';

export interface SettingsMethods {
  /**
   * Lays keys over the layer of `options.settings`; null takes one away. Rules, folders and mode hold at once, model
   * and effort from the next turn on. Rejects with `invalid_settings`; nothing has changed then.
   */
  applyFlagSettings(settings: Readonly<Record<string, unknown>>): Promise<void>;
  /** Writes `outputStyle`, `model` or `effortLevel` to a settings file that this session reads. */
  updateSettings(
    source: 'localSettings' | 'userSettings',
    settings: Readonly<Record<string, unknown>>,
  ): Promise<void>;
  /** What the settings come to, and who says what. */
  getSettings(): Promise<ReturnType<SessionSettings['report']>>;
  /** Each rule with its source, and the folders that tools may use. */
  listPermissionRules(): Promise<PermissionRulesState>;
}

export function settingsMethods(
  engine: () => Promise<QueryEngine>,
  /** Tells consumers of the permission mode. */
  sayMode: (session: QueryEngine) => void,
): SettingsMethods {
  return {
    async applyFlagSettings(settings) {
      const session = await engine();
      const before = session.permissionMode;
      await session.settings.applyFlags(settings);
      if (session.permissionMode !== before) sayMode(session);
    },
    updateSettings: async (source, settings) => (await engine()).settings.update(source, settings),
    getSettings: async () => (await engine()).settings.report(),
    listPermissionRules: async () => (await engine()).settings.permissionRules(),
  };
}
