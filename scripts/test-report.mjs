/**
 * Reads a JSON report of the test runner, and the report of a second run of the files that failed in the first.
 *
 * node scripts/test-report.mjs FIRST                  prints "PASSED FAILED", then each file with a failure on a line
 * node scripts/test-report.mjs FIRST AGAIN NOTES      prints "PASSED FAILED" of both together, and appends to NOTES a
 *                                                     line for every test that failed once or twice
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

const [first, again, notes] = process.argv.slice(2);

/** What ran, by file: the tests by their full names with their states, and whether the file failed outside its tests. */
function read(path) {
  const files = new Map();
  for (const { name, status, assertionResults } of JSON.parse(readFileSync(path, 'utf8')).testResults) {
    const tests = new Map(assertionResults.map((test) => [test.fullName, test.status]));
    const broken = status === 'failed' && ![...tests.values()].includes('failed');
    files.set(relative(process.cwd(), name), { tests, broken });
  }
  return files;
}

function failuresOf({ tests, broken }) {
  const failures = [...tests].filter(([, status]) => status === 'failed').map(([name]) => name);
  return broken ? [...failures, '(the file itself)'] : failures;
}

function count(files) {
  let passed = 0;
  let failed = 0;
  for (const file of files.values()) {
    passed += [...file.tests.values()].filter((status) => status === 'passed').length;
    failed += failuresOf(file).length;
  }
  return `${passed} ${failed}`;
}

try {
  const files = read(first);
  if (again === undefined) {
    console.log(count(files));
    for (const [name, file] of files) if (failuresOf(file).length > 0) console.log(name);
  } else {
    for (const [name, second] of read(again)) {
      const twice = new Set(failuresOf(second));
      for (const test of new Set([...failuresOf(files.get(name) ?? second), ...twice])) {
        const line = twice.has(test) ? '!! failed' : '!  failed once and passed when its file ran alone';
        appendFileSync(notes, `${line}: ${name} > ${test}\n`);
      }
      files.set(name, second);
    }
    console.log(count(files));
  }
} catch {
  console.log('0 1');
}
