/** Test files of the suite as a part of a row: the same code, in its long form when the row runs in full. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ORDER } from './order.ts';

interface TestsRun {
  readonly passed: number;
  /** Full names of what failed; a file that could not be run is one of them. */
  readonly failed: readonly string[];
}

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

/**
 * Runs test files (or folders) of the suite in a process of its own. `named`: only tests whose name matches. `env` is
 * added, for example the number of runs of a property test (`TURNWRIGHT_PROPERTY_RUNS`).
 */
export async function runTests(
  files: readonly string[],
  options: { readonly named?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<TestsRun> {
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
    const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report;
    const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
    const brokenFiles = testResults.filter(
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
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
