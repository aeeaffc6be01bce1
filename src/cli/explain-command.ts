/** `turnwright explain [session]`: why each iteration of a session ended as it did. */
import { basename } from 'node:path';
import { explainSession } from '../session/explain.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { visible } from './screen/visible.ts';
import { configHomeOf, journalsIn, newestOf, readJournal } from './sessions.ts';
import { UsageError } from './usage-error.ts';
import type { World } from './world.ts';

export async function explainCommand(world: World, session: string | undefined): Promise<ExitCode> {
  const home = configHomeOf(world.env, world.cwd);
  if (home === undefined)
    throw new UsageError('There is no home directory, so there are no sessions. Set TURNWRIGHT_HOME.');
  const file = await journalOf(home, world.cwd, session);
  await world.out.write(`${visible(explainSession(await readJournal(file)).trimEnd())}\n`);
  return EXIT.success;
}

/** The named session, in whatever folder it ran; else the newest of this one. */
async function journalOf(home: string, cwd: string, session: string | undefined): Promise<string> {
  if (session === undefined) {
    const newest = await newestOf(await journalsIn(home, cwd));
    if (newest === undefined) throw new UsageError(`There is no session of ${cwd} in ${home} yet.`);
    return newest;
  }
  const file = (await journalsIn(home)).find((path) => basename(path) === `${session}.jsonl`);
  if (file === undefined) throw new UsageError(`There is no session ${session} in ${home}.`);
  return file;
}
