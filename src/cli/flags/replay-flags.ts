/** The words of `turnwright replay`. */
import type { Command } from 'commander';
import { UsageError } from '../usage-error.ts';

export interface ReplayInvocation {
  readonly command: 'replay';
  readonly session: string | undefined;
  readonly json: boolean;
  /** From 1. */
  readonly submission: number | undefined;
}

export function addReplayCommand(command: Command, onCall: (invocation: ReplayInvocation) => void): void {
  command
    .argument('[session]', 'id of a session; default the newest of this folder')
    .option('--json', 'as JSON')
    .option('--submission <number>', 'only this submission, from 1')
    .action((session: string | undefined, given: { json?: true; submission?: string }) => {
      const { json, submission } = given;
      onCall({
        command: 'replay',
        session,
        json: json === true,
        submission: submission === undefined ? undefined : ordinal(submission),
      });
    });
}

function ordinal(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new UsageError(`--submission takes the number of a submission, from 1, not "${text}".`);
}
