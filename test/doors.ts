/** The sources of what a caller imports, for compilers: what is tested is the code, not the last build of it. */
import { join } from 'node:path';

const DOORS = {
  turnwright: 'engine/src/index.ts',
  'turnwright/testing': 'testing/src/testing/index.ts',
  'turnwright/rehearsal': 'testing/src/rehearsal/index.ts',
  'turnwright/durable': 'durable/src/index.ts',
  'turnwright/web': 'web/src/index.ts',
  'turnwright/web/client': 'web/src/browser/index.ts',
};

/** As `paths` of a TypeScript configuration. */
export const PATHS = Object.fromEntries(
  Object.entries(DOORS).map(([name, file]) => [name, [join(import.meta.dirname, '../packages', file)]]),
);
