import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  answerOf,
  callOf,
  contextIn,
  executorOf,
  once,
  runDirectly,
  tempFolder,
  textOf,
} from '@turnwright/test/tools/support.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ToolContext } from '../../../src/protocol/tools/tool.ts';
import { createReadTool } from '../../../src/tools/builtin/files/read.ts';
import { notebookEditTool } from '../../../src/tools/builtin/notebook/notebook-edit.ts';

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').toString('base64');

/** Written by hand: numbers and escapes that a JSON round trip would change. */
const NOTEBOOK = `{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "intro",
   "metadata": {"weight": 1.0, "note": "caf\\u00e9 ] }"},
   "source": ["# Title\\n", "Text"]
  },
  {
   "cell_type": "code",
   "execution_count": 3,
   "id": "calc",
   "metadata": {},
   "outputs": [
    {"name": "stdout", "output_type": "stream", "text": ["4\\n"]},
    {"output_type": "display_data", "data": {"image/png": "${PNG}", "text/plain": ["<Figure>"]}, "metadata": {}},
    {"output_type": "error", "ename": "ValueError", "evalue": "no", "traceback": ["\\u001b[31mValueError\\u001b[0m: no"]}
   ],
   "source": ["print(2 + 2)"]
  }
 ],
 "metadata": {"language_info": {"name": "python"}, "big": 12345678901234567890},
 "nbformat": 4,
 "nbformat_minor": 5
}
`;

let folder: Awaited<ReturnType<typeof tempFolder>>;
let context: ToolContext;
let path = '';
let count = 0;
beforeAll(async () => {
  folder = await tempFolder();
});
afterAll(() => folder.remove());
beforeEach(async () => {
  const dir = join(folder.path, String(count++));
  await mkdir(dir);
  context = contextIn(dir);
  path = join(dir, 'a.ipynb');
  await writeFile(path, NOTEBOOK);
});

const show = async (extra: object = {}) =>
  (await runDirectly(createReadTool(), { file_path: path, ...extra }, context)).output;
const edit = async (input: object) => {
  const session = executorOf([createReadTool(), notebookEditTool], {
    makeContext: (call, { signal }) => ({ ...context, signal, toolUseId: call.block.id }),
  });
  return answerOf(await once(session, callOf('NotebookEdit', { notebook_path: path, ...input })));
};
const onDisk = () => readFile(path, 'utf8');

describe('Read', () => {
  test('shows cells with their names, outputs without colours, and figures as images', async () => {
    const { content, data } = await show();
    expect(content).toEqual([
      {
        type: 'text',
        text: '<cell id="intro" type="markdown">\n# Title\nText\n</cell>\n<cell id="calc" type="code">\nprint(2 + 2)\n</cell>\n<output of="calc">\n4\n</output>\n<output of="calc">',
      },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
      { type: 'text', text: '<output of="calc">\nValueError: no\n</output>' },
    ]);
    expect(JSON.stringify(data)).not.toContain(PNG);
  });

  test('offset and limit count cells; what is no notebook is read as text', async () => {
    expect(textOf(await show({ limit: 1 }))).toContain('(These are cells 1 to 1 of 2. Go on with offset 2.)');
    expect(textOf(await show({ offset: 9 }))).toBe(`(There is nothing from cell 9 on: ${path} has 2 cells.)`);
    await writeFile(path, '{"cells": 1}');
    expect(textOf(await show())).toBe('1\t{"cells": 1}');
  });
});

describe('NotebookEdit', () => {
  test('replaces the source of one cell, drops its outputs, and leaves every other byte as it is', async () => {
    await show();
    const { text, isError } = await edit({ cell_id: 'calc', new_source: 'x = 1\nprint(x)' });
    expect([text, isError]).toEqual([`Cell calc of ${path} was replaced.`, false]);
    const after = await onDisk();
    const cut = NOTEBOOK.indexOf('{\n   "cell_type": "code"');
    expect(after.startsWith(NOTEBOOK.slice(0, cut))).toBe(true);
    expect(after.endsWith(NOTEBOOK.slice(NOTEBOOK.indexOf('\n ],\n "metadata"')))).toBe(true);
    expect(JSON.parse(after).cells[1]).toEqual({
      cell_type: 'code',
      execution_count: null,
      id: 'calc',
      metadata: {},
      outputs: [],
      source: ['x = 1\n', 'print(x)'],
    });
  });

  test('inserts in front and behind, with an id where the format has ids; deletes first and last', async () => {
    await edit({ new_source: 'first', edit_mode: 'insert', cell_type: 'markdown' });
    await edit({ cell_id: 'calc', new_source: 'last', edit_mode: 'insert', cell_type: 'code' });
    const cells = JSON.parse(await onDisk()).cells as { id: string; source: string[] }[];
    expect(cells.map(({ source }) => source.join(''))).toEqual([
      'first',
      '# Title\nText',
      'print(2 + 2)',
      'last',
    ]);
    expect(cells.every(({ id }) => /^[\w-]{1,64}$/.test(id))).toBe(true);
    expect(new Set(cells.map(({ id }) => id)).size).toBe(4);
    await edit({ cell_id: 'cell-0', new_source: '', edit_mode: 'delete' });
    await edit({ cell_id: '2', new_source: '', edit_mode: 'delete' });
    expect(await onDisk()).toBe(NOTEBOOK);
  });

  test('empties a notebook and fills it again; a notebook on one line stays one', async () => {
    await writeFile(
      path,
      '{"cells": [{"cell_type":"raw","metadata":{},"source":"a"}],"nbformat":4,"nbformat_minor":2}',
    );
    await edit({ cell_id: 'cell-0', new_source: '', edit_mode: 'delete' });
    expect(await onDisk()).toBe('{"cells": [],"nbformat":4,"nbformat_minor":2}');
    await edit({ new_source: 'b', edit_mode: 'insert', cell_type: 'code' });
    expect(JSON.parse(await onDisk()).cells).toEqual([
      { cell_type: 'code', execution_count: null, metadata: {}, outputs: [], source: ['b'] },
    ]);
    expect(await onDisk()).not.toContain('\n');
  });

  test('turns code into text and back', async () => {
    await edit({ cell_id: 'calc', new_source: 'prose', cell_type: 'markdown' });
    expect(JSON.parse(await onDisk()).cells[1]).toEqual({
      cell_type: 'markdown',
      id: 'calc',
      metadata: {},
      source: ['prose'],
    });
    await edit({ cell_id: 'calc', new_source: 'y', cell_type: 'code' });
    expect(JSON.parse(await onDisk()).cells[1]).toMatchObject({
      cell_type: 'code',
      outputs: [],
      execution_count: null,
    });
  });

  test('F144 a notebook that changed since it was read is refused, as are unknown cells and other files', async () => {
    await show();
    await writeFile(path, NOTEBOOK.replace('Text', 'Test'));
    expect((await edit({ cell_id: 'calc', new_source: 'x' })).text).toContain(
      'has changed since it was read',
    );
    await show();
    expect((await edit({ cell_id: 'nope', new_source: 'x' })).text).toContain('Its cells are: intro, calc.');
    expect((await edit({ new_source: 'x' })).text).toContain('edit_mode replace needs a cell_id');
    expect((await edit({ new_source: 'x', edit_mode: 'insert' })).text).toContain('needs a cell_type');
    await writeFile(path, 'not json');
    await show();
    expect((await edit({ cell_id: 'calc', new_source: 'x' })).text).toContain('cannot be read as a notebook');
  });
});
