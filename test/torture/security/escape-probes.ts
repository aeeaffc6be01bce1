/** S6: attempts to get out of the sandbox, as root and as another user. */

import { TRIED } from '../../sandbox/escape-probes.ts';
import { runTests } from '../existing-tests.ts';
import { row } from '../row.ts';

row('S6', async ({ figures, quick, size }) => {
  const files = quick
    ? ['packages/engine/test/sandbox/escape-probes.test.ts']
    : [
        'packages/engine/test/sandbox/escape-probes.test.ts',
        'packages/engine/test/sandbox/mount-race.test.ts',
        'packages/engine/test/sandbox/policy.test.ts',
      ];
  const { passed, failed } = await runTests(files);
  figures.atLeast('probes', TRIED.length, size(20, 80));
  figures.atLeast(
    quick ? 'tests that passed' : 'tests that passed, each probe as root and as another user among them',
    passed,
    size(2, 5),
  );
  figures.none('escapes', failed);
});
