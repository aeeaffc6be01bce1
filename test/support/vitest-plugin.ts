/** For vitest's configuration: nothing, unless `TURNWRIGHT_KEEP_SESSIONS` names a folder. */
import { join } from 'node:path';

const ON = process.env['TURNWRIGHT_KEEP_SESSIONS'] !== undefined;
const OWN = join(import.meta.dirname, 'recording-store.ts');

export const keepingSessions = {
  setupFiles: ON ? [join(import.meta.dirname, 'set-up.ts')] : [],
  plugins: ON
    ? [
        {
          name: 'kept-sessions',
          enforce: 'pre' as const,
          resolveId: (source: string, importer: string | undefined) =>
            /recording-store\.ts$/.test(source) && importer !== OWN ? OWN : undefined,
        },
      ]
    : [],
};
