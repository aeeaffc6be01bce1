/** What the gate says of a run of tests: failures of every kind count, and each is named at the end. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const SCRIPTS = resolve('scripts');

/** Tests of a project of their own, which the real runner runs and reports to `report` as the gate has it do. */
function runTests(folder: string, report: string, files: Readonly<Record<string, string>>) {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const run = spawnSync(
    process.execPath,
    [
      resolve('node_modules/vitest/vitest.mjs'),
      'run',
      `--root=${folder}`,
      '--reporter=json',
      `--reporter=${join(SCRIPTS, 'errors-reporter.mjs')}`,
      `--outputFile.json=${report}`,
      ...Object.keys(files),
    ],
    { cwd: folder, env: { ...process.env, TURNWRIGHT_ERRORS_REPORT: `${report}.errors` } },
  );
  return run.status;
}

const readReport = (folder: string, ...reports: string[]) =>
  execFileSync(process.execPath, [join(SCRIPTS, 'test-report.mjs'), ...reports], {
    cwd: folder,
    encoding: 'utf8',
  })
    .trimEnd()
    .split('\n');

const HEAD = `import { expect, test } from ${JSON.stringify(resolve('node_modules/vitest/dist/index.js'))};\n`;
const GOOD = `${HEAD}test('good', () => expect(1).toBe(1));\n`;
const BAD = `${HEAD}test('bad', () => expect(1).toBe(2));\n`;
const UNCAUGHT = `${HEAD}test('good', async () => { void Promise.reject(new Error('nobody caught it')); });\n`;
const BROKEN = `${HEAD}throw new Error('at its first line');\n`;

test('a test, a whole file and an error outside of tests count as failures, and are named once they fail again', () => {
  const folder = mkdtempSync(join(tmpdir(), 'report-'));
  const [first, again, notes] = ['first.json', 'again.json', 'notes'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const files = {
    'bad.test.mjs': BAD,
    'broken.test.mjs': BROKEN,
    'good.test.mjs': GOOD,
    'once.test.mjs': BAD,
    'uncaught.test.mjs': UNCAUGHT,
  };
  expect(runTests(folder, first, files)).toBe(1);
  const [counts, ...named] = readReport(folder, first);
  expect(counts).toBe('2 4');
  expect(named.sort()).toEqual(['bad.test.mjs', 'broken.test.mjs', 'once.test.mjs', 'uncaught.test.mjs']);

  const { 'good.test.mjs': _, ...failed } = files;
  expect(runTests(folder, again, { ...failed, 'once.test.mjs': GOOD })).toBe(1);
  expect(readReport(folder, first, again, notes)).toEqual(['3 3']);
  expect(readFileSync(notes, 'utf8').trimEnd().split('\n').sort()).toEqual([
    '!  failed once and passed when its file ran alone: once.test.mjs > bad',
    '!! failed: bad.test.mjs > bad',
    '!! failed: broken.test.mjs > (the file itself)',
    '!! failed: uncaught.test.mjs > (outside its tests) nobody caught it',
  ]);
});

test('a runner that ended without a report is one failure, and is named', () => {
  const folder = mkdtempSync(join(tmpdir(), 'report-'));
  const notes = join(folder, 'notes');
  expect(readReport(folder, join(folder, 'none.json'))).toEqual(['0 1']);
  expect(existsSync(notes)).toBe(false);
  expect(readReport(folder, join(folder, 'none.json'), join(folder, 'none.json.again'), notes)).toEqual([
    '0 1',
  ]);
  expect(readFileSync(notes, 'utf8')).toBe('!! the test runner ended without a report (none.json)\n');
});
