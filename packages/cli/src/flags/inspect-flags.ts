/** The words of `turnwright inspect` and `turnwright explain`. */
import { type Command, Option } from 'commander';
import { UsageError } from '../usage-error.ts';
import { port } from './flag-values.ts';
import { REDACT } from './replay-flags.ts';

export const EXPORTS = ['html', 'perfetto', 'json'] as const;
export type ExportKind = (typeof EXPORTS)[number];

export interface InspectInvocation {
  readonly command: 'inspect';
  readonly session: string | undefined;
  /** What of it is shown first, as the page's address has it: `i=42`. */
  readonly view: string;
  readonly redact: boolean;
  readonly flags: {
    readonly db?: string;
    readonly port?: number;
    readonly open?: true;
    readonly export?: ExportKind;
    readonly output?: string;
  };
}

export interface ExplainInvocation {
  readonly command: 'explain';
  readonly session: string | undefined;
  readonly redact: boolean;
  readonly json: boolean;
  /** A step, as `explain` numbers it. */
  readonly iteration: string | undefined;
  readonly whyStopped: boolean;
}

const SESSION = ['[session]', 'id of a session; default the newest of this folder'] as const;

export function addInspectCommand(command: Command, onCall: (invocation: InspectInvocation) => void): void {
  command
    .argument(...SESSION)
    .option('--open', 'open it in the browser')
    .addOption(
      new Option('--port <port>', 'listen here, on this machine only')
        .argParser(port)
        .default(undefined, 'any free one'),
    )
    .addOption(new Option('--export <kind>', 'write it instead, to send or to keep').choices(EXPORTS))
    .option('--output <file>', 'with --export: this new file; default the terminal')
    .option(...REDACT)
    .option('--db <url>', 'a session of this Postgres database, instead of the files')
    .action(
      (
        session: string | undefined,
        { redact, ...flags }: InspectInvocation['flags'] & { readonly redact?: true },
      ) => {
        if (flags.output !== undefined && flags.export === undefined)
          throw new UsageError('--output goes with --export html, perfetto or json.', 'turnwright inspect');
        // As the page's own addresses: `5f2c9a10#i=42`.
        const [id = '', view = ''] = (session ?? '').split('#');
        onCall({ command: 'inspect', session: id || undefined, view, redact: redact === true, flags });
      },
    );
}

export function addExplainCommand(command: Command, onCall: (invocation: ExplainInvocation) => void): void {
  command
    .argument(...SESSION)
    .option('--iteration <step>', 'all about this one, by its number')
    .option('--why-stopped', 'the reason alone')
    .option('--json', 'the data of the page that turnwright inspect shows')
    .option(...REDACT)
    .action(
      (
        session: string | undefined,
        given: { iteration?: string; whyStopped?: true; json?: true; redact?: true },
      ) => {
        const { iteration, whyStopped, json, redact } = given;
        onCall({
          command: 'explain',
          session,
          iteration,
          whyStopped: whyStopped === true,
          json: json === true,
          redact: redact === true,
        });
      },
    );
}
