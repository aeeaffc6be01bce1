/**
 * Where a search runs: the folder or file that was judged, held open so that it cannot be replaced meanwhile.
 */
import { join, relative, resolve, sep } from 'node:path';
import { isInside } from '@turnwright/base/files/inside.ts';
import { type HeldFolder, holdFolder, openPlain, PathMovedError } from '@turnwright/base/files/plain-path.ts';
import { refuseSecret } from '@turnwright/base/files/secret-files.ts';
import type { ToolContext } from '../../../protocol/tools/tool.ts';
import { kindRefusal, resolveFilePath } from '../files/file-access.ts';

export interface SearchPlace {
  /** The folder that ripgrep runs in; globs with a slash are relative to it. */
  readonly cwd: string;
  /** What it searches, relative to `cwd`; `-`: its input. */
  readonly path: string;
  /** Descriptor of the file that is its input. */
  readonly input?: number;
  /** Globs of excluded folders. */
  readonly without: readonly string[];
  /** The folder itself, for a search whose globs are relative to it. */
  readonly folder: string;
  /** A result of ripgrep in `cwd`, as the call spells it and resolved. */
  found(name: string): { readonly spelled: string; readonly real: string };
  /** The same, found in `folder`. */
  below(name: string): { readonly spelled: string; readonly real: string };
  close(): Promise<void>;
}

/** Folders of the kernel are not searched; shared memory holds ordinary files. */
const OF_THE_KERNEL = /^\/(?:proc|sys|dev(?!\/shm(?:\/|$)))(?:\/|$)/;
const NOT_WALKED = ['--glob', '!/proc', '--glob', '!/sys', '--glob', '!/dev'];

/** undefined: it does not exist. Throws a sentence for the model if it cannot be searched. */
export async function searchPlace(spelled: string, context: ToolContext): Promise<SearchPlace | undefined> {
  const real = await resolveFilePath(spelled, context);
  const stat = await context.files.lstat(real);
  if (stat === undefined) return undefined;
  refuseSecret(real);
  if (stat.kind === 'directory' && OF_THE_KERNEL.test(real))
    throw new Error(`${spelled} is a folder of the kernel, which is not searched.`);
  if (stat.kind === 'directory') return folderPlace(spelled, real, context);
  if (stat.kind === 'symlink') throw new PathMovedError(spelled);
  const refusal = kindRefusal(spelled, stat);
  if (refusal !== undefined) throw new Error(refusal);
  return filePlace(spelled, real, context);
}

async function filePlace(
  spelled: string,
  real: string,
  { cwd }: ToolContext,
): Promise<SearchPlace | undefined> {
  const file = (await openPlain(real))?.file;
  if (file === undefined) return undefined;
  const found = () => ({ spelled, real });
  const close = () => file.close();
  // ripgrep skips binary files in a folder, but reads every byte of a given file.
  const head = Buffer.alloc(8192);
  const { bytesRead } = await file.read(head, 0, head.length, 0);
  if (looksBinary(head.subarray(0, bytesRead))) {
    await close();
    throw new Error(`${spelled} is a binary file, which is not searched.`);
  }
  return { cwd, folder: cwd, path: '-', input: file.fd, without: [], found, below: found, close };
}

/** UTF-16 is text although it holds zeros: it says so in its first bytes. */
function looksBinary(head: Uint8Array): boolean {
  const mark = ((head[0] ?? 0) << 8) | (head[1] ?? 0);
  return head.includes(0) && mark !== 0xfeff && mark !== 0xfffe;
}

async function folderPlace(spelled: string, real: string, { cwd, files }: ToolContext): Promise<SearchPlace> {
  const from = await files.realpath(cwd).catch(() => real);
  const base = isInside(real, from) ? from : real;
  const folder = await holdFolder(real);
  const held = base === real ? folder : await heldToo(base, folder);
  return {
    cwd: held.at('.'),
    folder: folder.at('.'),
    path: `./${relative(base, real)}`,
    without: real === sep ? NOT_WALKED : [],
    found(name) {
      const place = resolve(base, name);
      return { spelled: join(spelled, relative(real, place)), real: place };
    },
    below: (name) => ({ spelled: join(spelled, name), real: join(real, name) }),
    async close() {
      await folder.close();
      if (held !== folder) await held.close();
    },
  };
}

async function heldToo(path: string, first: HeldFolder): Promise<HeldFolder> {
  try {
    return await holdFolder(path);
  } catch (error) {
    await first.close();
    throw error;
  }
}
