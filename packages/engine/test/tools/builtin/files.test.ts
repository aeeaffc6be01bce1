import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readFile, realpath, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  answerOf,
  callOf,
  contextIn,
  drain,
  executorOf,
  isWellFormed,
  once,
  resultsOf,
  runDirectly,
  tempFolder,
  textOf,
} from '@turnwright/test/tools/support.ts';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ToolContext } from '../../../src/protocol/tools/tool.ts';
import { editTool } from '../../../src/tools/builtin/files/edit.ts';
import { createReadTool } from '../../../src/tools/builtin/files/read.ts';
import { replaceText } from '../../../src/tools/builtin/files/replace-text.ts';
import { decodeText, encodeText } from '../../../src/tools/builtin/files/text-file.ts';
import { writeTool } from '../../../src/tools/builtin/files/write.ts';
import { todoWriteTool } from '../../../src/tools/builtin/planning/todo-write.ts';

let folder: Awaited<ReturnType<typeof tempFolder>>;
let context: ToolContext;
let count = 0;
let dir = '';
beforeAll(async () => {
  folder = await tempFolder();
});
afterAll(() => folder.remove());
beforeEach(async () => {
  count += 1;
  dir = join(folder.path, String(count));
  await mkdir(dir);
  context = contextIn(dir);
});

const at = (name: string) => join(dir, name);
const put = async (name: string, content: string | Uint8Array) => {
  await writeFile(at(name), content);
  return at(name);
};
const read = async (file_path: string, extra: object = {}, tool = createReadTool()) =>
  textOf((await runDirectly(tool, { file_path, ...extra }, context)).output);
const session = () =>
  executorOf([createReadTool(), writeTool, editTool], {
    makeContext: (call, { signal }) => ({ ...context, signal, toolUseId: call.block.id }),
  });
const use = async (name: string, input: object) => answerOf(await once(session(), callOf(name, input)));
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

describe('Read', () => {
  test('numbers lines; a last line break starts no new line', async () => {
    expect(await read(await put('a.txt', 'one\n\nthree\n'))).toBe('1\tone\n2\t\n3\tthree');
    expect(await read(await put('b.txt', 'one\r\ntwo'))).toBe('1\tone\n2\ttwo');
  });

  test('relative paths start at the working directory', async () => {
    await put('a.txt', 'x');
    expect(await read('a.txt')).toBe('1\tx');
  });

  test('offset and limit page through a file', async () => {
    const path = await put('a.txt', Array.from({ length: 10 }, (_, n) => `line ${n + 1}`).join('\n'));
    expect(await read(path, { offset: 3, limit: 2 })).toBe('3\tline 3\n4\tline 4');
    expect(await read(path, { offset: 10 })).toBe('10\tline 10');
    expect(await read(path, { offset: 0, limit: 1 })).toBe('1\tline 1');
    expect(await read(path, { offset: 11 })).toMatch(/nothing from line 11 on.*has 10 lines/);
    expect(context.readFileCache.get(path)).toMatchObject({ partial: true });
  });

  test('a file comes whole, however many lines it has and however long they are', async () => {
    const path = await put('long.txt', 'x\n'.repeat(5000));
    expect(await read(path)).toMatch(/\n5000\tx$/);
    expect(context.readFileCache.get(path)).toMatchObject({ partial: false });
    expect(await read(await put('wide.txt', 'y'.repeat(50_000)))).toBe(`1\t${'y'.repeat(50_000)}`);
  });

  test('100,000 characters at most, and where to go on', async () => {
    const path = await put('longer.txt', `${'x'.repeat(92)}\n`.repeat(2500));
    const text = await read(path);
    const [, last = 0] = /\(These are lines 1 to (\d+) of 2500\. Go on with offset \d+\.\)$/.exec(text) ?? [];
    expect(Number(last)).toBeGreaterThan(1000);
    expect(await read(path, { offset: Number(last) + 1, limit: 1 })).toBe(
      `${Number(last) + 1}\t${'x'.repeat(92)}`,
    );
    expect(context.readFileCache.get(path)).toMatchObject({ partial: true });
  });

  test('F83 one line of 2 MB is cut, and a flood of characters is paged', async () => {
    const long = await read(await put('min.js', `${'😀'.repeat(500_000)}\n`));
    expect(long.length).toBeLessThan(100_100);
    expect(long).toContain('line cut: 1000000 characters in all');
    expect(isWellFormed(long)).toBe(true);
    const wide = await read(await put('wide.txt', `${'y'.repeat(1500)}\n`.repeat(200)));
    expect(wide.length).toBeLessThan(101_000);
    expect(wide).toMatch(/lines 1 to \d+ of 200\. Go on with offset \d+/);
  });

  test('an empty file is said to be empty', async () => {
    expect(await read(await put('empty', ''))).toMatch(/exists, but is empty/);
  });

  test('remembers what was seen', async () => {
    const path = await put('a.txt', 'x\n');
    await read(path);
    expect(context.readFileCache.get(path)).toEqual({
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      mtimeMs: (await stat(path)).mtimeMs,
      real: path,
      partial: false,
    });
  });

  test('UTF-16, byte order marks and Latin-1 are text', async () => {
    const utf16 = /^1\thä\n\n\(The file is UTF-16, not UTF-8\./;
    expect(await read(await put('le', Buffer.from('\ufeffhä\n', 'utf16le')))).toMatch(utf16);
    expect(await read(await put('be', Buffer.from('\ufeffhä\n', 'utf16le').swap16()))).toMatch(utf16);
    expect(await read(await put('bom', '\ufeffhä\n'))).toBe('1\thä');
    expect(await read(await put('latin', Buffer.from('hä\n', 'latin1')))).toMatch(
      /^1\thä\n\n\(The file is not UTF-8/,
    );
  });

  test.each([
    ['PNG', 'a.png', PNG, 'image/png'],
    ['JPEG named png', 'b.png', Buffer.from('ffd8ffe000104a464946', 'hex'), 'image/jpeg'],
    ['GIF', 'c.gif', Buffer.from('GIF89a....'), 'image/gif'],
    ['WebP', 'd.WEBP', Buffer.from('RIFF....WEBPVP8 '), 'image/webp'],
  ])('%s comes as an image block of its true type', async (_what, name, bytes, type) => {
    const { output } = await runDirectly(createReadTool(), { file_path: await put(name, bytes) }, context);
    expect(output.content).toEqual([
      { type: 'image', source: { type: 'base64', media_type: type, data: bytes.toString('base64') } },
    ]);
  });

  test('F10 an image too large, or none at all, never enters the history', async () => {
    const large = createReadTool({ maxImageBytes: 10 });
    await expect(read(await put('a.png', PNG), {}, large)).rejects.toThrow(/image of 16 bytes; at most 10/);
    await expect(read(await put('b.png', 'not an image'))).rejects.toThrow(/holds no PNG/);
  });

  test('what is no regular text file is refused by type', async () => {
    execFileSync('mkfifo', [at('fifo')]);
    await symlink(at('nowhere'), at('dangling'));
    await expect(read(at('fifo'))).rejects.toThrow(/device, pipe or socket/);
    await expect(read('/dev/zero')).rejects.toThrow(/device, pipe or socket/);
    await expect(read(dir)).rejects.toThrow(/is a directory/);
    await expect(read(at('missing'))).rejects.toThrow(/missing does not exist/);
    await expect(read(at('dangling'))).rejects.toThrow(/does not exist/);
    await expect(read(await put('x.bin', Buffer.from([1, 0, 2])))).rejects.toThrow(/binary file/);
  });

  const pdf = (pages: number) =>
    `%PDF-1.4\n2 0 obj<</Type/Pages/Count ${pages}>>endobj\n${'3 0 obj<</Type /Page/Parent 2 0 R>>endobj\n'.repeat(pages)}%%EOF\n`;

  test('a PDF comes as a document', async () => {
    const file_path = await put('a.pdf', pdf(2));
    const base64 = Buffer.from(pdf(2)).toString('base64');
    const { output } = await runDirectly(createReadTool(), { file_path }, context);
    expect(output.content).toEqual([
      { type: 'text', text: `${file_path} (PDF, ${pdf(2).length} bytes):` },
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: base64 } },
    ]);
    expect(output.data).toEqual({
      type: 'pdf',
      file: { filePath: file_path, base64, originalSize: pdf(2).length },
    });
  });

  test('a PDF too large, of too many pages, or none at all, is refused with what else to do', async () => {
    const small = createReadTool({ maxPdfBytes: 100 });
    await expect(read(await put('a.pdf', pdf(3)), {}, small)).rejects.toThrow(/at most 100 .*pdftotext/);
    await expect(read(await put('b.pdf', pdf(101)))).rejects.toThrow(/101 pages; at most 100 .*qpdf/);
    await expect(read(await put('c.pdf', 'hello'))).rejects.toThrow(/does not begin with %PDF-/);
  });

  test('the size of a picture is in its structured form', async () => {
    const png = Buffer.concat([PNG, Buffer.from('0000000200000003', 'hex')]);
    const { output } = await runDirectly(createReadTool(), { file_path: await put('a.png', png) }, context);
    const dimensions = { originalWidth: 2, originalHeight: 3, displayWidth: 2, displayHeight: 3 };
    expect(output.data).toEqual({
      type: 'image',
      file: { base64: png.toString('base64'), type: 'image/png', originalSize: 24, dimensions },
    });
  });

  test('what consumers see of a part has the lines alone', async () => {
    const file_path = await put('a.txt', 'one\ntwo\nthree\n');
    const contentOf = async (extra: object) => {
      const { output } = await runDirectly(createReadTool(), { file_path, ...extra }, context);
      return (output.data as { file: { content: string } }).file.content;
    };
    expect(await contentOf({ limit: 2 })).toBe('one\ntwo');
    expect(await contentOf({ offset: 2 })).toBe('two\nthree\n');
  });

  test('a file too large is refused with what else to do', async () => {
    const small = createReadTool({ maxFileBytes: 100 });
    await expect(read(await put('big.txt', 'x'.repeat(101)), {}, small)).rejects.toThrow(
      /has 101 bytes.*Grep.*sed -n/,
    );
  });

  test('permission sees the absolute normalised path', () => {
    expect(createReadTool().permissionTarget?.({ file_path: 'a/../b.txt' }, { cwd: '/w' })).toEqual({
      kind: 'read',
      paths: ['/w/b.txt'],
    });
    expect(writeTool.permissionTarget?.({ file_path: '../b.txt', content: '' }, { cwd: '/w/x' })).toEqual({
      kind: 'write',
      paths: ['/w/b.txt'],
    });
  });
});

describe('Write', () => {
  test('creates a file and its folders', async () => {
    expect(await use('Write', { file_path: 'new/deep/a.txt', content: 'hi\n' })).toMatchObject({
      text: `${at('new/deep/a.txt')} was created.`,
      isError: false,
    });
    expect(await readFile(at('new/deep/a.txt'), 'utf8')).toBe('hi\n');
    expect(await use('Write', { file_path: 'new/deep/a.txt', content: 'again\n' })).toMatchObject({
      isError: false,
    });
  });

  test('an existing file must have been read', async () => {
    const path = await put('a.txt', 'old');
    expect((await use('Write', { file_path: path, content: 'new' })).text).toMatch(
      /^<tool_use_error>.*has not been read yet/,
    );
    await use('Read', { file_path: path });
    expect(await use('Write', { file_path: path, content: 'new' })).toMatchObject({ isError: false });
    expect(await readFile(path, 'utf8')).toBe('new');
  });

  test('F144 a file that a human changed in between is refused', async () => {
    const path = await put('a.txt', 'old');
    await use('Read', { file_path: path });
    await writeFile(path, 'human');
    expect((await use('Write', { file_path: path, content: 'new' })).text).toMatch(
      /^<tool_use_error>.*has changed since it was read/,
    );
    expect(await readFile(path, 'utf8')).toBe('human');
  });

  test('F144 also when it changed while permission was asked', async () => {
    const path = await put('a.txt', 'old');
    await read(path);
    expect(await writeTool.validateInput?.({ file_path: path, content: 'new' }, context)).toEqual({
      ok: true,
    });
    await writeFile(path, 'human');
    await expect(runDirectly(writeTool, { file_path: path, content: 'new' }, context)).rejects.toThrow(
      /has changed since/,
    );
  });

  test('touched but not changed is not changed', async () => {
    const path = await put('a.txt', 'old');
    await read(path);
    await writeFile(path, 'old');
    expect(await use('Write', { file_path: path, content: 'new' })).toMatchObject({ isError: false });
  });

  test('mode and links stay, directories and dangling links are refused', async () => {
    const path = await put('run.sh', 'old');
    await chmod(path, 0o755);
    await symlink(path, at('link'));
    await read(at('link'));
    await use('Write', { file_path: at('link'), content: 'new' });
    expect([
      await readFile(path, 'utf8'),
      (await stat(path)).mode & 0o777,
      await realpath(at('link')),
    ]).toEqual(['new', 0o755, path]);
    await symlink(at('gone'), at('dangling'));
    expect((await use('Write', { file_path: at('dangling'), content: 'x' })).text).toMatch(
      /symbolic link to something that does not exist/,
    );
    expect((await use('Write', { file_path: dir, content: 'x' })).text).toMatch(/is a directory/);
  });

  test('the result carries a patch', async () => {
    const path = await put('a.txt', 'a\nb\nc\n');
    await read(path);
    const { output } = await runDirectly(writeTool, { file_path: path, content: 'a\nB\nc\n' }, context);
    expect(output.data).toMatchObject({
      type: 'update',
      filePath: path,
      structuredPatch: [{ oldStart: 1, newStart: 1, lines: [' a', '-b', '+B', ' c'] }],
      content: 'a\nB\nc\n',
      originalFile: 'a\nb\nc\n',
      userModified: false,
    });
    const fresh = await runDirectly(writeTool, { file_path: at('new.txt'), content: 'a\n' }, context);
    expect(fresh.output.data).toEqual({
      type: 'create',
      filePath: at('new.txt'),
      content: 'a\n',
      structuredPatch: [],
      originalFile: null,
      userModified: false,
    });
  });

  test('a file system that fails leaves the file and says so', async () => {
    const path = await put('a.txt', 'old');
    await read(path);
    context = {
      ...context,
      files: {
        ...context.files,
        writeAtomic: async () => Promise.reject(new Error('ENOSPC: no space left on device')),
      },
    };
    expect(await use('Write', { file_path: path, content: 'new' })).toMatchObject({
      text: 'ENOSPC: no space left on device',
      isError: true,
    });
    expect(await readFile(path, 'utf8')).toBe('old');
  });
});

describe('Edit', () => {
  const edit = (path: string, old_string: string, new_string: string, extra: object = {}) =>
    use('Edit', { file_path: path, old_string, new_string, ...extra });

  test('needs no earlier Read', async () => {
    const path = await put('a.txt', 'one two three');
    expect(await edit(path, 'two', '2')).toMatchObject({ text: `${path} was edited.`, isError: false });
    expect(await readFile(path, 'utf8')).toBe('one 2 three');
  });

  test('the result carries the file as it was', async () => {
    const file_path = await put('a.txt', 'one two');
    const input = { file_path, old_string: 'two', new_string: '2' };
    const { output } = await runDirectly(editTool, input, context);
    expect(output.data).toMatchObject({
      originalFile: 'one two',
      userModified: false,
      contentNotInModelContext: true,
    });
    await read(file_path);
    const again = await runDirectly(editTool, { ...input, old_string: '2', new_string: 'two' }, context);
    expect(again.output.data).not.toHaveProperty('contentNotInModelContext');
  });

  test('F144 is refused when the file changed since it was read', async () => {
    const path = await put('a.txt', 'one two');
    await read(path);
    await writeFile(path, 'one two, said the human');
    expect((await edit(path, 'two', '2')).text).toMatch(/^<tool_use_error>.*has changed since it was read/);
    await read(path);
    expect(await edit(path, 'two', '2')).toMatchObject({ isError: false });
  });

  test.each([
    ['x', 'x', /are the same/],
    ['not there', 'y', /was not found in .*exactly.*\nnot there/],
    ['o', '0', /occurs 2 times.*replace_all/],
    ['', 'y', /exists and is not empty/],
  ])('%j to %j is refused', async (from, to, why) => {
    const path = await put('a.txt', 'o no');
    const { text, isError } = await edit(path, from, to);
    expect(text).toMatch(/^<tool_use_error>/);
    expect(text).toMatch(why);
    expect(isError).toBe(true);
    expect(await readFile(path, 'utf8')).toBe('o no');
  });

  test('replace_all replaces all, special patterns are plain text', async () => {
    const path = await put('a.txt', 'a.a.a');
    expect((await edit(path, 'a', "$&$1$'", { replace_all: true })).text).toMatch(/3 occurrences/);
    expect(await readFile(path, 'utf8')).toBe("$&$1$'.$&$1$'.$&$1$'");
  });

  test('an empty old_string creates a file, or fills an empty one', async () => {
    expect((await edit(at('new/a.txt'), '', 'hello')).text).toMatch(/was created/);
    expect(await readFile(at('new/a.txt'), 'utf8')).toBe('hello');
    const empty = await put('empty.txt', '');
    await edit(empty, '', 'full');
    expect(await readFile(empty, 'utf8')).toBe('full');
    expect((await edit(at('missing.txt'), 'a', 'b')).text).toMatch(/does not exist/);
  });

  test('line ends, byte order mark, encoding and mode stay', async () => {
    const crlf = await put('crlf.txt', 'one\r\ntwo\r\nthree\r\n');
    await chmod(crlf, 0o600);
    await edit(crlf, 'one\ntwo', '1\n1.5\n2');
    expect(await readFile(crlf, 'utf8')).toBe('1\r\n1.5\r\n2\r\nthree\r\n');
    expect((await stat(crlf)).mode & 0o777).toBe(0o600);
    await edit(crlf, 'three', 'three\nfour');
    expect(await readFile(crlf, 'utf8')).toBe('1\r\n1.5\r\n2\r\nthree\r\nfour\r\n');
    const mixed = await put('mixed.txt', 'a\nb\r\nc\nd\r\n');
    await edit(mixed, 'b\nc', 'B\nC');
    expect(await readFile(mixed, 'utf8')).toBe('a\nB\r\nC\nd\r\n');
    const utf16 = await put('utf16.txt', Buffer.from('\ufeffgrün\n', 'utf16le'));
    await edit(utf16, 'grün', 'größer');
    expect(await readFile(utf16)).toEqual(Buffer.from('\ufeffgrößer\n', 'utf16le'));
    const bom = await put('bom.txt', '\ufeffa\n');
    await edit(bom, 'a', 'b');
    expect(await readFile(bom, 'utf8')).toBe('\ufeffb\n');
    const latin = await put('latin.txt', Buffer.from('gr\xfcn x\n', 'latin1'));
    await edit(latin, 'x', 'ß');
    expect(await readFile(latin)).toEqual(Buffer.from('gr\xfcn \xdf\n', 'latin1'));
    expect((await edit(latin, 'ß', '→')).text).toMatch(/single-byte encoding/);
  });

  test('what is no text is refused', async () => {
    expect((await edit(await put('x.bin', Buffer.from([1, 0, 2])), 'a', 'b')).text).toMatch(
      /not a text file/,
    );
    expect((await edit(dir, 'a', 'b')).text).toMatch(/is a directory/);
  });

  test('F143 six parallel edits of one file are all applied', async () => {
    const path = await put('a.txt', '1 2 3 4 5 6');
    const executor = session();
    for (let n = 1; n <= 6; n += 1)
      executor.add(callOf('Edit', { file_path: path, old_string: String(n), new_string: `<${n}>` }));
    expect(resultsOf(await drain(executor)).map((r) => r.trace.outcome)).toEqual(Array(6).fill('ok'));
    expect(await readFile(path, 'utf8')).toBe('<1> <2> <3> <4> <5> <6>');
  });

  test('F143 also from six sessions at once, and through a link', async () => {
    const path = await put('a.txt', '1 2 3 4 5 6');
    await symlink(path, at('link'));
    const edits = [1, 2, 3, 4, 5, 6].map((n) =>
      runDirectly(
        editTool,
        { file_path: n % 2 ? path : at('link'), old_string: String(n), new_string: `<${n}>` },
        contextIn(dir),
      ),
    );
    await Promise.all(edits);
    expect(await readFile(path, 'utf8')).toBe('<1> <2> <3> <4> <5> <6>');
  });
});

describe('text, exactly', () => {
  test('any bytes that are text come back as they were', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const decoded = decodeText(bytes);
        if (decoded === undefined) return;
        const even = decoded.encoding.startsWith('utf16')
          ? bytes.subarray(0, bytes.length - (bytes.length % 2))
          : bytes;
        expect(Buffer.from(encodeText(decoded.text, decoded.encoding) ?? [])).toEqual(Buffer.from(even));
      }),
    );
  });

  test('a replacement changes nothing but what it replaces, whatever the line ends', () => {
    const piece = fc.constantFrom('a', 'b', '\n', '\r\n', ' ', 'é');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), fc.array(piece, { maxLength: 20 }), (before, after) => {
        const text = `${before.join('')}[X\r\nY]${after.join('')}`;
        const { text: replaced, count: found } = replaceText(text, 'X\nY', 'Z', false);
        expect(found).toBe(1);
        expect(replaced).toBe(`${before.join('')}[Z]${after.join('')}`);
      }),
    );
  });
});

describe('TodoWrite', () => {
  const todo = (content: string, status = 'pending') => ({ content, status, activeForm: `${content}ing` });

  test('replaces the list', async () => {
    const todos = [todo('a', 'completed'), todo('b', 'in_progress')];
    const { output } = await runDirectly(todoWriteTool, { todos }, context);
    expect(output.data).toEqual({ oldTodos: [], newTodos: todos });
    expect(textOf(output)).toContain('1 of 2 steps are open');
    expect(context.todos.get()).toEqual(todos);
    expect(
      textOf((await runDirectly(todoWriteTool, { todos: [todo('a', 'completed')] }, context)).output),
    ).toContain('Every step is completed');
    expect(textOf((await runDirectly(todoWriteTool, { todos: [] }, context)).output)).toContain('empty now');
  });

  test('refuses what is no list of todos, by item', async () => {
    const parsed = await todoWriteTool.parse({
      todos: [todo('a'), { ...todo('b', 'done'), extra: 1 }, { content: '' }],
    });
    expect(parsed).toEqual({
      ok: false,
      issues: [
        'The parameter `todos[1].status` must be one of "pending", "in_progress", "completed"',
        'An unexpected parameter `todos[1].extra` was provided',
        'The required parameter `todos[2].status` is missing',
        'The required parameter `todos[2].activeForm` is missing',
        'The parameter `todos[2].content` must have at least 1 character',
      ],
    });
  });
});
