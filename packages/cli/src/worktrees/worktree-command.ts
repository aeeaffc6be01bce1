/** `turnwright worktree`: what runs have left in worktrees, and what becomes of it. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorText } from '@turnwright/base/text/error-text.ts';
import { type KeptCopy, openKeptCopy } from '@turnwright/base/working-copies/kept-copies.ts';
import { sweepUnfinishedCopies } from '@turnwright/base/working-copies/left-copies.ts';
import { runGitHere, withoutRepositoryFilters } from '@turnwright/base/working-copies/run-git-here.ts';
import type { WorkingCopy } from '@turnwright/base/working-copies/working-copy.ts';
import { visible } from '@turnwright/terminal/text/visible.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { UsageError } from '../usage-error.ts';
import { alignedRows, counted } from '../words/units.ts';
import type { World } from '../world.ts';
import type { WorktreeInvocation } from './worktree-flags.ts';
import { findWorktreePlaces, listWorktreeCopies, type WorktreePlaces } from './worktree-place.ts';

const NONE =
  'There are no worktrees of this repository. turnwright --worktree <name> -- "a task" works in one.';

export async function runWorktreeCommand(world: World, call: WorktreeInvocation): Promise<ExitCode> {
  const places = await findWorktreePlaces(world.cwd);
  const copies = await listWorktreeCopies(places);
  const { action, name } = call;
  if (action === 'list') return listThem(world, copies, call.json);
  const kept = copies.find((each) => each.name === name);
  if (kept === undefined) {
    const names = copies.map((each) => each.name).join(', ');
    throw new UsageError(`There is no worktree "${name}". ${names === '' ? NONE : `There are: ${names}.`}`);
  }
  const copy = await openKeptCopy(kept, world.env);
  if (copy === undefined && action === 'drop' && kept.state === 'unfinished') {
    for (const parent of places.parents) await sweepUnfinishedCopies(parent, world.env);
    return say(world, `Removed ${name}, which was never finished.`);
  }
  if (copy === undefined)
    throw new UsageError(`The worktree ${name} is being made or removed; nothing is in it yet.`);
  if (action !== 'diff' && kept.state === 'in use')
    throw new UsageError(`A process works in the worktree ${name}. Wait for its end, or end it.`);
  const acted = await ACTIONS[action]({ world, call, kept, copy, places });
  return typeof acted === 'string' ? say(world, acted) : acted;
}

async function say({ out }: World, sentence: string): Promise<ExitCode> {
  await out.write(`${sentence}\n`);
  return EXIT.success;
}

interface Acted {
  readonly world: World;
  readonly call: WorktreeInvocation;
  readonly kept: KeptCopy;
  readonly copy: WorkingCopy;
  readonly places: WorktreePlaces;
}

/** A sentence, or the exit code once it is said. */
const ACTIONS: Readonly<
  Record<Exclude<WorktreeInvocation['action'], 'list'>, (acted: Acted) => Promise<string | ExitCode>>
> = {
  async diff({ world, copy, call }) {
    const { text } = await copy.compare();
    if (text === '') return `Nothing differs from its beginning in ${call.name}, but for what git ignores.`;
    await world.out.write(text);
    return EXIT.success;
  },
  async apply({ copy, call, kept, world: { env }, places: { root } }) {
    const patch = await copy.makePatch();
    if (patch === '') return `Nothing was changed in ${call.name}: there is nothing to apply.`;
    const file = join(kept.container, 'compare', 'apply.patch');
    await writeFile(file, patch);
    const git = await withoutRepositoryFilters({ cwd: root, env });
    const args = ['apply', '--whitespace=nowarn', file];
    await runGitHere(args, { cwd: root, env, git }).catch((error: unknown) => {
      throw new UsageError(
        `The changes of ${call.name} do not fit ${root} as it is now, and nothing was changed there: ${errorText(error)} Merge the commit instead: turnwright worktree keep ${call.name}`,
      );
    });
    const { files } = await copy.compare();
    return `${counted(files.length, 'file')} changed in ${root}. The worktree stays until: turnwright worktree drop ${call.name} --force`;
  },
  async keep({ copy, call, kept }) {
    const ref = await copy.commitTo(call.name).catch((error: unknown) => {
      throw new UsageError(`The worktree ${call.name} stays as it is: ${errorText(error)}`);
    });
    return `Committed as ${ref}: git merge ${ref}. The files stay in ${visible(kept.path)}.`;
  },
  async drop({ copy, call }) {
    if (call.force) {
      await copy.discard();
      return `Removed ${call.name} with everything in it.`;
    }
    const { removed, why } = await copy.removeUnlessUsed();
    if (removed) return `Removed ${call.name}: nothing was changed in it.`;
    throw new UsageError(
      `The worktree ${call.name} stays: ${why}. turnwright worktree keep ${call.name} commits it; drop ${call.name} --force removes it with everything in it.`,
    );
  },
};

async function listThem(world: World, copies: readonly KeptCopy[], json: boolean): Promise<ExitCode> {
  const rows = await Promise.all(copies.map((kept) => describeKept(kept, world)));
  if (json) await world.out.write(`${JSON.stringify(rows, undefined, 2)}\n`);
  else if (rows.length === 0) await world.out.write(`${NONE}\n`);
  else {
    const cells = rows.map(({ name, state, changed, made_at, path }) => [
      name,
      state,
      changed,
      made_at.slice(0, 16).replace('T', ' '),
      visible(path),
    ]);
    await world.out.write(
      `${alignedRows([['name', 'state', 'files', 'made', 'folder'], ...cells], 2).join('\n')}\n`,
    );
  }
  return EXIT.success;
}

/** `changed`: files without those that git ignores; `?` where that cannot be found out. */
async function describeKept(kept: KeptCopy, { env }: World) {
  const { name, state, path, folder, madeAt: made_at } = kept;
  const copy = await openKeptCopy(kept, env);
  const difference = await copy?.compare().catch(() => undefined);
  return {
    name,
    state,
    changed: difference === undefined ? '?' : `${difference.files.length}`,
    made_at,
    path,
    folder,
  };
}
