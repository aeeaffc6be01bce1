/**
 * Temporary files of one run of the tests lie in one folder, which goes with the run: what a test or a program that it
 * starts leaves behind is removed with it. Set before the workers start, which take over the environment.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { keepSessionsBelow } from './support/keep-sessions.ts';

let folder: string | undefined;

/** What is built once for all tests of a run. */
export const builtFiles = (): string => join(tmpdir(), 'built');

export function setup(project: TestProject): void {
  // Several lists in one run share the folder of the first. A short name, for the paths of sockets below it may have 107
  // bytes and no more.
  if (basename(tmpdir()).startsWith('tw-')) return;
  folder = mkdtempSync(join(tmpdir(), 'tw-'));
  // Some tests start programs as another user.
  chmodSync(folder, 0o755);
  process.env['TMPDIR'] = folder;
  // What was built of sources that have changed since.
  project.onTestsRerun(() => rmSync(builtFiles(), { recursive: true, force: true }));
}

export function teardown(): void {
  if (folder === undefined) return;
  keepSessionsBelow(folder);
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
