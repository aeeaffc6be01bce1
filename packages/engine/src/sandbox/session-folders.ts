/** Private folders of one sandbox, outside of what isolated programs see. */
import { mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SandboxFolders } from './linux/bwrap-arguments.ts';

export interface SessionFolders extends SandboxFolders {
  readonly base: string;
}

/** For its user only, with an unpredictable name. */
export async function openFolders(): Promise<SessionFolders> {
  const base = await mkdtemp(join(tmpdir(), 'turnwright-sandbox-'));
  const folders = {
    base,
    tmp: join(base, 'tmp'),
    empty: join(base, 'empty'),
    nothing: join(base, 'nothing'),
  };
  await mkdir(folders.tmp, { mode: 0o700 });
  await mkdir(folders.empty, { mode: 0o555 });
  await writeFile(folders.nothing, '', { mode: 0o444 });
  return folders;
}

export async function removeFolders({ base }: SessionFolders): Promise<void> {
  await rm(base, { recursive: true, force: true }).catch(() => {});
}

interface OpenFile {
  readonly descriptor: number;
  close(): Promise<void>;
}

/** A file with these bytes, open at its start: each reader needs a descriptor of its own. */
export async function openBytes(path: string, bytes: Buffer): Promise<OpenFile> {
  await writeFile(path, bytes, { mode: 0o600, flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  const handle = await open(path, 'r');
  return { descriptor: handle.fd, close: () => handle.close().catch(() => {}) };
}
