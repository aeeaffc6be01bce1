/** The file that the setting `modelsFile` names: sizes and prices of models, with a version and a source. */
import { resolve } from 'node:path';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { errorText } from '@turnwright/base/text/error-text.ts';
import type { ModelSettings } from '../settings-keys.ts';
import { invalidSettings, parseSettingsJson } from './parse-settings.ts';

type Models = Readonly<Record<string, ModelSettings>>;

interface ModelsFilePlace {
  /** Absolute: what a relative path is relative to. */
  readonly cwd: string;
  readonly homeDirectory: string | undefined;
  readonly files: Pick<PersistentFiles, 'readFile'>;
}

/**
 * Each price says the version and the source of the file. Throws `invalid_settings`, which names the file.
 */
export async function readModelsFile(
  name: string,
  { cwd, homeDirectory, files }: ModelsFilePlace,
): Promise<Models> {
  const file = resolve(cwd, name.replace(/^~(?=\/|$)/, homeDirectory ?? '~'));
  let text: string;
  try {
    text = new TextDecoder().decode(await files.readFile(file));
  } catch (cause) {
    throw invalidSettings(
      file,
      `the setting modelsFile names it, and it cannot be read: ${errorText(cause)}`,
      cause,
    );
  }
  const value = parseSettingsJson(text, file);
  const { modelsFileSchema } = await import('./settings-schema.ts');
  const parsed = modelsFileSchema.safeParse(value);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(
      ({ path, message }) => `${path.join('.') || 'the whole file'}: ${message}`,
    );
    throw invalidSettings(file, problems.join('; '));
  }
  const { version, source, models } = parsed.data;
  return Object.fromEntries(
    Object.entries(models).map(([id, { price, ...sizes }]) => [
      id,
      { ...sizes, ...(price !== undefined && { price: { ...price, asOf: version, publishedAt: source } }) },
    ]),
  );
}
