/** Lines of a file, read with bounded memory. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { expect, it, onTestFinished } from 'vitest';
import { readLines } from '../../src/session/journal/read-lines.ts';
import { tempDir } from './temp-dir.ts';

/** What one read takes. */
const CHUNK = 256 * 1024;

async function fileOf(text: string): Promise<string> {
  const { path, dispose } = await tempDir();
  onTestFinished(dispose);
  const file = join(path, 'lines');
  await writeFile(file, text);
  return file;
}

async function linesOf(file: string, maxLineBytes?: number) {
  const lines: [bytes: number, complete: boolean, tooLong: boolean][] = [];
  for await (const { bytes, complete, tooLong } of readLines(nodeFiles, file, {
    ...(maxLineBytes !== undefined && { maxLineBytes }),
  }))
    lines.push([bytes.length, complete, tooLong]);
  return lines;
}

it('a file that is not there has none', async () => {
  expect(await linesOf(`${await fileOf('')}-missing`)).toEqual([]);
});

it('the last one may lack its newline', async () => {
  expect(await linesOf(await fileOf('one\n\nthree'))).toEqual([
    [3, true, false],
    [0, true, false],
    [5, false, false],
  ]);
});

it('one that is longer than allowed is skipped as soon as this is known, and the next one is read', async () => {
  const file = await fileOf(`${'x'.repeat(CHUNK + 10)}\nnext\n`);
  const next = [4, true, false];
  expect(await linesOf(file, CHUNK)).toEqual([[CHUNK + 10, true, false], next]);
  expect(await linesOf(file, CHUNK - 1)).toEqual([[0, true, true], next]);
});
