/** Settings while a session runs: what they come to, changes to files, and the layer of the flags. */

import { isRecord } from '@turnwright/base/json-values.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import type { SettingSource } from '../../options/option-values.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import type { PermissionUpdate } from '../../protocol/tools/permission.ts';
import { describeLayers, type SettingsReport } from '../../settings/resolve/describe-layers.ts';
import { recordGrants } from '../../settings/resolve/granted-directories.ts';
import type { Resolution } from '../../settings/resolve/resolution.ts';
import { type ConfigSources, resolveConfig } from '../../settings/resolve/resolve-config.ts';
import { RULE_SOURCES } from '../../settings/resolve/resolve-permissions.ts';
import type { SettingsWriter } from '../../settings/write/write-settings.ts';

export type { SettingsReport };

/** A settings file as the destination of updates. */
export type SettingsDestination = 'userSettings' | 'projectSettings' | 'localSettings';

/** A settings file that this session wrote. */
interface SettingsChange {
  readonly source: SettingsDestination;
  readonly file: string;
}

export interface SettingsAccess {
  /** Writes the updates whose destination is a file. Throws `invalid_settings`; nothing is lost then. */
  persist(updates: readonly PermissionUpdate[]): Promise<void>;
  /**
   * Writes allow-listed keys. Throws `invalid_option` for others, and for a source the session does not read.
   */
  update(
    source: 'localSettings' | 'userSettings',
    settings: Readonly<Record<string, unknown>>,
  ): Promise<void>;
  /**
   * Writes one key, with its path (`sandbox.enabled`); undefined takes it out. Throws `invalid_option` for an
   * unknown one, and `invalid_settings`.
   */
  set(destination: SettingsDestination, path: string, value: unknown): Promise<void>;
  /** Lays the keys over the flag layer; null takes one away. Resolves with what everything then comes to. */
  applyFlags(settings: Readonly<Record<string, unknown>>): Promise<Resolution>;
  report(): SettingsReport;
  /** The settings files that the session reads, the most personal first. */
  destinations(): readonly SettingsDestination[];
  /** The file to which updates for this destination are written. It need not exist. */
  fileOf(destination: SettingsDestination): Promise<string>;
  /** Calls the listener after each write. Returns a function that removes it. */
  onChange(listener: (change: SettingsChange) => void): () => void;
}

interface SettingsAccessInput extends ConfigSources {
  readonly files: PersistentFiles;
  readonly nowMs: () => number;
}

/** The keys that `update` takes; their values are words. */
const WRITABLE: Readonly<Record<'localSettings' | 'userSettings', readonly string[]>> = {
  localSettings: ['outputStyle', 'model', 'effortLevel'],
  userSettings: ['outputStyle', 'model', 'effortLevel', 'theme'],
};
const FILES = { localSettings: 'local', projectSettings: 'project', userSettings: 'user' } as const;
const DESTINATIONS = ['localSettings', 'projectSettings', 'userSettings'] as const;
const REPOSITORY: readonly SettingSource[] = ['project', 'local'];

export function createSettingsAccess(first: Resolution, input: SettingsAccessInput): SettingsAccess {
  return new Access(first, input);
}

class Access implements SettingsAccess {
  readonly #first: Resolution;
  readonly #input: SettingsAccessInput;
  #resolved: Resolution;
  #options: ConfigSources['options'];
  #listeners: readonly ((change: SettingsChange) => void)[] = [];
  #writer: Promise<SettingsWriter> | undefined;

  constructor(first: Resolution, input: SettingsAccessInput) {
    this.#first = first;
    this.#input = input;
    this.#resolved = first;
    this.#options = input.options;
  }

  async persist(updates: readonly PermissionUpdate[]): Promise<void> {
    const { files } = this.#input;
    const { home: configHome, projectRoot } = this.#first.config;
    const { persistPermissions } = await import('../../settings/write/persist-permissions.ts');
    await persistPermissions(updates, { change: (...what) => this.#change(...what) });
    if (configHome !== undefined) await recordGrants(updates, { configHome, projectRoot, files });
  }

  async update(
    source: 'localSettings' | 'userSettings',
    settings: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    if (!(source in WRITABLE))
      throw invalid(
        `Settings of ${JSON.stringify(source)} cannot be written: give localSettings or userSettings.`,
      );
    const place = this.#placeOf(source);
    for (const [key, value] of Object.entries(settings)) {
      if (!WRITABLE[source].includes(key))
        throw invalid(
          `The key ${key} cannot be written to ${source}; these can: ${WRITABLE[source].join(', ')}.`,
        );
      if (typeof value !== 'string') throw invalid(`The value of ${key} must be a string.`);
    }
    for (const [key, value] of Object.entries(settings)) await this.#change(place, key, () => value);
  }

  async set(destination: SettingsDestination, path: string, value: unknown): Promise<void> {
    const source = this.#placeOf(destination);
    const { describeKeys } = await import('../../settings/read/describe-keys.ts');
    const known = describeKeys().find(({ key }) => key === path);
    if (known === undefined) throw invalid(`There is no setting ${JSON.stringify(path)}.`);
    if (known.isOnlyOwn && source !== 'user')
      throw invalid(`${path} is the user's alone: it has no effect in the ${source} settings.`);
    const [key = path, inner] = path.split('.');
    await this.#change(source, key, (before) =>
      inner === undefined ? value : { ...(isRecord(before) && before), [inner]: value },
    );
  }

  async applyFlags(settings: Readonly<Record<string, unknown>>): Promise<Resolution> {
    const flags = this.#resolved.layers.find(({ source }) => source === 'flag')?.settings ?? {};
    const laid = Object.entries({ ...flags, ...settings }).filter(([, value]) => value !== null);
    const before = this.#options;
    this.#options = { ...before, settings: Object.fromEntries(laid) };
    try {
      // What the session wrote to settings files since it began takes effect in the next one.
      this.#resolved = await this.#resolveAgain(this.#first.filesRead);
    } catch (error) {
      this.#options = before;
      throw error;
    }
    return this.#resolved;
  }

  async fileOf(destination: SettingsDestination): Promise<string> {
    const place = FILES[destination];
    if (place === undefined) throw invalid(`${JSON.stringify(destination)} names no settings file.`);
    return (await this.#writing()).fileOf(place);
  }

  report(): SettingsReport {
    return describeLayers(this.#resolved.layers);
  }

  destinations(): readonly SettingsDestination[] {
    const { settingSources } = this.#first.config;
    return DESTINATIONS.filter((destination) => settingSources.includes(FILES[destination]));
  }

  onChange(listener: (change: SettingsChange) => void): () => void {
    this.#listeners = [...this.#listeners, listener];
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== listener);
    };
  }

  #placeOf(destination: SettingsDestination): SettingSource {
    const place = FILES[destination];
    if (place === undefined) throw invalid(`${JSON.stringify(destination)} names no settings file.`);
    if (!this.#first.config.settingSources.includes(place))
      throw invalid(
        `This session does not read the ${place} settings (settingSources), so it does not write them.`,
      );
    return place;
  }

  #resolveAgain(readBefore?: Resolution['filesRead']): Promise<Resolution> {
    return resolveConfig({ ...this.#input, options: this.#options, readBefore });
  }

  /** Loaded with the first write: few sessions change settings. */
  #writing(): Promise<SettingsWriter> {
    const { home: configHome, projectRoot } = this.#first.config;
    this.#writer ??= import('../../settings/write/write-settings.ts').then(({ createSettingsWriter }) =>
      createSettingsWriter({ configHome, projectRoot, files: this.#input.files }),
    );
    return this.#writer;
  }

  async #change(source: SettingSource, key: string, edit: (before: unknown) => unknown): Promise<string> {
    const before = REPOSITORY.includes(source) ? (await this.#resolveAgain()).project : undefined;
    const file = await (await this.#writing()).change(source, key, edit);
    if (before !== undefined) {
      const { keepTrust } = await import('../../settings/trust/keep-trust.ts');
      await keepTrust(before, await this.#resolveAgain(), this.#input);
    }
    for (const listener of this.#listeners)
      listener({ source: RULE_SOURCES[source] as SettingsChange['source'], file });
    return file;
  }
}

function invalid(message: string): TurnwrightError {
  return new TurnwrightError('invalid_option', message);
}
