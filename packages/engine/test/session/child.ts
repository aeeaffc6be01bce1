/** A process of its own for crash tests. Argv: what to do, folder, session. */

import { systemClock } from '@turnwright/base/clock.ts';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { createFileJournalStore } from '../../src/session/journal/file-store.ts';
import { createJournalWriter } from '../../src/session/journal/journal-writer.ts';
import { createFileLeaseStore } from '../../src/session/lease/lease.ts';

const [, , what = '', directory = '', session = ''] = process.argv;
const store = createFileJournalStore({ files: nodeFiles, directory, cwd: '/child', clock: systemClock });
const leases = createFileLeaseStore({ files: nodeFiles, directory, clock: systemClock });

switch (what) {
  /** Appends until it is killed; says each record only after its append has resolved. */
  case 'append': {
    const writer = await createJournalWriter({ store, sessionId: session });
    for (let n = 1; ; n++) {
      const body = {
        type: 'title',
        id: `t${n}`,
        submission: 's1',
        title: 'x'.repeat((n * 37) % 3000),
      } as const;
      await writer
        .append([body])
        ?.catch((error: { code?: string }) => process.exit(error.code === 'fenced' ? 3 : 1));
      if (!process.stdout.write(`t${n}\n`))
        await new Promise((resolve) => process.stdout.once('drain', resolve));
      if (n % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  }
  /** Holds the session until it is killed. */
  case 'hold': {
    await leases.acquire(session);
    process.stdout.write('held\n');
    setInterval(() => undefined, 1000);
    break;
  }
  /** Opens the session as a program would: the lease first, then the journal. */
  case 'open': {
    try {
      await leases.acquire(session);
      await createJournalWriter({ store, sessionId: session });
      process.stdout.write('opened\n');
    } catch (error) {
      process.stdout.write(
        `${JSON.stringify({ code: (error as { code?: string }).code, message: (error as Error).message })}\n`,
      );
    }
    break;
  }
}
