/** Where ripgrep is: installed with this package, else on PATH. */
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';

const PROGRAM = process.platform === 'win32' ? 'rg.exe' : 'rg';

/** In words that no bundler follows: some would put the program itself into the bundle. */
const PACKAGE = ['@vscode', 'ripgrep'].join('/');

let installed: string | undefined | null = null;

/**
 * undefined: it is nowhere. `env`: only absolute folders of its PATH count, as a relative one would be in the
 * working directory.
 */
export async function findRipgrep(
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  if (installed === null) installed = await installedWithPackage();
  if (installed !== undefined) return installed;
  for (const folder of (env['PATH'] ?? '').split(delimiter).filter(isAbsolute)) {
    const program = join(folder, PROGRAM);
    if (await canRun(program)) return program;
  }
  return undefined;
}

/**
 * The package that is for this machine, an optional dependency of the other one. It is found from this file,
 * or from the program of the process: a bundle may have put this file somewhere else.
 */
async function installedWithPackage(): Promise<string | undefined> {
  const { createRequire } = process.getBuiltinModule('node:module');
  for (const from of [import.meta.url, process.argv[1]]) {
    try {
      const entry = createRequire(from as string).resolve(PACKAGE);
      const program = createRequire(entry).resolve(
        `${PACKAGE}-${process.platform}-${process.arch}/bin/${PROGRAM}`,
      );
      if (await canRun(program)) return program;
    } catch {
      // Not there.
    }
  }
  return undefined;
}

const canRun = (program: string) =>
  access(program, constants.X_OK).then(
    () => true,
    () => false,
  );
