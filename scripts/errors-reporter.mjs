/**
 * A reporter of the test runner which writes down what failed outside of every test: an error that nobody caught, a worker
 * that died. The runner's JSON report does not have these, and the run fails because of them all the same.
 *
 * TURNWRIGHT_ERRORS_REPORT=errors.json npx vitest run --reporter=default --reporter=./scripts/errors-reporter.mjs
 *
 * The file is a list of `{ file, message }`; `file` is missing where the runner does not know what was running.
 */
import { writeFileSync } from 'node:fs';

export default class ErrorsReporter {
  onTestRunEnd(_modules, errors) {
    const path = process.env.TURNWRIGHT_ERRORS_REPORT;
    if (path === undefined) return;
    const found = errors.map((error) => ({ file: error.VITEST_TEST_PATH, message: String(error.message) }));
    writeFileSync(path, JSON.stringify(found));
  }
}
