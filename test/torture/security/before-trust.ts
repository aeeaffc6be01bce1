/** S5: a hostile repository is opened in every way, under strace: nothing starts, nothing is sent, nothing is written. */
import { runTests } from '../existing-tests.ts';
import { row } from '../row.ts';

row('S5', async ({ figures, size }) => {
  const { passed, failed } = await runTests([
    'packages/cli/test/hostile-clone.test.ts',
    'packages/cli/test/trust.test.ts',
  ]);
  figures.atLeast('ways to open hostile repositories', passed, size(20, 40));
  figures.none('in which something ran, or was sent', failed);
});
