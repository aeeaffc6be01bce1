/**
 * Parses `turnwright eval` and `turnwright case` by themselves: some of their flags mean another thing than
 * a run's.
 */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { UsageError } from '../usage-error.ts';
import { fraction, jsonObject, positiveInteger, positiveNumber } from './flag-values.ts';

export interface NamedSettings {
  readonly name: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

export interface EvalInvocation {
  readonly command: 'eval';
  readonly cases: readonly string[];
  readonly flags: {
    readonly model: readonly string[];
    readonly settings: readonly NamedSettings[];
    readonly runs: number;
    readonly concurrency: number;
    readonly maxBudgetUsd?: number;
    readonly maxTurns?: number;
    readonly to?: string;
    readonly again?: true;
    readonly replayed?: true;
    readonly json?: true;
    readonly trustProject?: true;
    readonly minPassRate?: number;
    readonly maxCostPerRun?: number;
    readonly maxTurnsPerRun?: number;
  };
}

export interface CaseInvocation {
  readonly command: 'case';
  readonly action: 'add';
  readonly session: string | undefined;
  readonly to: string | undefined;
  /** Id of a prompt. */
  readonly at: string | undefined;
}

type OnCall = (invocation: EvalInvocation | CaseInvocation) => void;

/** `argv` begins with one of the two. `program`: an empty one of the same name. */
export function parseEvalArgs(program: Command, argv: readonly string[], onCall: OnCall): void {
  addEvalCommands(program, onCall);
  program.parse(argv, { from: 'user' });
}

export const EVAL_COMMANDS: readonly (string | undefined)[] = ['eval', 'case'];

export function addEvalCommands(program: Command, onCall: OnCall): void {
  addEval(program, onCall);
  const cases = program
    .command('case')
    .description('make a case for eval of a session')
    .usage('add [session] [flags]')
    .argument('[words...]')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .configureHelp({ subcommandTerm: (command) => command.name(), visibleArguments: () => [] })
    .action(() => {
      throw new UsageError('The one thing to do with cases is add: turnwright case add <session>.');
    });
  cases
    .command('add')
    .description('a folder with prompt, state of the files, proposed checks and recorded answers')
    .argument('[session]', 'id of a session; default the newest of this folder')
    .option('--at <message>', 'the prompt with this id, in place of the first one')
    .option('--to <folder>', 'the folder to make (default cases/<words of the prompt>)')
    .helpOption('-h, --help', 'print this help')
    .action((session: string | undefined, { at, to }: { at?: string; to?: string }) =>
      onCall({ command: 'case', action: 'add', session, at, to }),
    );
}

function addEval(program: Command, onCall: OnCall): void {
  program
    .command('eval')
    .description('run cases by several models or settings, several times, within a budget')
    .argument('<cases...>', 'folders of cases')
    .addOption(
      new Option('--model <models>', 'comma-separated; each is a variant')
        .argParser(commaSeparated)
        .default([], 'the configured one'),
    )
    .addOption(
      new Option('--settings <name=file>', 'settings of a variant; repeatable, and combined with each model')
        .argParser(namedSettings)
        .default([], 'none'),
    )
    .addOption(new Option('--runs <n>', 'of each case and variant').argParser(positiveInteger).default(1))
    .addOption(new Option('--concurrency <n>', 'runs at the same time').argParser(positiveInteger).default(4))
    .addOption(
      new Option('--max-budget-usd <usd>', 'for all runs together; never exceeded').argParser(positiveNumber),
    )
    .addOption(new Option('--max-turns <n>', 'of each run').argParser(positiveInteger))
    .option('--replayed', 'no model: the answers that are recorded with the cases')
    .option('--to <folder>', 'where results are kept (default .turnwright-evals/<folder of the cases>)')
    .option('--again', 'run everything anew; earlier results are kept beside')
    .option('--json', 'all figures as JSON')
    .option('--trust-project', 'settings in the working copies take full effect')
    .addOption(
      new Option('--min-pass-rate <share>', 'exit with 1 when a variant passes less often').argParser(
        fraction,
      ),
    )
    .addOption(
      new Option('--max-cost-per-run <usd>', 'exit with 1 when a variant costs more on average').argParser(
        positiveNumber,
      ),
    )
    .addOption(
      new Option('--max-turns-per-run <n>', 'exit with 1 when a variant takes more on average').argParser(
        positiveNumber,
      ),
    )
    .helpOption('-h, --help', 'print this help')
    .action((cases: string[], flags: EvalInvocation['flags']) => onCall({ command: 'eval', cases, flags }));
}

function commaSeparated(words: string): readonly string[] {
  const names = words.split(',').map((name) => name.trim());
  if (names.includes('')) throw new InvalidArgumentError('Give models, with commas between them.');
  return [...new Set(names)];
}

/** `careful=careful.json`; without a name the file's. */
function namedSettings(word: string, before: readonly NamedSettings[]): readonly NamedSettings[] {
  const [, given, path = word] = /^([\w.-]+)=(.+)$/s.exec(word) ?? [];
  const name = given ?? (path.split(/[/\\]/).at(-1) ?? path).replace(/\.json$/, '');
  if (before.some((one) => one.name === name))
    throw new InvalidArgumentError(`Two settings are named ${name}: give them names, as in careful=${path}.`);
  return [...before, { name, settings: jsonObject(path) }];
}
