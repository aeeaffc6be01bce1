/** S8: what looks like a secret reaches no child process, no log and no error; the files of a session are private. */
import { runTests } from '../existing-tests.ts';
import { row } from '../row.ts';

row('S8', async ({ figures }) => {
  const { passed, failed } = await runTests([
    'packages/cli/test/secrets.test.ts',
    'packages/cli/test/private-files.test.ts',
  ]);
  figures.atLeast('tests with fifty canaries each, and of modes under umask 000', passed, 8);
  figures.none('places where one was found, or a file was open to others', failed);
});
