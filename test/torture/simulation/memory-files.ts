/** Files in memory that outlive the simulated process, and the view that one process has of them. */
import { dirname } from 'node:path';
import { wholeData } from '@turnwright/base/files/write-atomic.ts';
import type { AppendHandle, FileStat, PersistentFiles } from '@turnwright/base/persistent-files.ts';

interface Stored {
  parts: Buffer[];
  size: number;
  mtimeMs: number;
  readonly mode: number;
  readonly ino: number;
}

/** A disk. */
export class MemoryDisk {
  readonly #files = new Map<string, Stored>();
  readonly #folders = new Set<string>(['/']);
  #inodes = 0;

  get(path: string): Stored | undefined {
    return this.#files.get(path);
  }

  read(path: string): Buffer {
    const file = this.#files.get(path);
    if (file === undefined) throw codeError('ENOENT', path);
    if (file.parts.length > 1) file.parts = [Buffer.concat(file.parts)];
    return file.parts[0] ?? Buffer.alloc(0);
  }

  create(path: string, mode: number, nowMs: number): Stored {
    if (!this.#folders.has(dirname(path))) throw codeError('ENOENT', path);
    const file = { parts: [], size: 0, mtimeMs: nowMs, mode, ino: ++this.#inodes };
    this.#files.set(path, file);
    return file;
  }

  append(file: Stored, bytes: Buffer, nowMs: number): void {
    file.parts.push(bytes);
    file.size += bytes.length;
    file.mtimeMs = nowMs;
  }

  truncate(path: string, length: number): void {
    const bytes = this.read(path);
    const file = this.#files.get(path) as Stored;
    file.parts = [bytes.subarray(0, length)];
    file.size = length;
  }

  move(from: string, to: string): void {
    const file = this.#files.get(from);
    if (file === undefined) throw codeError('ENOENT', from);
    this.#files.delete(from);
    this.#files.set(to, file);
  }

  link(file: string, name: string): void {
    if (this.#files.has(name)) throw codeError('EEXIST', name);
    const stored = this.#files.get(file);
    if (stored === undefined) throw codeError('ENOENT', file);
    this.#files.set(name, stored);
  }

  remove(path: string): void {
    this.#files.delete(path);
    const below = `${path}/`;
    for (const other of [...this.#files.keys()]) if (other.startsWith(below)) this.#files.delete(other);
    for (const folder of [...this.#folders])
      if (folder === path || folder.startsWith(below)) this.#folders.delete(folder);
  }

  makeFolder(path: string): void {
    for (let folder = path; !this.#folders.has(folder); folder = dirname(folder)) this.#folders.add(folder);
  }

  has(path: string): boolean {
    return this.#files.has(path) || this.#folders.has(path);
  }

  isFolder(path: string): boolean {
    return this.#folders.has(path);
  }

  list(path: string): string[] {
    if (!this.#folders.has(path)) throw codeError('ENOENT', path);
    const below = path === '/' ? '/' : `${path}/`;
    const names = [...this.#files.keys(), ...this.#folders].filter(
      (other) => other !== path && other.startsWith(below),
    );
    return [...new Set(names.map((name) => name.slice(below.length).split('/')[0] as string))].sort();
  }
}

export interface DiskWeather {
  /** Asked before each call that changes the disk. A code fails it; `part` of an append is written first. */
  fault(operation: string): { readonly code: string; readonly part: number } | undefined;
  /** Called with what was appended. */
  wrote?(path: string, bytes: Buffer): void;
  nowMs(): number;
  /** A process that has died changes nothing, and what it waits for never comes. */
  readonly isDead: boolean;
}

/** What one process sees of the disk. */
export function filesOn(disk: MemoryDisk, weather: DiskWeather): PersistentFiles {
  const never = new Promise<never>(() => {});
  /** Work that is done at once: a promise of its result. */
  const done = async <T>(work: () => T): Promise<T> => (weather.isDead ? never : work());
  const changed = async <T>(operation: string, path: string, work: () => T): Promise<T> => {
    if (weather.isDead) return never;
    const fault = weather.fault(operation);
    if (fault !== undefined) throw codeError(fault.code, path);
    return work();
  };
  const bytesOf = (data: Uint8Array | string) => Buffer.from(data as string);
  const statOf = (path: string): FileStat | undefined => {
    const file = disk.get(path);
    if (file === undefined)
      return disk.isFolder(path)
        ? { kind: 'directory', size: 0, mtimeMs: 0, mode: 0o700, ino: 0 }
        : undefined;
    return { kind: 'file', size: file.size, mtimeMs: file.mtimeMs, mode: file.mode, ino: file.ino, links: 1 };
  };
  const write = (path: string, data: Uint8Array | string, mode: number) =>
    disk.append(disk.create(path, mode, weather.nowMs()), bytesOf(data), weather.nowMs());

  return {
    readFile: (path) => done(() => disk.read(path)),
    readSmall: (path) => done(() => (disk.get(path) === undefined ? undefined : disk.read(path))),
    readRange: (path, offset, length) => done(() => disk.read(path).subarray(offset, offset + length)),
    readPlain: (path, maxBytes, { cut = false } = {}) =>
      done(() => {
        const stat = statOf(path);
        if (stat === undefined) return undefined;
        if (stat.kind !== 'file' || (stat.size > maxBytes && !cut)) return { stat };
        return { stat, bytes: disk.read(path).subarray(0, maxBytes) };
      }),
    stat: (path) => done(() => statOf(path)),
    exists: (path) => done(() => disk.has(path)),
    lstat: (path) => done(() => statOf(path)),
    realpath: (path) =>
      done(() => {
        if (!disk.has(path)) throw codeError('ENOENT', path);
        return path;
      }),
    readLink: (path) =>
      done((): string => {
        throw codeError('EINVAL', path);
      }),
    readDir: (path) => done(() => disk.list(path)),
    makeDir: (path) => changed('makeDir', path, () => disk.makeFolder(path)),
    writeAtomic: (path, data, { mode = 0o644 } = {}) =>
      changed('writeAtomic', path, () => {
        disk.makeFolder(dirname(path));
        write(path, wholeData(data), mode);
      }),
    createExclusive: (path, data, mode) =>
      changed('createExclusive', path, () => {
        if (disk.has(path)) throw codeError('EEXIST', path);
        write(path, data, mode);
      }),
    link: (file, name) => changed('link', name, () => disk.link(file, name)),
    openAppend: (path, mode) =>
      changed('openAppend', path, () => {
        const file = disk.get(path) ?? disk.create(path, mode, weather.nowMs());
        const handle: AppendHandle = {
          append(data) {
            if (weather.isDead) return never;
            const bytes = bytesOf(data);
            const fault = weather.fault('append');
            const taken = fault === undefined ? bytes.length : Math.floor(bytes.length * fault.part);
            if (taken > 0) disk.append(file, bytes.subarray(0, taken), weather.nowMs());
            weather.wrote?.(path, bytes);
            return fault === undefined ? undefined : Promise.reject(codeError(fault.code, path));
          },
          sync: () => changed('sync', path, () => undefined),
          size: () => file.size,
          close: () => done(() => undefined),
        };
        return handle;
      }),
    truncate: (path, length) => changed('truncate', path, () => disk.truncate(path, length)),
    remove: (path) => changed('remove', path, () => disk.remove(path)),
    removeSmall: (path) => changed('remove', path, () => disk.remove(path)),
    removeTree: (path) => changed('remove', path, () => disk.remove(path)),
    rename: (from, to) => changed('rename', to, () => disk.move(from, to)),
  };
}

function codeError(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: simulated, '${path}'`), { code });
}
