import { TurnwrightError } from '../../protocol/errors.ts';
import { errorText } from '../../util/text/error-text.ts';
import type { Settings } from '../settings.ts';

/**
 * Checks the content of a settings file or an inline object. Throws `invalid_settings` that names the file,
 * the key and what was expected: a deny rule that cannot be read must stop the run, not be lost (test 109).
 * zod is loaded here, so that a run without settings does not load it.
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

/** Reads JSON text; a byte order mark, comments and commas behind a last element are allowed. */
export function parseSettingsJson(text: string, file: string): unknown {
  try {
    return JSON.parse(plainJson(text));
  } catch (cause) {
    throw invalidSettings(file, `it is not JSON: ${errorText(cause)}`, cause);
  }
}

/** Plain JSON in which everything is where it was: blanks replace what JSON does not have. */
export const plainJson = (text: string): string =>
  text
    .replace(/^\uFEFF/, ' ')
    .replace(
      /("(?:\\.|[^"\\])*")|\/\/.*|\/\*[\s\S]*?\*\//g,
      (part, string) => string ?? part.replace(/\S/g, ' '),
    )
    .replace(/("(?:\\.|[^"\\])*")|,(?=\s*[}\]])/g, (_, string) => string ?? ' ');

export function invalidSettings(file: string, problem: string, cause?: unknown): TurnwrightError {
  return new TurnwrightError('invalid_settings', `Settings in ${file} cannot be used: ${problem}`, { cause });
}
