import { readHandWrittenJson } from '@turnwright/base/files/plain-json.ts';
import { errorText } from '@turnwright/base/text/error-text.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import type { Settings } from '../settings-keys.ts';

/**
 * Checks an object that was given by hand. Throws `invalid_settings` that names the source, the key and what
 * was expected. zod is loaded here, so that a run without settings does not load it.
 */
export async function parseSettings(value: unknown, file: string): Promise<Settings> {
  const { settingsSchema } = await import('./settings-schema.ts');
  const parsed = settingsSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(
    ({ path, message }) => `${path.length === 0 ? 'the whole file' : path.map(String).join('.')}: ${message}`,
  );
  throw invalidSettings(file, problems.join('; '));
}

/**
 * Reads JSON text; a byte order mark, comments and commas behind a last element are allowed, and a blank text
 * is an empty object.
 */
export function parseSettingsJson(text: string, file: string): unknown {
  try {
    return readHandWrittenJson(text);
  } catch (cause) {
    throw invalidSettings(file, `it is not JSON: ${errorText(cause)}`, cause);
  }
}

export function invalidSettings(file: string, problem: string, cause?: unknown): TurnwrightError {
  return new TurnwrightError('invalid_settings', `Settings in ${file} cannot be used: ${problem}`, { cause });
}
