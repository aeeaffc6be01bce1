/** What became of the variants of a fork: a table of 80 columns, and below it what needs a sentence. */

import { takeStart } from '@turnwright/base/text/cut-text.ts';
import {
  type CourseStep,
  describeTerminal,
  type ForksAtStep,
  type SDKResultMessage,
  type SessionCourse,
} from '@turnwright/engine';
import { oneLine, visible } from '@turnwright/terminal/text/visible.ts';
import { isSilentRefusal } from '../exit-codes.ts';
import { stopSentence, totals } from '../words/summary.ts';
import { toolLabel } from '../words/tool-label.ts';
import { alignedRows, counted, dollars, duration, tokens } from '../words/units.ts';
import type { RanVariant } from './run-variants.ts';

/** The first step at which a variant decided otherwise than the session did. */
interface FirstDifference {
  readonly step: string;
  readonly here: string;
  readonly there: string;
}

interface TablePlace {
  /** Of the session that was forked: paths in it are shown relative to it. */
  readonly folder: string;
}

export function findDifference(
  { course }: Pick<RanVariant, 'course'>,
  { original, step }: Pick<ForksAtStep, 'original' | 'step'>,
  { folder }: TablePlace,
): FirstDifference | undefined {
  const length = Math.max(course.steps.length, original.steps.length);
  for (let at = 0; at < length; at += 1) {
    const [here, there] = [course.steps[at], original.steps[at]];
    if (
      here !== undefined &&
      there !== undefined &&
      JSON.stringify(here.calls) === JSON.stringify(there.calls)
    )
      continue;
    const named = there?.step ?? here?.step ?? step;
    return { step: named, here: describeStep(here, folder), there: describeStep(there, folder) };
  }
  return undefined;
}

/** `Edit src/a.ts, Bash npm test`, or that it answered. */
function describeStep(step: CourseStep | undefined, folder: string): string {
  if (step === undefined) return 'had ended';
  if (step.calls.length === 0) return step.text === '' ? 'nothing' : 'an answer';
  return step.calls.map(({ name, input }) => toolLabel(name, input, folder)).join(', ');
}

/** `success`: as the exit code counts it. */
export function describeVariantEnd({ result, failure }: Pick<RanVariant, 'result' | 'failure'>): {
  readonly success: boolean;
  readonly word: string;
  readonly sentence: string;
} {
  if (result === undefined)
    return { success: false, word: 'no start', sentence: `did not run: ${failure ?? 'no result'}` };
  const stopped = stopSentence(result);
  if (result.is_error)
    return {
      success: false,
      word: 'failed',
      sentence: `failed: ${[stopped ?? 'an error', ...moreOf(result)].join(': ')}`,
    };
  if (isSilentRefusal(result))
    return { success: false, word: 'refused', sentence: 'the model refused to answer' };
  if (stopped !== undefined) return { success: true, word: 'stopped', sentence: `stopped: ${stopped}` };
  return { success: true, word: 'answered', sentence: 'ended with an answer' };
}

/** Errors of the API and the like, which say more than the reason does. */
function moreOf(result: SDKResultMessage): readonly string[] {
  if (result.subtype === 'success' || describeTerminal(result.terminal_reason)?.isSaidByErrors !== true)
    return [];
  return result.errors.slice(0, 1);
}

const HEADINGS = ['variant', 'ended', 'turns', 'cost', 'time', 'tokens', 'files', 'differs'];
const COLUMNS = 80;
const LEAST_NAME = 7;
/** Copies of earlier forks that are named. */
const MOST_LEFT = 3;
const NONE = '–';

export function variantsText(forks: ForksAtStep, ran: readonly RanVariant[], place: TablePlace): string {
  const { sessionId, step, model, original, notes, left } = forks;
  const title = `Session ${sessionId.slice(0, 8)} from step ${step}, where ${model} was asked: ${counted(ran.length, 'variant')}`;
  const rows = [
    ['the session', ...courseCells(original), NONE, NONE],
    ...ran.map((each) => [
      each.name,
      ...variantCells(each),
      filesCell(each),
      differsCell(each, forks, place),
    ]),
  ];
  return [
    title,
    '',
    ...fitted(rows),
    '',
    ...ran.flatMap((each) => linesOf(each, forks, place)),
    ...notes.map((note) => `Files: ${visible(note)}.`),
    ...left.slice(0, MOST_LEFT).map((path) => `Left by an earlier fork: ${visible(path)}`),
    ...(left.length > MOST_LEFT ? [`… and ${left.length - MOST_LEFT} more beside them`] : []),
  ].join('\n');
}

/** Names are shortened where the figures are long. */
function fitted(rows: readonly (readonly string[])[]): readonly string[] {
  const width = (table: readonly (readonly string[])[]) =>
    Math.max(...alignedRows([HEADINGS, ...table], 2).map((line) => line.length));
  const over = Math.max(0, width(rows) - COLUMNS);
  const longest = Math.max(...rows.map(([name = '']) => name.length));
  const room = Math.max(LEAST_NAME, longest - over);
  const short = rows.map(([name = '', ...cells]) => [
    name.length > room ? `${takeStart(name, room - 1)}…` : name,
    ...cells,
  ]);
  return alignedRows([HEADINGS, ...short], 2);
}

function courseCells({
  steps,
  costUsd,
  durationMs,
  terminal,
  inputTokens,
  outputTokens,
}: SessionCourse): string[] {
  const ended = terminal === undefined ? 'not yet' : terminal === 'completed' ? 'answered' : 'stopped';
  return [
    ended,
    `${steps.length}`,
    dollars(costUsd),
    duration(durationMs),
    tokens(inputTokens + outputTokens),
  ];
}

function variantCells(ran: RanVariant): string[] {
  const { result, course } = ran;
  const cells = courseCells(course);
  const { word } = describeVariantEnd(ran);
  if (result === undefined) return [word, ...cells.slice(1)];
  const { input, output } = totals(result);
  return [
    word,
    `${course.steps.length}`,
    dollars(result.total_cost_usd),
    duration(course.durationMs),
    tokens(input + output),
  ];
}

function filesCell({ difference }: RanVariant): string {
  if (difference === undefined) return '?';
  const { files, insertions, deletions } = difference;
  return files.length === 0 ? '0' : `${files.length} +${insertions} -${deletions}`;
}

function differsCell(ran: RanVariant, forks: ForksAtStep, place: TablePlace): string {
  const first = findDifference(ran, forks, place);
  return first === undefined ? 'no' : `step ${first.step}`;
}

function linesOf(ran: RanVariant, forks: ForksAtStep, place: TablePlace): string[] {
  const { name, fork, removed, difference } = ran;
  const other = findDifference(ran, forks, place);
  const where = removed
    ? '  no file was changed; its working copy is removed'
    : `  ${difference?.files.length === 0 ? 'files that git ignores, or commits' : 'its files'}: ${visible(fork.cwd)}`;
  const lines = [`${name} ${oneLine(describeVariantEnd(ran).sentence)}`];
  if (other !== undefined && other.here === other.there)
    lines.push(`  step ${other.step}: ${oneLine(other.here)}, with another content`.slice(0, COLUMNS));
  else if (other !== undefined)
    lines.push(
      ...cutLines(
        `  step ${other.step}: ${oneLine(other.here)}`,
        `  the session there: ${oneLine(other.there)}`,
      ),
    );
  const denied = ran.result?.permission_denials.map(({ tool_name: tool }) => tool) ?? [];
  if (denied.length > 0)
    lines.push(
      `  ${counted(denied.length, 'call')} denied (${oneLine([...new Set(denied)].join(', '))}): see --allow and --permission-mode`,
    );
  lines.push(where);
  if (fork.keptIn !== undefined) lines.push(`  what was there before: ${visible(fork.keptIn)}`);
  if (!removed) lines.push(`  go on with it there: turnwright --resume ${fork.sessionId.slice(0, 8)}`);
  return lines;
}

const cutLines = (...lines: readonly string[]): string[] =>
  lines.map((line) => (line.length > COLUMNS ? `${takeStart(line, COLUMNS - 1)}…` : line));
