/** Checks completion conditions: commands first, as they may change files, then files, then the judge. */

import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { parseJson } from '@turnwright/base/bounded-json.ts';
import { errorText } from '@turnwright/base/text/error-text.ts';
import { textOfContent } from '@turnwright/base/text/text-blocks.ts';
import { readVerdict } from '../../hooks/run-judge.ts';
import type { CheckReport, VerifyConditions, VerifyJudge } from '../../protocol/session/verification.ts';
import { leaderOfFamily } from '../../protocol/tools/builtin-tools.ts';
import type { Session } from '../session/session.ts';
import { commandOf, type EffectLedger, hasSucceeded } from './effect-ledger.ts';

const COMMAND_TOOL = leaderOfFamily('command');
const COMMAND_MS = 600_000;
/** Most files below the paths of `unchanged`, and most bytes of a file that a schema is for. */
const MOST_FILES = 20_000;
const JSON_BYTES = 16 * 1024 * 1024;
/** Of what a command wrote. */
const OUTPUT_CHARS = 8_000;
const ISSUES = 10;

type Baseline = Readonly<Record<string, string>>;
interface Conditions {
  readonly conditions: VerifyConditions;
  readonly baseline: Baseline;
  readonly ledger: EffectLedger;
}
interface End {
  readonly submission: string;
  readonly iteration: number;
  readonly signal: AbortSignal;
}
type Checked = Pick<Session, 'config' | 'world' | 'tools' | 'tasks' | 'conversation' | 'model' | 'budget'>;

/** All of them hold; the least number of attempts that one of them gives. */
export function joinConditions(all: readonly VerifyConditions[]): VerifyConditions {
  const joined = <K extends 'commands' | 'exist' | 'unchanged' | 'schemas'>(key: K) =>
    all.flatMap((each) => (each[key] ?? []) as readonly NonNullable<VerifyConditions[K]>[number][]);
  const judges = all.flatMap(({ judge }) => (judge === undefined ? [] : [toJudge(judge)]));
  const attempts = all.flatMap(({ attempts: given }) => given ?? []);
  const model = judges.find((judge) => judge.model !== undefined)?.model;
  return {
    commands: [...new Map(joined('commands').map((each) => [commandOf(each), each])).values()],
    exist: [...new Set(joined('exist'))],
    unchanged: [...new Set(joined('unchanged'))],
    schemas: joined('schemas'),
    ...(judges.length > 0 && {
      judge: {
        condition: judges.map(({ condition }) => condition).join('\n'),
        ...(model !== undefined && { model }),
      },
    }),
    ...(attempts.length > 0 && { attempts: Math.min(...attempts) }),
  };
}

const toJudge = (judge: string | VerifyJudge): VerifyJudge =>
  typeof judge === 'string' ? { condition: judge } : judge;

/** What the paths hold that must not change; a path that cannot be read has a problem in its place. */
export async function takeBaseline(
  { unchanged = [] }: VerifyConditions,
  session: Checked,
): Promise<Baseline> {
  const taken: Record<string, string> = {};
  for (const path of unchanged) taken[path] = await digestOf(path, session);
  return taken;
}

export async function checkConditions(
  { conditions, baseline, ledger }: Conditions,
  end: End,
  session: Checked,
): Promise<readonly CheckReport[]> {
  const reports: CheckReport[] = [];
  const { commands = [], exist = [], unchanged = [], schemas = [], judge } = conditions;
  for (const [at, command] of commands.entries()) {
    const report = await checkCommand(command, at, end, ledger, session);
    reports.push(report);
    if (end.signal.aborted || report.outcome === 'impossible') return reports;
  }
  for (const path of exist) reports.push(await checkExists(path, session));
  for (const path of unchanged) reports.push(await checkUnchanged(path, baseline[path], session));
  for (const { file, schema } of schemas) reports.push(await checkSchema(file, schema, session));
  if (judge !== undefined && reports.every(({ outcome }) => outcome === 'passed'))
    reports.push(await checkByJudge(toJudge(judge), end, session));
  return reports;
}

async function checkCommand(
  command: NonNullable<VerifyConditions['commands']>[number],
  at: number,
  { submission, iteration, signal }: End,
  effects: EffectLedger,
  { tools, tasks, world }: Checked,
): Promise<CheckReport> {
  const run = commandOf(command);
  const check = { kind: 'command', name: run } as const;
  // What runs in the background may have changed files at any time.
  const proof = tasks.running().length === 0 ? effects.proofOf(run) : undefined;
  if (proof !== undefined) return { ...check, outcome: 'passed', toolUseId: proof, by: 'model' };
  const toolUseId = `verify_${world.ids.uuid().replaceAll('-', '').slice(-16)}`;
  const timeout = Math.min(
    (typeof command === 'string' ? undefined : command.timeoutMs) ?? COMMAND_MS,
    COMMAND_MS,
  );
  const proven = effects.begin({
    toolUseId,
    toolName: COMMAND_TOOL,
    input: { command: run },
    isAtHome: true,
    changesNothing: false,
  });
  const answer = await tools.callDeclared(
    COMMAND_TOOL,
    { command: run, timeout },
    {
      toolUseId,
      effectKey: `${submission}/${iteration}/0/verify/${at}/${toolUseId}`,
      signal,
    },
  );
  if (!answer.ok) {
    proven(undefined);
    const why = `\`${run}\` could not be run: ${answer.why}`;
    return { ...check, outcome: 'impossible', why, toolUseId, by: 'engine' };
  }
  proven(answer.output);
  if (hasSucceeded(answer.output)) return { ...check, outcome: 'passed', toolUseId, by: 'engine' };
  const [headline = '', ...written] = textOfContent(answer.output.content).split('\n');
  const output = (answer.output.isError === true ? written : [headline, ...written]).join('\n');
  const said = answer.output.isError === true ? headline : 'Exit code 1';
  return {
    ...check,
    outcome: 'failed',
    why: `\`${run}\` failed: ${said}`.replace(/\.?$/, '.'),
    output: output.slice(-OUTPUT_CHARS),
    toolUseId,
    by: 'engine',
  };
}

async function checkExists(path: string, { config, world }: Checked): Promise<CheckReport> {
  const found = await world.files.stat(resolve(config.cwd, path)).catch(() => undefined);
  return found !== undefined
    ? { kind: 'exist', name: path, outcome: 'passed' }
    : { kind: 'exist', name: path, outcome: 'failed', why: `${path} does not exist.` };
}

async function checkUnchanged(
  path: string,
  before: string | undefined,
  session: Checked,
): Promise<CheckReport> {
  const now = await digestOf(path, session);
  const problem = [before, now].find((digest) => digest?.startsWith(PROBLEM));
  const check = { kind: 'unchanged', name: path } as const;
  if (problem !== undefined)
    return {
      ...check,
      outcome: 'impossible',
      why: `${path} could not be read: ${problem.slice(PROBLEM.length)}.`,
    };
  return now === before
    ? { ...check, outcome: 'passed' }
    : {
        ...check,
        outcome: 'failed',
        why: `${path} must not change, and is not as it was when the prompt came.`,
      };
}

const PROBLEM = 'problem: ';

async function digestOf(path: string, { config, world }: Checked): Promise<string> {
  const hash = createHash('sha256');
  let files = 0;
  const add = async (absolute: string, name: string): Promise<void> => {
    const stat = await world.files.lstat(absolute);
    files += 1;
    if (files > MOST_FILES) throw new Error(`it holds more than ${MOST_FILES} files`);
    hash.update(JSON.stringify([name, stat?.kind ?? 'absent']));
    if (stat?.kind === 'symlink') hash.update(JSON.stringify(await world.files.readLink(absolute)));
    else if (stat?.kind === 'file')
      hash.update(
        createHash('sha256')
          .update(await world.files.readFile(absolute))
          .digest(),
      );
    else if (stat?.kind === 'directory')
      for (const entry of [...(await world.files.readDir(absolute))].sort())
        await add(join(absolute, entry), `${name}/${entry}`);
  };
  try {
    await add(resolve(config.cwd, path), '');
    return `sha256:${hash.digest('hex')}`;
  } catch (error) {
    return `${PROBLEM}${errorText(error)}`;
  }
}

async function checkSchema(
  file: string,
  schema: Readonly<Record<string, unknown>>,
  { config, world }: Checked,
): Promise<CheckReport> {
  const check = { kind: 'schema', name: file } as const;
  let bytes: Uint8Array;
  try {
    const stat = await world.files.stat(resolve(config.cwd, file));
    if (stat === undefined) return { ...check, outcome: 'failed', why: `${file} does not exist.` };
    if (stat.size > JSON_BYTES)
      return { ...check, outcome: 'failed', why: `${file} is longer than ${JSON_BYTES} bytes.` };
    bytes = await world.files.readFile(resolve(config.cwd, file));
  } catch (error) {
    return { ...check, outcome: 'impossible', why: `${file} could not be read: ${errorText(error)}.` };
  }
  try {
    const { compileJsonSchema } = await import('../json-schema-check.ts');
    const issuesOf = compileJsonSchema(schema);
    let value: unknown;
    try {
      value = parseJson(new TextDecoder().decode(bytes));
    } catch (error) {
      return { ...check, outcome: 'failed', why: `${file} is no JSON: ${errorText(error)}.` };
    }
    const issues = issuesOf(value);
    if (issues.length === 0) return { ...check, outcome: 'passed' };
    return {
      ...check,
      outcome: 'failed',
      why: `${file} does not fit its schema: ${issues.slice(0, ISSUES).join('; ')}.`,
    };
  } catch (error) {
    return { ...check, outcome: 'impossible', why: errorText(error) };
  }
}

async function checkByJudge(
  { condition, model }: VerifyJudge,
  { signal }: End,
  session: Checked,
): Promise<CheckReport> {
  const check = { kind: 'judge', name: condition } as const;
  try {
    const { askAboutEnd } = await import('../side-calls/ask-judge.ts');
    const verdict = readVerdict(await askAboutEnd(condition, model, signal, session as Session));
    if (verdict === undefined)
      return { ...check, outcome: 'impossible', why: 'The judge gave no clear answer.' };
    if (verdict.ok) return { ...check, outcome: 'passed' };
    const why = `The judge says that this does not hold: ${condition}${verdict.reason === '' ? '' : ` (${verdict.reason})`}`;
    return { ...check, outcome: verdict.impossible ? 'impossible' : 'failed', why };
  } catch (error) {
    return { ...check, outcome: 'impossible', why: `The judge could not be asked: ${errorText(error)}` };
  }
}
