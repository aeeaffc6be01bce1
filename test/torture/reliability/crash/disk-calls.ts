/**
 * Sees every call of Node's file system that changes a disk, in the process that makes it, before it is made. Patches
 * the module itself: what is seen are the calls of the real program.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

export interface DiskCall {
  readonly name: string;
  readonly args: readonly unknown[];
  /** The path of a descriptor that was opened here. */
  readonly path: string | undefined;
}

type Anything = (...args: unknown[]) => unknown;
type Patched = Record<string, Anything>;

const BY_PATH = [
  'mkdirSync',
  'renameSync',
  'unlinkSync',
  'linkSync',
  'truncateSync',
  'writeFileSync',
  'rmSync',
];
const BY_DESCRIPTOR = ['writeSync', 'fdatasyncSync', 'fsyncSync', 'ftruncateSync'];
const WITH_CALLBACK = ['fdatasync', 'fsync'];
const OF_PROMISES = ['rename', 'unlink', 'rm', 'mkdir', 'truncate', 'writeFile', 'link'];
const OF_HANDLES = ['write', 'writeFile', 'sync', 'datasync', 'truncate'];

/** `before` may end the process, or do a part of the call itself. Descriptors 0 to 2 are not looked at. */
export async function watchDiskCalls(before: (call: DiskCall) => void, after?: (call: DiskCall) => void) {
  const paths = new Map<number, string>();
  const module = fs as unknown as Patched;
  const promises = fs.promises as unknown as Patched;
  const patch = (
    target: Patched,
    names: readonly string[],
    pathOf: (args: readonly unknown[], self: unknown) => string | undefined,
  ) => {
    for (const name of names) {
      const original = target[name] as Anything;
      target[name] = function (this: unknown, ...args: unknown[]) {
        const call = { name, args, path: pathOf(args, this) };
        if (call.path === undefined) return original.apply(this, args);
        before(call);
        const done = args.at(-1);
        if (typeof done === 'function' && after !== undefined)
          args[args.length - 1] = (...answer: unknown[]) => {
            after(call);
            done(...answer);
          };
        const result = original.apply(this, args);
        if (result instanceof Promise) {
          return result.then((value) => {
            after?.(call);
            return value;
          });
        }
        if (typeof done !== 'function') after?.(call);
        return result;
      };
    }
  };
  const byPath = ([path]: readonly unknown[]) => (typeof path === 'string' ? path : undefined);
  const byDescriptor = ([fd]: readonly unknown[]) => paths.get(Number(fd));
  patch(module, BY_PATH, byPath);
  patch(module, [...BY_DESCRIPTOR, ...WITH_CALLBACK], byDescriptor);
  patch(promises, OF_PROMISES, byPath);

  const creates = (path: unknown, flags: unknown) =>
    typeof path === 'string' &&
    (typeof flags === 'string' ? /[wa]/.test(flags) : (Number(flags) & fs.constants.O_CREAT) !== 0) &&
    !fs.existsSync(path);
  const openSync = module['openSync'] as Anything;
  module['openSync'] = (path, flags, ...rest) => {
    const call = { name: 'create', args: [path], path: String(path) };
    const isNew = creates(path, flags);
    if (isNew) before(call);
    const fd = openSync(path, flags, ...rest) as number;
    if (typeof path === 'string') paths.set(fd, path);
    if (isNew) after?.(call);
    return fd;
  };
  const opened = new WeakMap<object, string>();
  const open = promises['open'] as Anything;
  promises['open'] = async (path, flags, ...rest) => {
    const call = { name: 'create', args: [path], path: String(path) };
    const isNew = creates(path, flags);
    if (isNew) before(call);
    const handle = (await open.call(promises, path, flags, ...rest)) as object;
    if (typeof path === 'string') opened.set(handle, path);
    if (isNew) after?.(call);
    return handle;
  };
  const handle = await fs.promises.open('/dev/null');
  const prototype = Object.getPrototypeOf(handle) as Patched;
  await handle.close();
  patch(prototype, OF_HANDLES, (_, self) => opened.get(self as object));
  syncBuiltinESMExports();
}
