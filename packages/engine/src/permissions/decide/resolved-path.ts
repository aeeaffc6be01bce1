import { isAbsolute, resolve, sep } from 'node:path';
import { goesByProcess } from '@turnwright/base/files/process-links.ts';
import { type PathReader, realPath } from '@turnwright/base/files/real-path.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { codeOf } from '@turnwright/base/text/error-text.ts';
import { type LinkedFiles, linkedFiles } from '../rules/other-names.ts';
import { Steps } from './steps.ts';

export type { PathReader };

export interface ResolvedPath {
  /** Absolute, as spelled, `.` and `..` taken out. */
  readonly spelled: string;
  /**
   * The resolved path; undefined if it cannot be determined (a dangling link, a loop, no access, another
   * process).
   */
  readonly real: string | undefined;
  /**
   * Something is at the path, or may be, and a link, or the lack of access, hides where: a command may open
   * any file by it.
   */
  readonly lost?: true;
}

/** What it costs to look at the disk, in steps: the system call itself runs beside us. */
const STEPS_OF_A_LOOK = 40;

/** Looks at each path once, however many rules are held against it. `kept`: what earlier calls have found. */
function once<T>(
  steps: Pick<Steps, 'take'>,
  look: (path: string) => Promise<T>,
  kept: KeptLooks | undefined,
  kind: string,
): (path: string) => Promise<T> {
  const known = new Map<string, Promise<T>>();
  return (path) => {
    let found = known.get(path);
    if (found === undefined) {
      steps.take(STEPS_OF_A_LOOK + (path.length >> 4));
      found = kept === undefined ? look(path) : kept(kind + path, () => look(path));
      known.set(path, found);
    }
    return found;
  };
}

/** What was found under a key, or is now. */
export type KeptLooks = <T>(key: string, look: () => Promise<T>) => Promise<T>;

/** Without `readDir` or `readLink`, the content of a folder or the target of a link is unknown. */
export type DiskReader = PathReader &
  Partial<Pick<PersistentFiles, 'readDir' | 'readKinds' | 'readLink' | 'readRange'>> & {
    /** Of a reader that takes the disk as of one moment: calls share what they find. */
    readonly kept?: KeptLooks;
  };

/** Looks at the disk, for one call. */
export function lookFrom(files: DiskReader, cwd: string, steps: Steps = new Steps()) {
  const { kept } = files;
  const stat = once(steps, (path) => files.lstat(path).catch(() => undefined), kept, 'stat ');
  const resolved = once(steps, (path) => resolvePath(files, cwd, path), kept, `real ${cwd}\0`);
  let linked: Map<string, Promise<LinkedFiles>> | undefined;
  return {
    entries: once(steps, (path) => readEntries(files, path), kept, 'entries '),
    /** Symlinks of the deepest existing ancestor are followed (F89). */
    resolve: (path: string) => resolved(path === '.' ? cwd : path),
    async isFolder(path: string): Promise<boolean> {
      return (await stat(path))?.kind === 'directory';
    },
    stat,
    steps,
    linked(key: string, base: string, covers: (path: string) => boolean): Promise<LinkedFiles> {
      linked ??= new Map();
      const known = linked.get(key) ?? linkedFiles(base, covers, files);
      linked.set(key, known);
      return known;
    },
  };
}

async function readEntries(files: DiskReader, path: string): Promise<readonly string[] | undefined> {
  try {
    return await files.readDir?.(path);
  } catch (error) {
    const code = codeOf(error);
    return code === 'ENOENT' || code === 'ENOTDIR' ? [] : undefined;
  }
}

/** No system opens longer ones, and to look for the parts of one costs a call for each. */
const MOST_CHARS = sep === '/' ? 4096 : 32_767;

/** What a command already holds open under these names, another one does too. */
const STANDARD_STREAM = /^\/dev\/std(?:in|out|err)$/;

async function resolvePath(files: DiskReader, cwd: string, path: string): Promise<ResolvedPath> {
  const spelled = resolve(cwd, path);
  if (path.length > MOST_CHARS || path.includes('\0')) return { spelled, real: undefined };
  const climb = await checkClimb(files, cwd, path);
  const real = climb === 'alike' ? await realPath(files, spelled) : undefined;
  if (real === spelled || climb === 'absent' || STANDARD_STREAM.test(path)) return { spelled, real };
  const written = isAbsolute(path) ? path : `${cwd}/${path}`;
  const lost = real === undefined || (sep === '/' && (await goesByProcess(written, files)));
  return lost ? { spelled, real: undefined, lost } : { spelled, real };
}

/**
 * `link/../x` is one place to the kernel and another on paper; a path for which the two differ has no answer.
 * `absent`: what is climbed out of is not there.
 */
async function checkClimb(
  files: PathReader,
  cwd: string,
  path: string,
): Promise<'alike' | 'unlike' | 'absent'> {
  const at = Math.max(path.lastIndexOf('/..'), path.lastIndexOf('\\..'));
  if (at < 0) return 'alike';
  const climb = path.slice(0, at + 3);
  const onDisk = isAbsolute(climb) ? climb : `${cwd}${sep}${climb}`;
  try {
    const same = (await files.realpath(onDisk)) === (await files.realpath(resolve(cwd, climb)));
    return same ? 'alike' : 'unlike';
  } catch {
    return 'absent';
  }
}
