import type { PermissionSettings, Settings, SettingsLayer } from '../settings-keys.ts';
import { layLayers } from './merge-layers.ts';

/** The effective settings, and the source of each. */
export interface SettingsReport {
  readonly effective: Settings;
  /** For each key of `effective`, the strongest source that names it. */
  readonly provenance: { readonly [K in keyof Settings]?: SettingsOrigin };
  /** Weakest first. */
  readonly sources: readonly (SettingsOrigin & { readonly settings: Settings })[];
}

interface SettingsOrigin {
  readonly source: SettingsLayer['source'];
  /** Of a file. */
  readonly path?: string;
}

export function describeLayers(layers: readonly SettingsLayer[]): SettingsReport {
  const permissions = layPermissions(layers);
  const laid = { ...layLayers(layers), ...(permissions !== undefined && { permissions }) };
  const provenance: Record<string, SettingsOrigin> = {};
  for (const layer of layers)
    for (const [key, value] of Object.entries(layer.settings))
      if (value !== undefined && key in laid) provenance[key] = toOrigin(layer);
  return {
    effective: withoutUndefined(laid),
    provenance,
    sources: layers.map((layer) => ({ ...toOrigin(layer), settings: withoutUndefined(layer.settings) })),
  };
}

/** Rules and folders are combined; for other keys the strongest layer wins. */
function layPermissions(layers: readonly SettingsLayer[]): PermissionSettings | undefined {
  const said = layers.flatMap(({ settings }) => settings.permissions ?? []);
  if (said.length === 0) return undefined;
  const laid: Record<string, unknown> = {};
  for (const permissions of said) {
    for (const [key, value] of Object.entries(permissions)) {
      if (value === undefined) continue;
      const below = laid[key];
      laid[key] = Array.isArray(value) && Array.isArray(below) ? [...new Set([...below, ...value])] : value;
    }
  }
  return laid;
}

function toOrigin({ source, file }: SettingsLayer): SettingsOrigin {
  return { source, ...(/[\\/]/.test(file) && { path: file }) };
}

function withoutUndefined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as T;
}
