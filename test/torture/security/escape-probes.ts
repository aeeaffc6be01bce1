/** S6: attempts to get out of the sandbox, as root and as another user. */

import { PROBES } from '../../sandbox/escape-probes.ts';
import { runTests } from '../existing-tests.ts';
import { row } from '../row.ts';

row('S6', async ({ figures, quick }) => {
  const files = quick
    ? ['test/sandbox/escape-probes.test.ts']
    : [
        'test/sandbox/escape-probes.test.ts',
        'test/sandbox/mount-race.test.ts',
        'test/sandbox/policy.test.ts',
      ];
  const { passed, failed } = await runTests(files, { env: { TURNWRIGHT_LONG_TESTS: '1' } });
  figures.atLeast('probes', PROBES.length, 80);
  figures.atLeast(
    'tests that passed, each probe as root and as another user among them',
    passed,
    quick ? 3 : 5,
  );
  figures.none('escapes', failed);
});
