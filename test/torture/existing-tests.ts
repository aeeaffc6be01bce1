/** Test files of the suite as a part of a row: the same code, in its long form when the row runs in full. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { ORDER } from './order.ts';

interface TestsRun {
  readonly passed: number;
  /** Full names of what failed; a file that could not be run is one of them. */
  readonly failed: readonly string[];
}

interface FileReport {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
}

interface Report {
  readonly testResults: readonly FileReport[];
}

/**
 * The variable that names reports of runs of the suite, separated like the folders of a search path: the first one with a
 * file counts, where all of its results are good.
 */
const REPORT = 'TURNWRIGHT_TESTS_REPORT';

/**
 * Runs test files (or folders) of the suite in a process of its own. `named`: only tests whose name matches. `env` is
 * added, for example the number of runs of a property test (`TURNWRIGHT_PROPERTY_RUNS`). In the gate, files that its own
 * run of the suite has passed are not run again (`TURNWRIGHT_TESTS_REPORT`).
 */
export async function runTests(
  files: readonly string[],
  options: { readonly named?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<TestsRun> {
  const known = options.named === undefined && options.env === undefined ? reported(files) : undefined;
  if (known !== undefined) return known;
  const folder = mkdtempSync(join(tmpdir(), 'existing-'));
  const report = join(folder, 'report.json');
  const { [ORDER]: _, ...env } = process.env;
  const program = join(import.meta.dirname, '../../node_modules/vitest/vitest.mjs');
  const child = spawn(
    process.execPath,
    [
      program,
      'run',
      '--reporter=json',
      `--outputFile=${report}`,
      '--maxWorkers=2',
      ...(options.named === undefined ? [] : ['-t', options.named]),
      ...files,
    ],
    { stdio: 'ignore', env: { ...env, VITEST: undefined, ...options.env } },
  );
  await new Promise((resolve, reject) => child.on('close', resolve).on('error', reject));
  try {
    return summed(readReport(report).testResults);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** undefined: not all of these files have run, or one has failed. */
function reported(files: readonly string[]): TestsRun | undefined {
  const reports = (process.env[REPORT] ?? '').split(delimiter).filter((path) => existsSync(path));
  const testResults = reports.flatMap((path) => readReport(path).testResults);
  const found = files.map((file) => testResults.find(({ name }) => name.endsWith(`/${file}`)));
  if (!found.every((file) => file?.status === 'passed')) return undefined;
  return summed(found.flatMap((file) => file ?? []));
}

const readReport = (path: string): Report => JSON.parse(readFileSync(path, 'utf8'));

function summed(files: readonly FileReport[]): TestsRun {
  const tests = files.flatMap(({ assertionResults }) => assertionResults);
  const brokenFiles = files.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  );
  return {
    passed: tests.filter(({ status }) => status === 'passed').length,
    failed: [
      ...tests.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
      ...brokenFiles.map(({ name, message }) => `${name}: ${message}`),
    ],
  };
}
