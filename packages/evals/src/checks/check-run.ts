/** Whether what a case demands holds, in the working copy of a run that has ended. */
import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256 } from '@turnwright/base/ids/hash-and-uuid.ts';
import { bounded } from '@turnwright/base/text/cut-text.ts';
import type { Options, SDKResultMessage } from '@turnwright/engine';
import type { CaseCheck, TextDemand } from '../case/eval-case.ts';
import type { CheckOutcome } from '../results/run-record.ts';
import { runCheckCommand } from './check-command.ts';
import { judgeRun } from './judge-answer.ts';

interface CheckedRun {
  /** Absolute: its working copy. */
  readonly folder: string;
  /** What the run changed, as git prints it. */
  readonly diff: () => Promise<string>;
  /** Hashes of files before the run; undefined: not there. */
  readonly before: ReadonlyMap<string, string | undefined>;
  readonly result: SDKResultMessage;
  /** Options of the run: checks use its settings, environment and purse. */
  readonly options: Options;
  readonly prompt: string;
  readonly signal: AbortSignal;
  /** No model may be asked. */
  readonly isOffline: boolean;
}

interface Checked {
  readonly checks: readonly CheckOutcome[];
  readonly judgeUsd: number;
}

/** In order; each is run, whatever came of those before it. Rejects on abort. */
export async function checkRun(checks: readonly CaseCheck[], run: CheckedRun): Promise<Checked> {
  const results: CheckOutcome[] = [];
  let judgeUsd = 0;
  for (const check of checks) {
    run.signal.throwIfAborted();
    if (check.kind === 'judge') {
      const judged = await judge(check, run);
      judgeUsd += judged.costUsd;
      results.push(judged.check);
    } else {
      const words = await findFault(check, run);
      results.push({
        what: nameCheck(check),
        passed: words === undefined,
        ...(words !== undefined && { words }),
      });
    }
  }
  return { checks: results, judgeUsd };
}

/** Of the files that must stay as they are. */
export async function hashFiles(
  checks: readonly CaseCheck[],
  folder: string,
): Promise<Map<string, string | undefined>> {
  const hashes = new Map<string, string | undefined>();
  for (const check of checks)
    if (check.kind === 'file' && check.unchanged === true)
      hashes.set(check.file, await hashFile(join(folder, check.file)));
  return hashes;
}

const hashFile = async (path: string): Promise<string | undefined> => {
  const content = await readFile(path).catch(() => undefined);
  return content && sha256(content);
};

function nameCheck(check: CaseCheck): string {
  switch (check.kind) {
    case 'command':
      return bounded(check.command.trim().split('\n')[0] ?? '', 60);
    case 'file':
      return `file ${check.file}`;
    case 'judge':
      return `judge ${check.model}`;
    default:
      return check.kind;
  }
}

/** undefined: it holds. */
async function findFault(
  check: Exclude<CaseCheck, { kind: 'judge' }>,
  run: CheckedRun,
): Promise<string | undefined> {
  switch (check.kind) {
    case 'command':
      return runCheckCommand(check, run);
    case 'file':
      return findFileFault(check, run);
    case 'answer':
      return findTextFault(run.result.subtype === 'success' ? run.result.result : '', check);
    case 'schema':
      return run.result.subtype === 'success' && run.result.structured_output !== undefined
        ? undefined
        : 'The result has no value of this schema.';
  }
}

async function findFileFault(
  check: Extract<CaseCheck, { kind: 'file' }>,
  { folder, before }: CheckedRun,
): Promise<string | undefined> {
  const path = join(folder, check.file);
  // A link could lead to any file of this machine.
  const stat = await lstat(path).catch(() => undefined);
  if (stat?.isSymbolicLink() === true) return 'It is a link.';
  if (check.exists !== undefined && (stat !== undefined) !== check.exists)
    return check.exists ? 'It is not there.' : 'It is there.';
  if (check.unchanged === true && (await hashFile(path)) !== before.get(check.file)) return 'It has changed.';
  if (check.contains === undefined && check.matches === undefined) return undefined;
  if (stat?.isFile() !== true) return 'It is not there.';
  return findTextFault(await readFile(path, 'utf8'), check);
}

function findTextFault(text: string, { contains, matches }: TextDemand): string | undefined {
  if (contains !== undefined && !text.includes(contains))
    return `It does not contain ${JSON.stringify(contains)}.`;
  if (matches !== undefined && !new RegExp(matches, 'm').test(text)) return `It does not match /${matches}/.`;
  return undefined;
}

async function judge(
  check: Extract<CaseCheck, { kind: 'judge' }>,
  run: CheckedRun,
): Promise<{ readonly check: CheckOutcome; readonly costUsd: number }> {
  const what = nameCheck(check);
  if (run.isOffline) {
    const skipped = 'No model is asked with --replayed.';
    return { check: { what, passed: false, skipped }, costUsd: 0 };
  }
  const { passed, why, costUsd } = await judgeRun(check, run);
  return { check: { what, passed, ...(!passed && { words: why }) }, costUsd };
}
