/**
 * What may be on a disk after the power has failed: each file keeps what was synced and any part of what was not, cut off
 * at any byte or filled with zeros; each folder keeps the names that were synced and any first part of its later changes.
 */

import { dirname } from 'node:path';
import type { RandomPort } from '@turnwright/engine/protocol/ports.ts';
import type { TraceLine } from './disk-trace.ts';

/** Bytes by path. */
export type Image = ReadonlyMap<string, Buffer>;

interface Inode {
  bytes: Buffer;
  synced: Buffer;
}

type Change =
  | { readonly add: string; readonly inode: Inode; readonly remove?: string }
  | { readonly remove: string; readonly add?: undefined; readonly inode?: undefined };

export class Disk {
  /** As a running program sees it. */
  readonly #names = new Map<string, Inode>();
  readonly #durable = new Map<string, Inode>();
  /** Changes of names that no sync of their folder has made durable, in order. */
  #pending: Change[] = [];

  apply(line: TraceLine): void {
    switch (line.op) {
      case 'create': {
        const inode = { bytes: Buffer.alloc(0), synced: Buffer.alloc(0) };
        this.#change({ add: line.path, inode });
        return;
      }
      case 'append': {
        if (!this.#names.has(line.path)) this.apply({ op: 'create', path: line.path });
        const inode = this.#names.get(line.path) as Inode;
        inode.bytes = Buffer.concat([inode.bytes, Buffer.from(line.data, 'base64')]);
        return;
      }
      case 'truncate': {
        const inode = this.#names.get(line.path);
        if (inode !== undefined) inode.bytes = inode.bytes.subarray(0, line.length);
        return;
      }
      case 'sync': {
        const inode = this.#names.get(line.path);
        if (inode !== undefined) inode.synced = inode.bytes;
        else this.#syncFolder(line.path);
        return;
      }
      case 'rename': {
        const inode = this.#names.get(line.path);
        if (inode !== undefined) this.#change({ remove: line.path, add: line.to, inode });
        return;
      }
      case 'link': {
        const inode = this.#names.get(line.path);
        if (inode !== undefined) this.#change({ add: line.to, inode });
        return;
      }
      case 'unlink':
        this.#change({ remove: line.path });
        return;
      case 'mkdir':
      case 'result':
        return;
    }
  }

  /** What is there of a file for certain; undefined: perhaps not even its name. */
  certain(path: string): Buffer | undefined {
    return this.#durable.get(path)?.synced;
  }

  /** Images that a loss of power may leave now, each one once: the extremes, then `count` others. */
  *images(count: number, random: RandomPort): Generator<Image> {
    const seen = new Set<string>();
    const choices: [number, () => [number, boolean]][] = [
      [0, () => [0, false]],
      [1, () => [1, false]],
      [1, () => [0, false]],
      [1, () => [1, true]],
      ...Array.from({ length: count }, (): [number, () => [number, boolean]] => [
        random() < 0.7 ? 1 : random(),
        () => [random(), random() < 0.3],
      ]),
    ];
    for (const [names, content] of choices) {
      const kept = Math.round(names * this.#pending.length);
      const found = new Map(this.#durable);
      for (const change of this.#pending.slice(0, kept)) applyTo(found, change);
      let key = `${kept}`;
      const image = new Map<string, Buffer>();
      const chosen = new Map<Inode, Buffer>();
      for (const [path, inode] of found) {
        let bytes = chosen.get(inode);
        if (bytes === undefined) {
          const [part, isZero] = content();
          bytes = after(inode, part, isZero);
          chosen.set(inode, bytes);
          if (inode.bytes !== inode.synced) key += `|${path} ${bytes.length} ${isZero ? part : ''}`;
        }
        image.set(path, bytes);
      }
      if (seen.has(key)) continue;
      seen.add(key);
      yield image;
    }
  }

  #change(change: Change): void {
    applyTo(this.#names, change);
    this.#pending.push(change);
  }

  #syncFolder(folder: string): void {
    const isHere = ({ add, remove }: Change) =>
      (add !== undefined && dirname(add) === folder) || (remove !== undefined && dirname(remove) === folder);
    for (const change of this.#pending.filter(isHere)) applyTo(this.#durable, change);
    this.#pending = this.#pending.filter((change) => !isHere(change));
  }
}

function applyTo(names: Map<string, Inode>, change: Change): void {
  if (change.remove !== undefined) names.delete(change.remove);
  if (change.add !== undefined) names.set(change.add, change.inode);
}

/** `part` of what was written behind the synced bytes; zeros in place of its last half, as after a lost write of data. */
function after({ bytes, synced }: Inode, part: number, isZero: boolean): Buffer {
  if (bytes === synced) return bytes;
  const isAppended = bytes.length >= synced.length;
  if (!isAppended) return part < 0.5 ? synced : bytes;
  const length = synced.length + Math.round((bytes.length - synced.length) * part);
  const kept = Buffer.from(bytes.subarray(0, length));
  if (isZero) kept.fill(0, synced.length + Math.floor((length - synced.length) / 2));
  return kept;
}
