/** The words of `turnwright worktree`. */
import { Argument, type Command } from 'commander';
import { UsageError } from '../usage-error.ts';

const ACTIONS = ['list', 'diff', 'apply', 'keep', 'drop'] as const;

export interface WorktreeInvocation {
  readonly command: 'worktree';
  readonly action: (typeof ACTIONS)[number];
  /** Absent for `list` alone. */
  readonly name: string;
  readonly json: boolean;
  readonly force: boolean;
}

export function addWorktreeCommand(command: Command, onCall: (invocation: WorktreeInvocation) => void): void {
  command
    .addArgument(new Argument('<action>', 'what to do').choices(ACTIONS))
    .argument('[name]', 'of the worktree, as list names it')
    .option('--json', 'with list: as JSON')
    .option('--force', 'with drop: also what is in it')
    .action(
      (
        action: WorktreeInvocation['action'],
        name: string | undefined,
        { json, force }: { json?: true; force?: true },
      ) => {
        const refuse = (sentence: string) => {
          throw new UsageError(sentence, 'turnwright worktree');
        };
        if (action === 'list' && name !== undefined) refuse('list takes no name: it shows all of them.');
        if (action !== 'list' && name === undefined) refuse(`Say which worktree: worktree ${action} <name>.`);
        if (json === true && action !== 'list') refuse('--json goes with list.');
        if (force === true && action !== 'drop') refuse('--force goes with drop.');
        onCall({ command: 'worktree', action, name: name ?? '', json: json === true, force: force === true });
      },
    );
}
