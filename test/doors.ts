/** The sources of what a caller imports, for compilers: what is tested is the code, not the last build of it. */
import { join } from 'node:path';

const DOORS = {
  turnwright: 'index.ts',
  'turnwright/testing': 'testing/index.ts',
  'turnwright/rehearsal': 'rehearsal/index.ts',
  'turnwright/durable': 'durable/index.ts',
  'turnwright/web': 'page/index.ts',
  'turnwright/web/client': 'page/browser/index.ts',
};

/** As `paths` of a TypeScript configuration. */
export const PATHS = Object.fromEntries(
  Object.entries(DOORS).map(([name, file]) => [name, [join(import.meta.dirname, '../src', file)]]),
);
