/** Settings and permission rules of a running query. */

import type { PermissionRulesState, SessionSettings } from '../../engine/host/session-settings.ts';

export interface SettingsMethods {
  /**
   * Merges keys into the layer of `options.settings`; null removes one. Rules, folders and mode take effect
   * immediately, the model with the next request, the effort with the next turn. Rejects with
   * `invalid_settings`, without a change.
   */
  applyFlagSettings(settings: Readonly<Record<string, unknown>>): Promise<void>;
  /** Writes `outputStyle`, `model` or `effortLevel` to a settings file that this session reads. */
  updateSettings(
    source: 'localSettings' | 'userSettings',
    settings: Readonly<Record<string, unknown>>,
  ): Promise<void>;
  /** The effective settings, and their sources. */
  getSettings(): Promise<ReturnType<SessionSettings['report']>>;
  /** Every rule with its source, and the folders that tools may use. */
  listPermissionRules(): Promise<PermissionRulesState>;
}
