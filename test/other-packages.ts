/** The packages that this repository does not hold, for bundles which leave them out: `external` of esbuild. */
import { readFileSync } from 'node:fs';

const { dependencies, devDependencies, peerDependencies } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, Readonly<Record<string, string>>>>;

export const OTHER_PACKAGES: string[] = Object.keys({
  ...dependencies,
  ...devDependencies,
  ...peerDependencies,
});
