/**
 * A process that keeps one vitest ready and runs test files with one mutant active. `{ files, mutant?, reached? }` comes in,
 * `{ failed }` goes out: the names of what failed. `reached`: the file that takes what each test file reaches.
 */
import { fileURLToPath } from 'node:url';
import { BaseSequencer, createVitest } from 'vitest/node';
import { allMutants } from './mutants.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { sources, bail } = JSON.parse(process.env.MUTATE_LANE);
const { codes } = allMutants(root, sources);

class AsGiven extends BaseSequencer {
  async sort(files) {
    return files;
  }
}

/** Of the run in progress: the modules that vitest returns include those of earlier runs. */
let failed = [];
const reporter = {
  onTestCaseResult(test) {
    if (test.result().state === 'failed') failed.push(`${nameOf(test.module)} > ${test.fullName}`);
  },
  onTestModuleEnd(module) {
    if (module.errors().length > 0) failed.push(nameOf(module));
  },
  onTestSuiteResult(suite) {
    if (suite.errors().length > 0) failed.push(`${nameOf(suite.module)} > ${suite.fullName}`);
  },
  onTestRunEnd(_, errors) {
    if (errors.length > 0) failed.push(`unhandled: ${errors[0].message}`);
  },
};
const nameOf = ({ moduleId }) => moduleId.slice(root.length);

const vitest = await createVitest(
  'test',
  {
    root,
    config: false,
    globalSetup: ['test/temporary-files.ts', 'test/certificates.ts'],
    watch: false,
    isolate: false,
    fileParallelism: false,
    pool: 'threads',
    bail,
    reporters: [reporter],
    setupFiles: [fileURLToPath(new URL('setup.mjs', import.meta.url))],
    sequence: { sequencer: AsGiven },
    include: ['packages/*/test/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    testTimeout: bail === 0 ? 90_000 : 20_000,
  },
  {
    plugins: [
      {
        name: 'mutants',
        enforce: 'pre',
        transform: (_, id) => codes.get(id.split('?')[0].slice(root.length)),
      },
    ],
  },
);
await vitest.standalone?.();

process.on('message', async ({ files, mutant, reached }) => {
  process.env.MUTANT = String(mutant ?? '');
  if (reached === undefined) delete process.env.MUTANT_REACHED;
  else process.env.MUTANT_REACHED = reached;
  const project = vitest.getRootProject();
  const specs = files.map((file) => project.createSpecification(`${root}${file}`));
  failed = [];
  try {
    await vitest.runTestSpecifications(specs);
  } catch (error) {
    failed.push(`run: ${error}`);
  }
  process.send({ failed });
});
process.on('disconnect', () => process.exit());
process.send('ready');
