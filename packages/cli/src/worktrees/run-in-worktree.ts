/** `--worktree [name]`: a run in a git worktree of its own, which is removed only when nothing is in it. */
import { uuid } from '@turnwright/base/ids/hash-and-uuid.ts';
import { errorText } from '@turnwright/base/text/error-text.ts';
import { letGoOfCopy, openKeptCopy } from '@turnwright/base/working-copies/kept-copies.ts';
import { sweepUnfinishedCopies } from '@turnwright/base/working-copies/left-copies.ts';
import { makeWorkingCopy } from '@turnwright/base/working-copies/make-working-copy.ts';
import type { WorkingCopy } from '@turnwright/base/working-copies/working-copy.ts';
import { visible } from '@turnwright/terminal/text/visible.ts';
import type { ExitCode } from '../exit-codes.ts';
import type { RunFlags } from '../flags/run-flags.ts';
import { isTrustedAlike } from '../run/trusted-alike.ts';
import { UsageError } from '../usage-error.ts';
import { type World, warnOn } from '../world.ts';
import { checkWorktreeName, findWorktreePlaces, listWorktreeCopies } from './worktree-place.ts';

export async function runInWorktree(
  world: World,
  { worktree, ...flags }: RunFlags,
  run: (world: World, flags: RunFlags) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { cwd, env } = world;
  const say = warnOn(world);
  const name = typeof worktree === 'string' ? worktree : `w-${uuid().slice(0, 8)}`;
  const copy = await openOrMake(name, world, say);
  const trusted = await isTrustedAlike(cwd, copy.path, { env }, say);
  const inside = Object.create(world, { cwd: { value: copy.path } }) as World;
  try {
    return await run(inside, trusted ? { ...flags, trustProject: true } : flags);
  } finally {
    await settleWorktree(name, copy).then(say, (error: unknown) =>
      say(`The worktree ${name} stays in ${copy.path}: ${errorText(error)}`),
    );
  }
}

async function openOrMake(
  name: string,
  { cwd, env, signals }: World,
  say: (line: string) => void,
): Promise<WorkingCopy> {
  checkWorktreeName(name);
  const places = await findWorktreePlaces(cwd);
  for (const parent of places.parents) await sweepUnfinishedCopies(parent, env);
  const found = (await listWorktreeCopies(places)).find((each) => each.name === name);
  if (found?.state === 'in use')
    throw new UsageError(`Another process works in the worktree ${name} (${found.path}). Use another name.`);
  const kept = found && (await openKeptCopy(found, env, { takeOver: true }));
  if (kept !== undefined) {
    say(`Going on in the worktree ${name}: ${visible(kept.path)}`);
    return kept;
  }
  const stopped = new AbortController();
  const detach = signals.attach({ interrupt: () => stopped.abort(), close: () => stopped.abort() });
  const request = { folder: cwd, parent: places.parent, name, env, signal: stopped.signal };
  const made = await makeWorkingCopy(request)
    .catch((error: unknown) => {
      throw new UsageError(errorText(error));
    })
    .finally(detach);
  if (made.kind === 'copy') {
    await made.discard();
    throw new UsageError(
      `${cwd} is in no git repository with a commit, so there can be no worktree. Make one: git init, git add, git commit.`,
    );
  }
  say(`Working in the worktree ${name}: ${visible(made.path)}`);
  for (const note of made.notes) say(`${visible(note)}.`);
  return made;
}

/** Removes it if it is proven empty; else it stays, is committed without what git ignores, and is named. */
async function settleWorktree(name: string, copy: WorkingCopy): Promise<string> {
  const { removed, why } = await copy.removeUnlessUsed();
  if (removed) return `Nothing was changed in the worktree ${name}; it is removed.`;
  await letGoOfCopy(copy);
  const ref = await copy.commitTo(name).catch((error: unknown) => `not committed (${errorText(error)})`);
  return `The worktree ${name} stays (${why}): ${visible(copy.path)}, ${ref}. Next: turnwright worktree diff, apply, keep or drop ${name}`;
}
