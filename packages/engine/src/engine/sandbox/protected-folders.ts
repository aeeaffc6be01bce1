/** Folders that rules and the sandbox protect, because of what is in them. */
import { join, relative, sep } from 'node:path';
import { isInside } from '@turnwright/base/files/inside.ts';
import { compiledCode } from '@turnwright/base/process/compile-cache.ts';
import type { QueryEngineConfig } from '../config.ts';

/**
 * What plugins bring, or would once they are read again, and code that the next process runs, in whatever
 * folder they are.
 */
export function foldersThatRun({ plugins, env = {} }: QueryEngineConfig): readonly string[] {
  return [...(plugins?.folders ?? []), ...compiledCode(env, process.platform)];
}

/** The user's own configuration too. */
export function protectedFolders(config: QueryEngineConfig) {
  const { cwd, home } = config;
  const roots = foldersThatRun(config).map((path) => ({ path }));
  if (home === undefined) return roots;
  // A project that was put into the home is a project all the same.
  const [first = ''] = isInside(cwd, home) ? relative(home, cwd).split(sep) : [];
  const isProject = first !== '' && !PARTS_OF_A_HOME.test(first);
  return [...roots, { path: home, except: isProject ? join(home, first) : undefined }];
}

/** Folders of a configuration home. */
const PARTS_OF_A_HOME =
  /^(?:\..*|skills|agents|agent-memory|commands|hooks|output-styles|plans|plugins|projects|rules|tasks)$/i;
