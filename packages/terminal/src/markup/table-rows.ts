/**
 * A Markdown table within the width of the screen: columns as wide as needed, cells wrapped where they must
 * be.
 */
import { Lexer, type Tokens } from 'marked';
import type { Row } from '../renderer/frame.ts';
import { cells } from '../text/cells.ts';
import type { Theme } from '../text/theme.ts';
import { wrap } from '../text/wrap.ts';
import { tokensText } from './inline.ts';

const GAP = '  ';
/** A column narrower than this is not readable: the table is shown row by row instead. */
const MIN_COLUMN = 6;

type Align = 'center' | 'left' | 'right' | null;

interface Table {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly align: readonly Align[];
}

/** `undefined` where the lexer does not see a table in it. */
export function tableRows(source: string, columns: number, theme: Theme): readonly Row[] | undefined {
  const table = readTable(source, theme);
  if (table === undefined) return undefined;
  const widths = fittingWidths(naturalWidths(table), columns - GAP.length * (table.header.length - 1));
  return widths === undefined ? asRecords(table, columns, theme) : asGrid(table, widths, theme);
}

function readTable(source: string, theme: Theme): Table | undefined {
  const token = new Lexer().lex(source).find((one): one is Tokens.Table => one.type === 'table');
  if (token === undefined) return undefined;
  const text = ({ tokens }: Tokens.TableCell) => tokensText(tokens, theme).replaceAll('\n', ' ');
  return {
    header: token.header.map(text),
    rows: token.rows.map((row) => row.map(text)),
    align: token.align,
  };
}

function naturalWidths({ header, rows }: Table): readonly number[] {
  return header.map((name, at) => Math.max(1, cells(name), ...rows.map((row) => cells(row[at] ?? ''))));
}

/** The widest columns give up what is missing, down to one width for all of them. */
function fittingWidths(natural: readonly number[], room: number): readonly number[] | undefined {
  const sum = (widths: readonly number[]) => widths.reduce((total, width) => total + width, 0);
  if (sum(natural) <= room) return natural;
  let limit = Math.max(...natural);
  while (limit > MIN_COLUMN && sum(natural.map((width) => Math.min(width, limit))) > room) limit -= 1;
  const widths = natural.map((width) => Math.min(width, limit));
  return sum(widths) <= room ? widths : undefined;
}

function asGrid({ header, rows, align }: Table, widths: readonly number[], theme: Theme): readonly Row[] {
  const line = (texts: readonly string[], paint: (text: string) => string): readonly Row[] => {
    const wrapped = widths.map((width, at) => wrap(texts[at] ?? '', width));
    const height = Math.max(...wrapped.map((one) => one.length));
    return Array.from({ length: height }, (_, row) =>
      wrapped
        .map((one, at) => padded(paint(one[row] ?? ''), widths[at] ?? 0, align[at] ?? null))
        .join(GAP)
        .trimEnd(),
    );
  };
  const rule = theme.dim(widths.map((width) => '─'.repeat(width)).join(GAP));
  return [...line(header, theme.bold), rule, ...rows.flatMap((row) => line(row, (text) => text))];
}

function padded(text: string, width: number, align: Align): string {
  const missing = Math.max(0, width - cells(text));
  const left = align === 'right' ? missing : align === 'center' ? Math.floor(missing / 2) : 0;
  return ' '.repeat(left) + text + ' '.repeat(missing - left);
}

/** Each row as lines of `name: value`. */
function asRecords({ header, rows }: Table, columns: number, theme: Theme): readonly Row[] {
  return rows.flatMap((row, index) => [
    ...(index === 0 ? [] : ['']),
    ...row.flatMap((text, at) => wrap(`${theme.bold(header[at] ?? '')}: ${text}`, columns, { hang: GAP })),
  ]);
}
