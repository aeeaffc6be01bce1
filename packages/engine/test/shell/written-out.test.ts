/**
 * Lines of reading programs in real shells: what runs without a question runs only programs that read, with the words that
 * they were judged with, makes no file, and does what the line as it was written does.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { inShortAndLongForm } from '@turnwright/test/long-form.ts';
import {
  question,
  tempFolder,
  toolNamed,
  unchangingFiles,
} from '@turnwright/test/permissions/ask-doubles.ts';
import { randomFrom } from '@turnwright/test/shell/hostile-lines.ts';
import { hasShells, type Outcome, runInShell } from '@turnwright/test/shell/real-shells.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPermissions } from '../../src/permissions/permission-engine.ts';
import { readCommandLine } from '../../src/shell/reading/command-line.ts';
import { everySegment } from '../../src/shell/reading/segment.ts';
import { READERS, readingLine, THERE } from './reading-lines.ts';

const COUNT = Number(process.env['TURNWRIGHT_SHELL_LINES'] ?? inShortAndLongForm(80, 400));
const SEED = Number(process.env['TURNWRIGHT_SHELL_SEED'] ?? 20_261_129);
const BATCH = 100;
const WRITES = ['touch', 'tee', 'node'];

const folder = await tempFolder();
beforeAll(async () => {
  for (const file of THERE) {
    await mkdir(dirname(join(folder.path, file)), { recursive: true });
    await writeFile(join(folder.path, file), 'x\n');
  }
});
afterAll(() => folder.remove());

/** What ran, each program once for each of its words: the folder has another name in each run. */
const told = ({ ran }: Outcome): readonly string[] =>
  ran.map((words) => words.join('␟').replaceAll(/\/[^␟]*\/work\/\d+/g, 'HERE')).sort();

describe.skipIf(!hasShells)('lines of reading programs in real shells', () => {
  it.each([
    ['bash', 'bash'],
    ['dash', 'sh'],
  ] as const)(
    'do in %s what they were judged to do',
    async (shell, language) => {
      const random = randomFrom(SEED + (shell === 'bash' ? 0 : 1));
      const tool = toolNamed('Bash', {
        permissionTarget: (({ command }: { command: string }) => ({
          kind: 'command',
          command,
          language,
        })) as never,
      });
      const engine = createPermissions({ files: unchangingFiles(), home: '/nowhere' });
      const figures = { lines: 0, allowed: 0, written: 0, ran: 0 };
      const wrong: string[] = [];
      const batches = Array.from({ length: Math.ceil(COUNT / BATCH) }, (_, i) =>
        Math.min(BATCH, COUNT - i * BATCH),
      );
      for (const [at, size] of batches.entries()) {
        const lines: { readonly line: string; readonly runs: string; readonly isWritten: boolean }[] = [];
        for (let n = 0; n < size; n++) {
          const line = readingLine(random);
          const verdict = await engine.decide(question(tool, { command: line }, folder.path));
          figures.lines++;
          if (verdict.kind !== 'allow') continue;
          const written = verdict.updatedInput?.['command'];
          lines.push({
            line,
            runs: typeof written === 'string' ? written : line,
            isWritten: written !== undefined,
          });
        }
        // The folder that a line names is another one where it runs.
        const texts = lines.flatMap(({ line, runs }) => [line, runs.replaceAll(folder.path, '"$PWD"')]);
        const outcomes = await runInShell(shell, texts, {
          programs: READERS,
          files: THERE,
          seconds: 30,
          asFiles: at % 10 === 0,
        });
        for (const [i, { line, runs, isWritten }] of lines.entries()) {
          const [before, after] = [outcomes[2 * i], outcomes[2 * i + 1]];
          if (before === undefined || after === undefined) continue;
          figures.allowed++;
          if (isWritten) figures.written++;
          figures.ran += after.ran.length;
          const report = (what: string) =>
            wrong.push(`${what}: ${JSON.stringify(line)} as ${JSON.stringify(runs)}`);
          if (after.made.length > 0) report(`made ${after.made.join(' ')}`);
          for (const [program = ''] of after.ran) if (WRITES.includes(program)) report(`ran ${program}`);
          const isPiped = /xargs|-exec/.test(line);
          if (!isPiped && told(before).join('␞') !== told(after).join('␞'))
            report(`ran ${JSON.stringify(before.ran)} before, ${JSON.stringify(after.ran)} now`);
          if (!isWritten || isPiped) continue;
          const segments = everySegment((await readCommandLine(runs, language)).segments);
          const judged = new Set(segments.flatMap(({ words }) => words.map(({ value }) => value)));
          const open = segments.some(({ words }) => words.some(({ value }) => value === undefined));
          for (const words of after.ran)
            if (!open && words.some((word) => !judged.has(word.replace(/^\/.*\/work\/\d+/, folder.path))))
              report(`was given ${JSON.stringify(words)}`);
        }
      }
      console.info(
        `${shell}, seed ${SEED}: ${figures.lines} lines, ${figures.allowed} unasked, ${figures.written} written out, ${figures.ran} programs ran, ${wrong.length} wrong`,
      );
      expect(wrong).toEqual([]);
      expect(figures.allowed).toBeGreaterThan(figures.lines / 10);
    },
    20 * 60_000,
  );
});
