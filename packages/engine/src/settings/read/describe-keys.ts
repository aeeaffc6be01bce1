/** The keys of settings with the kind of their values, for programs that let a person change them. */
import { z } from 'zod';
import { SCREEN_KEYS } from '../settings-keys.ts';
import { settingsSchema } from './settings-schema.ts';

export interface SettingKey {
  /** With its path: `sandbox.enabled`. */
  readonly key: string;
  /** `other`: a list, an object, or one of several kinds. */
  readonly kind: 'flag' | 'choice' | 'number' | 'text' | 'other';
  /** Of a `choice`. */
  readonly values?: readonly string[];
  /** The screen's: it counts in the user's own file alone. */
  readonly isOnlyOwn: boolean;
}

interface JsonKey {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, JsonKey>>;
}

/** Objects whose fields are keys in their own right. */
const OPENED = ['permissions', 'sandbox'];

export function describeKeys(): readonly SettingKey[] {
  const { properties = {} } = z.toJSONSchema(settingsSchema, {
    io: 'input',
    unrepresentable: 'any',
  }) as JsonKey;
  return Object.entries(properties).flatMap(([key, schema]) =>
    OPENED.includes(key)
      ? Object.entries(schema.properties ?? {}).map(([inner, of]) => describeKey(`${key}.${inner}`, of))
      : [describeKey(key, schema)],
  );
}

const KINDS: Readonly<Record<string, SettingKey['kind']>> = {
  boolean: 'flag',
  integer: 'number',
  number: 'number',
  string: 'text',
};

function describeKey(key: string, { type = '', enum: values, const: only }: JsonKey): SettingKey {
  const isOnlyOwn = (SCREEN_KEYS as readonly string[]).includes(key);
  const choices = values ?? (only === undefined ? undefined : [only]);
  if (choices !== undefined) return { key, kind: 'choice', values: choices.map(String), isOnlyOwn };
  return { key, kind: KINDS[type] ?? 'other', isOnlyOwn };
}
