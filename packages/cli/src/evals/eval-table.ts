/**
 * An eval as lines: what failed first, a row for each case, and, where the eye is, a row for each variant.
 */

import { takeStart } from '@turnwright/base/text/cut-text.ts';
import type { CaseScore, EvalReport, VariantScore } from '@turnwright/evals';
import { alignedRows, counted, dollars, duration, tokens } from '../words/units.ts';

const MARKS = { passed: '✓', failed: '✗', no_money: '·' } as const;
const MOST_FAILURES = 8;
const LAST_LINES = 3;

export function evalTable(report: EvalReport, columns: number): readonly string[] {
  const { variants, cases, spentUsd, lostUsd, earlier, unreadableLines } = report;
  const names = nameVariants(variants, columns);
  return [
    ...failureLines(cases, columns),
    ...caseRows(cases, variants, names, columns),
    '',
    ...variantRows(variants, names),
    '',
    ...variants.map((one, at) => takeStart(`${names[at]} ended: ${reasons(one)}`, columns)),
    `Spent: ${dollars(spentUsd)}${lostUsd > 0 ? `, of which ${dollars(lostUsd)} for calls and runs that were cut off` : ''}.`,
    ...(earlier > 0
      ? [`${counted(earlier, 'run')} ${earlier === 1 ? 'was' : 'were'} on the record already.`]
      : []),
    ...(unreadableLines > 0 ? [`${counted(unreadableLines, 'line')} of the results could not be read.`] : []),
  ];
}

const FIGURES_COLUMNS = 60;

/** Their own names where the rows of variants fit with them; else numbers, with a legend before the table. */
function nameVariants(variants: readonly VariantScore[], columns: number): readonly string[] {
  const most = Math.max(8, columns - FIGURES_COLUMNS);
  return variants.map(({ variant }, at) =>
    variant.length <= most ? variant : `${takeStart(variant, most - 3)}…${at + 1}`,
  );
}

function variantRows(variants: readonly VariantScore[], names: readonly string[]): readonly string[] {
  const runs = Math.max(1, ...variants.flatMap(({ passAt }) => Object.keys(passAt).map(Number)));
  const head = [
    'variant',
    'passed',
    'pass@1',
    ...(runs > 1 ? [`pass@${runs}`] : []),
    '$/run',
    'tokens',
    'turns',
    'p50',
  ];
  const rows = variants.map((one, at) => [
    names[at] ?? '',
    `${one.passed}/${one.counted}`,
    share(one.passAt[1]),
    ...(runs > 1 ? [share(one.passAt[runs])] : []),
    dollars(one.costUsd.mean),
    one.counted === 0 ? '–' : tokens(Math.round(sumTokens(one) / one.counted)),
    one.counted === 0 ? '–' : one.turns.mean.toFixed(1),
    duration(one.durationMs.p50),
  ]);
  return alignedRows([head, ...rows], 1);
}

const sumTokens = ({ tokens: { input, output, cacheRead, cacheWrite } }: VariantScore): number =>
  input + output + cacheRead + cacheWrite;

const share = (value: number | undefined): string =>
  value === undefined ? '–' : `${(value * 100).toFixed(1)} %`;

function reasons({ reasons: counts, denials, noMoney }: VariantScore): string {
  const parts = Object.entries(counts).map(([reason, count]) => `${reason} ${count}`);
  if (noMoney > 0) parts.push(`not run: budget ${noMoney}`);
  if (denials > 0) parts.push(`${counted(denials, 'call')} denied`);
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}

/** A mark for each run. As many variants beside each other as fit. */
function caseRows(
  cases: readonly CaseScore[],
  variants: readonly VariantScore[],
  names: readonly string[],
  columns: number,
): readonly string[] {
  const titles = [...new Set(cases.map((one) => one.case))];
  const widest = Math.max(...titles.map(({ length }) => length), 4);
  const title = (name: string) => takeStart(name, Math.min(widest, Math.floor(columns / 2)));
  const lines: string[] = [];
  for (let first = 0; first < variants.length; ) {
    let count = variants.length - first;
    let rows: readonly string[];
    do {
      const shown = variants.slice(first, first + count);
      rows = alignedRows(
        [
          ['case', ...names.slice(first, first + count)],
          ...titles.map((name) => [title(name), ...shown.map(({ variant }) => marks(cases, name, variant))]),
        ],
        1 + count,
      );
      count -= 1;
    } while (count > 0 && rows.some(({ length }) => length > columns));
    lines.push(...rows);
    first += count + 1;
    if (first < variants.length) lines.push('');
  }
  return lines;
}

const marks = (cases: readonly CaseScore[], name: string, variant: string): string =>
  (cases.find((one) => one.case === name && one.variant === variant)?.outcomes ?? [])
    .map((outcome) => (outcome === undefined ? '·' : MARKS[outcome]))
    .join('');

function failureLines(cases: readonly CaseScore[], columns: number): readonly string[] {
  const failed = cases.flatMap((one) =>
    one.firstFailure === undefined ? [] : [{ ...one, first: one.firstFailure }],
  );
  if (failed.length === 0) return [];
  const left = failed.length - MOST_FAILURES;
  return [
    'What failed first:',
    ...failed
      .slice(0, MOST_FAILURES)
      .flatMap(({ case: name, variant, first }) => [
        takeStart(`  ${name}, ${variant}, run ${first.run}: ${first.what}`, columns),
        ...lastLines(first.words ?? '').map((line) => takeStart(`    ${line}`, columns)),
      ]),
    ...(left > 0 ? [`  … and ${left} more: --json`] : []),
    '',
  ];
}

/** With the last line that names an error, where the end is a stack of calls. */
function lastLines(words: string): readonly string[] {
  const lines = words
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => /\p{L}/u.test(line) && !/^(?:at |Node\.js v)/.test(line));
  const last = lines.slice(-LAST_LINES);
  if (last.some((line) => NAMES_ERROR.test(line))) return last;
  const error = lines.findLast((line) => NAMES_ERROR.test(line));
  return error === undefined ? last : [error, ...lines.slice(1 - LAST_LINES)];
}

const NAMES_ERROR = /error|fail|expected|not ok|panic/i;
