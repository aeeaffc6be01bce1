import { chmod, link, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tempDir } from './temp-dir.ts';

const modeOf = async (path: string) => (await stat(path)).mode & 0o7777;

describe('nodeFiles', () => {
  let temp: Awaited<ReturnType<typeof tempDir>>;
  let file: string;
  beforeEach(async () => {
    temp = await tempDir();
    file = join(temp.path, 'file');
  });
  afterEach(() => temp.dispose());

  it('writeAtomic replaces the whole content and leaves nothing beside it', async () => {
    for (const sync of [false, true]) {
      await nodeFiles.writeAtomic(file, 'one', { sync });
      await nodeFiles.writeAtomic(file, Buffer.from('two'), { sync });
      expect(await readFile(file, 'utf8')).toBe('two');
      expect(await readdir(temp.path)).toEqual(['file']);
    }
  });

  it('writeAtomic joins the pieces of a text, however long each is', async () => {
    const pieces = [
      '',
      'ü',
      '€'.repeat(400_000),
      '😀'.repeat(10),
      ...Array(40).fill('x'.repeat(65_536)),
      '.',
    ];
    await nodeFiles.writeAtomic(file, pieces);
    expect((await readFile(file, 'utf8')) === pieces.join('')).toBe(true);
  });

  it('exists follows links, and is false for what is missing or cannot be reached', async () => {
    await writeFile(file, '');
    await symlink(join(temp.path, 'nowhere'), join(temp.path, 'broken'));
    await symlink(file, join(temp.path, 'whole'));
    const found = [file, temp.path, 'whole', 'broken', 'missing', 'file/beneath'].map((name) =>
      nodeFiles.exists(join(name === file || name === temp.path ? '/' : temp.path, name)),
    );
    expect(await Promise.all(found)).toEqual([true, true, true, false, false, false]);
  });

  it('writeAtomic gives a new file its mode and leaves that of an old one, whatever the umask', async () => {
    await nodeFiles.writeAtomic(file, 'secret', { mode: 0o640 });
    expect(await modeOf(file)).toBe(0o640);
    await chmod(file, 0o755);
    await nodeFiles.writeAtomic(file, 'script', { mode: 0o644 });
    expect(await modeOf(file)).toBe(0o755);
  });

  it('GHSA-q5f5: writeAtomic closes an old file to others where the new one is for its owner alone', async () => {
    await writeFile(file, 'open');
    await chmod(file, 0o644);
    await nodeFiles.writeAtomic(file, 'secret', { mode: 0o600 });
    expect(await modeOf(file)).toBe(0o600);
  });

  it('writeAtomic writes through a link, not over it', async () => {
    await writeFile(join(temp.path, 'target'), 'old');
    await symlink(join(temp.path, 'target'), file);
    await nodeFiles.writeAtomic(file, 'new');
    expect((await nodeFiles.lstat(file))?.kind).toBe('symlink');
    expect(await readFile(join(temp.path, 'target'), 'utf8')).toBe('new');
  });

  it('writeAtomic that fails leaves the old file and no temporary one', async () => {
    await mkdir(join(temp.path, 'folder'));
    await writeFile(join(temp.path, 'folder', 'x'), '');
    await expect(nodeFiles.writeAtomic(join(temp.path, 'folder'), 'new')).rejects.toMatchObject({
      code: expect.any(String),
    });
    await expect(nodeFiles.writeAtomic(join(temp.path, 'absent', 'x'), 'new')).rejects.toMatchObject({
      code: 'ENOENT',
    });
    expect(await readdir(temp.path)).toEqual(['folder']);
  });

  it('createExclusive makes a whole file once', async () => {
    await nodeFiles.createExclusive(file, 'first', 0o600);
    await expect(nodeFiles.createExclusive(file, 'second', 0o600)).rejects.toMatchObject({ code: 'EEXIST' });
    expect(await readFile(file, 'utf8')).toBe('first');
    expect(await modeOf(file)).toBe(0o600);
    expect(await readdir(temp.path)).toEqual(['file']);
    // Also where the umask takes more away.
    await nodeFiles.createExclusive(`${file}1`, 'shared', 0o666);
    expect(await modeOf(`${file}1`)).toBe(0o666);
    const race = await Promise.allSettled(
      Array.from({ length: 8 }, (_, n) => nodeFiles.createExclusive(`${file}2`, `${n}`, 0o600)),
    );
    expect(race.filter(({ status }) => status === 'fulfilled').length).toBe(1);
  });

  it('openAppend appends, tightens, measures and syncs', async () => {
    await writeFile(file, 'a');
    await chmod(file, 0o666);
    const handle = await nodeFiles.openAppend(file, 0o600);
    expect(await modeOf(file)).toBe(0o600);
    await handle.append(Buffer.from('b'));
    await writeFile(file, 'X', { flag: 'a' });
    await handle.append(Buffer.from('c'));
    expect(await handle.size()).toBe(4);
    await handle.sync();
    await handle.close();
    await handle.close();
    expect(await readFile(file, 'utf8')).toBe('abXc');
  });

  it('makeDir makes parents, and tightens a folder that is too open', async () => {
    const deep = join(temp.path, 'a', 'b', 'c');
    await nodeFiles.makeDir(deep, 0o700);
    expect([await modeOf(join(temp.path, 'a')), await modeOf(deep)]).toEqual([0o700, 0o700]);
    await chmod(deep, 0o777);
    await nodeFiles.makeDir(deep);
    expect(await modeOf(deep)).toBe(0o777);
    await nodeFiles.makeDir(deep, 0o700);
    expect(await modeOf(deep)).toBe(0o700);
    await chmod(deep, 0o500);
    await nodeFiles.makeDir(deep, 0o700);
    expect(await modeOf(deep)).toBe(0o700);
  });

  it('makeDir gives up where no folder can be made, at once and with the reason', async () => {
    await writeFile(file, '');
    await expect(nodeFiles.makeDir(file)).rejects.toMatchObject({ code: 'EEXIST' });
    await expect(nodeFiles.makeDir(join(file, 'below'))).rejects.toMatchObject({ code: 'ENOTDIR' });
    const dangling = join(temp.path, 'dangling');
    await symlink(join(temp.path, 'absent'), dangling);
    await expect(nodeFiles.makeDir(join(dangling, 'a', 'b'))).rejects.toMatchObject({ code: 'ENOENT' });
    if (process.platform === 'linux')
      await expect(nodeFiles.makeDir('/proc/a/b')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('makeDir several times at once', async () => {
    const deep = join(temp.path, 'a', 'b', 'c');
    await Promise.all(Array.from({ length: 8 }, () => nodeFiles.makeDir(deep, 0o700)));
    expect((await nodeFiles.stat(deep))?.kind).toBe('directory');
  });

  it('reads ranges, kinds and absences', async () => {
    await writeFile(file, '0123456789');
    await link(file, `${file}-hard`);
    expect(Buffer.from(await nodeFiles.readRange(file, 3, 4)).toString()).toBe('3456');
    expect((await nodeFiles.readRange(file, 8, 100)).length).toBe(2);
    expect(await nodeFiles.stat(file)).toMatchObject({ kind: 'file', size: 10 });
    expect((await nodeFiles.stat(temp.path))?.kind).toBe('directory');
    expect(await nodeFiles.stat(join(temp.path, 'absent'))).toBeUndefined();
    expect(await nodeFiles.stat(join(file, 'below'))).toBeUndefined();
    await nodeFiles.truncate(file, 2);
    await nodeFiles.rename(file, `${file}2`);
    expect(Buffer.from(await nodeFiles.readFile(`${file}2`)).toString()).toBe('01');
    await nodeFiles.remove(`${file}2`);
    await nodeFiles.remove(`${file}2`);
    expect(await nodeFiles.lstat(`${file}2`)).toBeUndefined();
  });
});
