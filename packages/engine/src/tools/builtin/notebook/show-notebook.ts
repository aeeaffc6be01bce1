/** Read of a notebook: each cell with its name, source and outputs; figures as images. */

import { isRecord } from '@turnwright/base/json-values.ts';
import { takeStart } from '@turnwright/base/text/cut-text.ts';
import type { ImageBlock, TextBlock } from '../../../protocol/model/wire.ts';
import type { ToolOutput, ToolResultContent } from '../../../protocol/tools/tool.ts';
import { detectImageType, type ImageType } from '../files/image-file.ts';
import { cellName, type NotebookCell, readCellSource, readNotebook } from './notebook.ts';

export interface NotebookView {
  readonly type: 'notebook';
  readonly file: { readonly filePath: string; readonly cells: readonly NotebookCell[] };
}

interface ShowLimits {
  /** First cell, from 1. */
  readonly from: number;
  readonly maxCells: number;
  /** Of all text together. */
  readonly maxChars: number;
  readonly maxImageBytes: number;
}

type Piece = TextBlock | ImageBlock;

/** Maximum characters of one output. */
const MAX_OUTPUT_CHARS = 10_000;
/** Further images are named, not shown. */
const MAX_IMAGES = 20;
// biome-ignore lint/suspicious/noControlCharactersInRegex: tracebacks are coloured for terminals
const COLOURS = /\u001b\[[0-9;]*m/g;

/** undefined: the text is no notebook. */
export function showNotebook(
  path: string,
  text: string,
  limits: ShowLimits,
): (ToolOutput<NotebookView> & { readonly partial: boolean }) | undefined {
  const read = readNotebook(text);
  if (!read.ok) return undefined;
  const { cells } = read.notebook;
  const first = limits.from - 1;
  const pieces: Piece[] = [];
  let chars = 0;
  let images = 0;
  let shown = 0;
  for (const [at, cell] of cells.entries()) {
    if (at < first) continue;
    const made = showCell(cell, cellName(cell, at), limits.maxImageBytes, MAX_IMAGES - images);
    const length = made.reduce((sum, piece) => sum + (piece.type === 'text' ? piece.text.length : 0), 0);
    if (shown >= limits.maxCells || (shown > 0 && chars + length > limits.maxChars)) break;
    pieces.push(...made);
    images += made.filter(({ type }) => type === 'image').length;
    chars += length;
    shown++;
  }
  const last = first + shown;
  const partial = shown < cells.length;
  const note =
    cells.length === 0
      ? `(${path} has no cells.)`
      : shown === 0
        ? `(There is nothing from cell ${limits.from} on: ${path} has ${cells.length} cells.)`
        : last < cells.length
          ? `(These are cells ${limits.from} to ${last} of ${cells.length}. Go on with offset ${last + 1}.)`
          : undefined;
  if (note !== undefined) pieces.push({ type: 'text', text: note });
  return {
    data: { type: 'notebook', file: { filePath: path, cells: cells.slice(first, last).map(withoutImages) } },
    content: joined(pieces),
    partial,
  };
}

function showCell(cell: NotebookCell, name: string, maxImageBytes: number, imagesLeft: number): Piece[] {
  const pieces: Piece[] = [
    { type: 'text', text: `<cell id="${name}" type="${cell.cell_type}">\n${readCellSource(cell)}\n</cell>` },
  ];
  let left = imagesLeft;
  for (const output of cell.outputs ?? []) {
    if (!isRecord(output)) continue;
    const image = findImage(output);
    if (image !== undefined && left > 0 && image.bytes <= maxImageBytes) {
      left--;
      pieces.push({ type: 'text', text: `<output of="${name}">` }, image.block);
      continue;
    }
    const text = formatOutput(output).replace(COLOURS, '').trimEnd();
    const said =
      image !== undefined
        ? `(a figure of ${image.bytes} bytes, not shown)`
        : text.length > MAX_OUTPUT_CHARS
          ? `${takeStart(text, MAX_OUTPUT_CHARS)}… (cut: ${text.length} characters in all)`
          : text;
    if (said !== '') pieces.push({ type: 'text', text: `<output of="${name}">\n${said}\n</output>` });
  }
  return pieces;
}

function formatOutput(output: Record<string, unknown>): string {
  const { output_type: kind, text, data, ename, evalue, traceback } = output;
  if (kind === 'error') {
    const trace = Array.isArray(traceback) ? traceback.map(String).join('\n') : '';
    return trace === '' ? `${ename}: ${evalue}` : trace;
  }
  if (kind === 'stream') return lines(text);
  const forms = isRecord(data) ? data : {};
  const form = ['text/plain', 'text/markdown', 'text/latex', 'application/json', 'text/html'].find(
    (type) => forms[type] !== undefined,
  );
  if (form === undefined) return '';
  const value = forms[form];
  return form === 'application/json' ? JSON.stringify(value) : lines(value);
}

function lines(value: unknown): string {
  return Array.isArray(value) ? value.map(String).join('') : typeof value === 'string' ? value : '';
}

function findImage({ data }: Record<string, unknown>): { block: ImageBlock; bytes: number } | undefined {
  if (!isRecord(data)) return undefined;
  for (const type of ['image/png', 'image/jpeg', 'image/gif', 'image/webp']) {
    const base64 = lines(data[type]).replace(/\s/g, '');
    if (base64 === '') continue;
    const bytes = Buffer.from(base64, 'base64');
    const real: ImageType | undefined = detectImageType(bytes);
    if (real === undefined) continue;
    return {
      bytes: bytes.length,
      block: { type: 'image', source: { type: 'base64', media_type: real, data: bytes.toString('base64') } },
    };
  }
  return undefined;
}

/** Neighbouring texts as one block. */
function joined(pieces: readonly Piece[]): ToolResultContent {
  const blocks: Piece[] = [];
  for (const piece of pieces) {
    const last = blocks.at(-1);
    if (piece.type === 'text' && last?.type === 'text')
      blocks[blocks.length - 1] = { type: 'text', text: `${last.text}\n${piece.text}` };
    else blocks.push(piece);
  }
  const [only] = blocks;
  return blocks.length === 1 && only?.type === 'text' ? only.text : blocks;
}

/** The images are in the result that the model reads (F156). */
function withoutImages(cell: NotebookCell): NotebookCell {
  if (cell.outputs === undefined) return cell;
  const outputs = cell.outputs.map((output) => {
    if (!isRecord(output) || !isRecord(output['data'])) return output;
    const kept = Object.entries(output['data']).filter(([type]) => !type.startsWith('image/'));
    return { ...output, data: Object.fromEntries(kept) };
  });
  return { ...cell, outputs };
}
