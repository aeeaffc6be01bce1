/**
 * Reads what the test runner reports of a run, and of a second run of the files that failed in the first.
 *
 * node scripts/test-report.mjs FIRST                  prints "PASSED FAILED", then each file with a failure on a line
 * node scripts/test-report.mjs FIRST AGAIN NOTES      prints "PASSED FAILED" of both together, and appends to NOTES a
 *                                                     line for every test that failed once or twice
 *
 * FIRST and AGAIN are JSON reports. Beside each lies, as FIRST.errors, what `errors-reporter.mjs` wrote: an error outside of
 * every test counts as a failure of the file that was running. A report that cannot be read counts as one failure.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

const [first, again, notes] = process.argv.slice(2);

const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

/** By file: how many tests passed, and the names of what failed. The name "" stands for a file that nobody knows. */
function read(path) {
  const files = new Map();
  for (const { name, status, assertionResults } of readJson(path).testResults) {
    const failures = assertionResults.filter((test) => test.status === 'failed').map((test) => test.fullName);
    if (status === 'failed' && failures.length === 0) failures.push('(the file itself)');
    const passed = assertionResults.filter((test) => test.status === 'passed').length;
    files.set(relative(process.cwd(), name), { passed, failures });
  }
  const errors = existsSync(`${path}.errors`) ? readJson(`${path}.errors`) : [];
  for (const { file, message } of errors) {
    const name = file === undefined ? '' : relative(process.cwd(), file);
    const found = files.get(name) ?? { passed: 0, failures: [] };
    files.set(name, found);
    found.failures.push(`(outside its tests) ${message.split('\n', 1)[0]}`);
  }
  return files;
}

/** @returns the files' results, or `undefined` when the runner ended before it wrote a report. */
function tryToRead(path) {
  try {
    return read(path);
  } catch {
    return undefined;
  }
}

function describeCounts(files) {
  const all = [...files.values()];
  const passed = all.reduce((sum, file) => sum + file.passed, 0);
  const failed = all.reduce((sum, file) => sum + file.failures.length, 0);
  return `${passed} ${failed}`;
}

function note(line) {
  appendFileSync(notes, `${line}\n`);
}

/** Says of each failure of a file whether it came again. An error outside of every test came again if any did. */
function noteFailures(name, before, after) {
  for (const test of before.failures) {
    if (!after.failures.includes(test))
      note(`!  failed once and passed when its file ran alone: ${name} > ${test}`);
  }
  for (const test of after.failures) note(`!! failed: ${name} > ${test}`);
}

const files = tryToRead(first);
if (files === undefined) {
  if (notes !== undefined) note(`!! the test runner ended without a report (${first.split('/').at(-1)})`);
  console.log('0 1');
} else if (again === undefined) {
  console.log(describeCounts(files));
  for (const [name, { failures }] of files) if (failures.length > 0 && name !== '') console.log(name);
} else {
  const second = tryToRead(again) ?? new Map();
  const nothing = { passed: 0, failures: [] };
  for (const [name, before] of files) {
    const after = second.get(name);
    if (after !== undefined) {
      noteFailures(name, before, after);
      files.set(name, after);
    } else {
      noteFailures(name, nothing, before);
    }
  }
  for (const [name, after] of second) {
    if (files.has(name)) continue;
    noteFailures(name, nothing, after);
    files.set(name, after);
  }
  console.log(describeCounts(files));
}
