/** Where the command line keeps its compiled code, and when it keeps none. */
import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  type CompileCacheHost,
  cacheHome,
  enableCompileCache,
} from '@turnwright/base/process/compile-cache.ts';
import { BIN } from '@turnwright/test/cli/bin.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'turnwright-cache-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** The folder that Node is told to use, and nothing else. */
function chosen(host: Partial<CompileCacheHost> = {}): string | undefined {
  let folder: string | undefined;
  enableCompileCache({
    env: { HOME: home },
    platform: 'linux',
    uid: process.getuid?.(),
    enable: (given) => {
      folder = given;
    },
    ...host,
  });
  return folder;
}

describe('the folder of compiled code', () => {
  it.each([
    ['linux', { HOME: '/home/ann' }, '/home/ann/.cache'],
    ['linux', { HOME: '/home/ann', XDG_CACHE_HOME: '/disk/cache' }, '/disk/cache'],
    ['linux', { HOME: '/home/ann', XDG_CACHE_HOME: 'relative' }, '/home/ann/.cache'],
    ['linux', { HOME: '/home/ann', XDG_CACHE_HOME: '' }, '/home/ann/.cache'],
    ['darwin', { HOME: '/Users/ann', XDG_CACHE_HOME: '/disk/cache' }, '/Users/ann/Library/Caches'],
    ['win32', { LOCALAPPDATA: 'C:\\Users\\ann\\AppData\\Local' }, 'C:\\Users\\ann\\AppData\\Local'],
    ['linux', {}, undefined],
    ['linux', { HOME: 'relative' }, undefined],
    ['darwin', {}, undefined],
    ['win32', { HOME: '/home/ann' }, undefined],
  ] as const)('on %s with %j is in %s', (platform, env, folder) => {
    expect(cacheHome(env, platform)).toBe(folder);
  });

  it('is created for this user alone', () => {
    expect(chosen()).toBe(join(home, '.cache/turnwright'));
    expect(statSync(join(home, '.cache')).mode & 0o777).toBe(0o700);
    expect(statSync(join(home, '.cache/turnwright')).mode & 0o777).toBe(0o700);
  });

  it('may be on another disk', () => {
    mkdirSync(join(home, 'disk'), { mode: 0o700 });
    symlinkSync(join(home, 'disk'), join(home, '.cache'));
    expect(chosen()).toBe(join(home, '.cache/turnwright'));
  });
});

describe('no compiled code is kept', () => {
  const cache = () => join(home, '.cache');
  const folder = () => join(cache(), 'turnwright');
  const made = (path: string, mode: number) => {
    mkdirSync(path, { recursive: true });
    chmodSync(path, mode);
  };

  it.each<readonly [when: string, host: () => Partial<CompileCacheHost>]>([
    ['by TURNWRIGHT_COMPILE_CACHE=0', () => ({ env: { HOME: home, TURNWRIGHT_COMPILE_CACHE: '0' } })],
    ['by NODE_DISABLE_COMPILE_CACHE=1', () => ({ env: { HOME: home, NODE_DISABLE_COMPILE_CACHE: '1' } })],
    ['by a version of Node that cannot', () => ({ enable: undefined })],
    ['without a home', () => ({ env: {} })],
  ])('%s, and no folder is created', (_, host) => {
    expect(chosen(host())).toBeUndefined();
    expect(existsSync(cache())).toBe(false);
  });

  it.each<readonly [where: string, arrange: () => void]>([
    ['in a folder that the group can write', () => made(folder(), 0o770)],
    ['in a folder that everybody can write', () => made(folder(), 0o1777)],
    [
      'in a folder that others could exchange',
      () => {
        made(folder(), 0o700);
        chmodSync(cache(), 0o777);
      },
    ],
    [
      'behind a link, which may lead anywhere',
      () => {
        made(cache(), 0o700);
        made(join(home, 'elsewhere'), 0o700);
        symlinkSync(join(home, 'elsewhere'), folder());
      },
    ],
  ])('%s', (_, arrange) => {
    arrange();
    expect(chosen()).toBeUndefined();
  });

  it('in a folder of another user', () => {
    expect(chosen({ uid: (process.getuid?.() ?? 0) + 1 })).toBeUndefined();
  });
});

const canCache = process.getBuiltinModule('node:module') as { readonly enableCompileCache?: unknown };

describe.skipIf(canCache.enableCompileCache === undefined)('a run of the command line', () => {
  const run = (env: Readonly<Record<string, string>> = {}) =>
    promisify(execFile)(process.execPath, [BIN, 'sessions'], {
      cwd: home,
      env: { PATH: process.env['PATH'] ?? '', HOME: home, ...env },
    });

  it('keeps its compiled code in the cache folder', async () => {
    await run();
    expect(existsSync(join(home, '.cache/turnwright'))).toBe(true);
    await run({ TURNWRIGHT_COMPILE_CACHE: '0', HOME: join(home, 'other') });
    expect(existsSync(join(home, 'other'))).toBe(false);
  });
});
