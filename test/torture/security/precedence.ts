/** S9: rules, modes and sources in any combination: a deny rule beats all of them. */
import { runTests } from '../existing-tests.ts';
import { row } from '../row.ts';

/** Properties that are run so often each. */
const PROPERTIES = 6;

row('S9', async ({ figures, size }) => {
  const runs = size(500, 170_000);
  const { passed, failed } = await runTests(['packages/engine/test/permissions/properties.test.ts'], {
    env: { TURNWRIGHT_PROPERTY_RUNS: String(runs) },
  });
  figures.atLeast(
    'decisions compared',
    failed.length === 0 && passed >= PROPERTIES ? runs * PROPERTIES : 0,
    size(3_000, 1_000_000),
  );
  figures.none('counter-examples', failed);
});
