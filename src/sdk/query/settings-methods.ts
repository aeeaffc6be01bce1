/** Settings and permission rules of a running query. */

import type { PermissionRulesState, SessionSettings } from '../../engine/host/session-settings.ts';
import type { QueryEngine } from '../../engine/query-engine.ts';

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

export class SettingsControls implements SettingsMethods {
  readonly #engine: () => Promise<QueryEngine>;
  readonly #sayMode: (session: QueryEngine) => void;

  /** `sayMode`: reports the permission mode to consumers. */
  constructor(engine: () => Promise<QueryEngine>, sayMode: (session: QueryEngine) => void) {
    this.#engine = engine;
    this.#sayMode = sayMode;
  }

  async applyFlagSettings(settings: Readonly<Record<string, unknown>>): Promise<void> {
    const session = await this.#engine();
    const before = session.permissionMode;
    await session.settings.applyFlags(settings);
    if (session.permissionMode !== before) this.#sayMode(session);
  }

  async updateSettings(
    source: 'localSettings' | 'userSettings',
    settings: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    return (await this.#engine()).settings.update(source, settings);
  }

  async getSettings(): Promise<ReturnType<SessionSettings['report']>> {
    return (await this.#engine()).settings.report();
  }

  async listPermissionRules(): Promise<PermissionRulesState> {
    return (await this.#engine()).settings.permissionRules();
  }
}
