/** The words of `turnwright replay` and `turnwright record`. */
import type { Command } from 'commander';
import { UsageError } from '../usage-error.ts';

export interface ReplayInvocation {
  readonly command: 'replay';
  readonly session: string | undefined;
  readonly json: boolean;
  readonly redact: boolean;
  /** From 1. */
  readonly submission: number | undefined;
  /** A Postgres database that has the session; absent: files. */
  readonly db: string | undefined;
}

export interface RecordInvocation {
  readonly command: 'record';
  readonly session: string | undefined;
  readonly output: string | undefined;
  readonly redact: boolean;
  /** From 1. */
  readonly submission: number | undefined;
}

/** Of all commands that have it. */
export const REDACT = ['--redact', 'without contents: texts, inputs, results and paths'] as const;

export function addRecordCommand(command: Command, onCall: (invocation: RecordInvocation) => void): void {
  command
    .argument('[session]', 'id of a session; default the newest of this folder')
    .option('--output <file>', 'write it to this new file; default the terminal')
    .option(...REDACT)
    .option('--submission <number>', 'this submission, from 1; default the last one')
    .action((session: string | undefined, given: { output?: string; redact?: true; submission?: string }) => {
      const { output, redact, submission } = given;
      onCall({
        command: 'record',
        session,
        output,
        redact: redact === true,
        submission: submission === undefined ? undefined : ordinal('record', submission),
      });
    });
}

export function addReplayCommand(command: Command, onCall: (invocation: ReplayInvocation) => void): void {
  command
    .argument('[session]', 'id of a session; default the newest of this folder')
    .option('--json', 'as JSON')
    .option(...REDACT)
    .option('--submission <number>', 'only this submission, from 1')
    .option('--db <url>', 'a session of this Postgres database, instead of the files')
    .action((session: string | undefined, given: GivenToReplay) => {
      const { json, redact, submission, db } = given;
      onCall({
        command: 'replay',
        session,
        json: json === true,
        redact: redact === true,
        submission: submission === undefined ? undefined : ordinal('replay', submission),
        db,
      });
    });
}

interface GivenToReplay {
  readonly json?: true;
  readonly redact?: true;
  readonly submission?: string;
  readonly db?: string;
}

function ordinal(command: 'record' | 'replay', text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new UsageError(
    `--submission takes the number of a submission, from 1, not "${text}".`,
    `turnwright ${command}`,
  );
}
