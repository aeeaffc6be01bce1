/** Plans an edit of a notebook, or says why it is refused. */

import { sha256 } from '@turnwright/base/ids/hash-and-uuid.ts';
import type { ToolContext } from '../../../protocol/tools/tool.ts';
import { changedMessage, readForWriting, staleness } from '../files/file-access.ts';
import { findList } from '../files/json-elements.ts';
import { decodeText, encodeText, encodingRefusal } from '../files/text-file.ts';
import {
  cellName,
  findCell,
  type Notebook,
  type NotebookCell,
  readCellSource,
  readNotebook,
} from './notebook.ts';

type CellType = 'code' | 'markdown';

export interface NotebookEditInput {
  readonly notebook_path: string;
  readonly cell_id?: string;
  readonly new_source: string;
  readonly cell_type?: CellType;
  readonly edit_mode?: 'replace' | 'insert' | 'delete';
}

export interface NotebookEditOutput {
  readonly new_source: string;
  readonly old_source?: string;
  readonly cell_id?: string;
  readonly cell_type: CellType;
  readonly language: string;
  readonly edit_mode: string;
  readonly notebook_path: string;
  readonly original_file: string;
  readonly updated_file: string;
}

type EditPlan =
  | {
      readonly kind: 'write';
      readonly bytes: Uint8Array;
      readonly output: NotebookEditOutput;
      readonly said: string;
    }
  | { readonly kind: 'refused'; readonly message: string };

const refused = (message: string): EditPlan => ({ kind: 'refused', message });

export async function planEdit(
  path: string,
  real: string,
  input: NotebookEditInput,
  context: ToolContext,
): Promise<EditPlan> {
  if (!path.endsWith('.ipynb'))
    return refused(`${path} is not a notebook (.ipynb). Edit changes other files.`);
  const now = await readForWriting(path, real, context);
  if (now.kind === 'refused') return now;
  if (now.kind === 'absent') return refused(`${path} does not exist.`);
  if (staleness(path, now.bytes, context) === 'changed') return refused(changedMessage(path));
  const decoded = decodeText(now.bytes);
  const read = readNotebook(decoded?.text ?? '');
  if (decoded === undefined || !read.ok)
    return refused(`${path} cannot be read as a notebook: ${read.ok ? 'it is binary' : read.problem}.`);

  const change = planChange(path, input, read.notebook, context.toolUseId);
  if (change.kind === 'refused') return change;
  const text = applied(decoded.text, change);
  const bytes = encodeText(text, decoded.encoding);
  if (bytes === undefined) return refused(encodingRefusal(path, text));
  return {
    kind: 'write',
    bytes,
    output: {
      new_source: input.new_source,
      ...(change.oldSource !== undefined && { old_source: change.oldSource }),
      cell_id: change.name,
      cell_type: change.cellType,
      language: read.notebook.language,
      edit_mode: input.edit_mode ?? 'replace',
      notebook_path: path,
      original_file: decoded.text,
      updated_file: text,
    },
    said: change.said,
  };
}

interface Change {
  readonly kind: 'change';
  /** Index of the cell that is replaced, deleted, or follows the new one. */
  readonly at: number;
  readonly remove: boolean;
  readonly cell: NotebookCell | undefined;
  readonly name: string;
  readonly cellType: CellType;
  readonly oldSource?: string;
  readonly said: string;
}

function planChange(
  path: string,
  { cell_id: wanted, cell_type: type, new_source: source, edit_mode: mode = 'replace' }: NotebookEditInput,
  { cells, hasCellIds }: Notebook,
  toolUseId: string,
): Change | Extract<EditPlan, { kind: 'refused' }> {
  const no = (message: string) => ({ kind: 'refused', message }) as const;
  if (wanted === undefined && mode !== 'insert') return no(`edit_mode ${mode} needs a cell_id.`);
  const at = wanted === undefined ? -1 : findCell(cells, wanted);
  if (wanted !== undefined && at < 0) {
    const known = cells.slice(0, 50).map(cellName).join(', ');
    return no(`${path} has no cell "${wanted}". Its cells are: ${known === '' ? 'none' : known}.`);
  }
  if (mode === 'insert') {
    if (type === undefined) return no('edit_mode insert needs a cell_type: code or markdown.');
    const id = hasCellIds ? freshId(cells, toolUseId) : undefined;
    const cell = newCell(type, source, id);
    const name = cellName(cell, at + 1);
    return {
      kind: 'change',
      at: at + 1,
      remove: false,
      cell,
      name,
      cellType: type,
      said: `Cell ${name} was inserted into ${path}.`,
    };
  }
  const old = cells[at] as NotebookCell;
  const name = cellName(old, at);
  const oldType: CellType = old.cell_type === 'code' ? 'code' : 'markdown';
  const about = { kind: 'change', at, remove: true, name, oldSource: readCellSource(old) } as const;
  if (mode === 'delete')
    return { ...about, cell: undefined, cellType: oldType, said: `Cell ${name} was deleted from ${path}.` };
  const cellType = type ?? oldType;
  return {
    ...about,
    cell: replaced(old, type, source),
    cellType,
    said: `Cell ${name} of ${path} was replaced.`,
  };
}

function newCell(type: CellType, source: string, id: string | undefined): NotebookCell {
  return {
    cell_type: type,
    ...(type === 'code' && { execution_count: null }),
    ...(id !== undefined && { id }),
    metadata: {},
    ...(type === 'code' && { outputs: [] }),
    source: splitLines(source),
  };
}

/** Outputs and execution count belong to the old source; other cells than code have neither. */
function replaced(old: NotebookCell, type: CellType | undefined, source: string): NotebookCell {
  const text = typeof old.source === 'string' ? source : splitLines(source);
  const kind = type ?? old.cell_type;
  if (kind === 'code') return { ...old, cell_type: kind, execution_count: null, outputs: [], source: text };
  const { outputs: _, execution_count: __, ...others } = old;
  return { ...others, cell_type: kind, source: text };
}

/** As the format has it: a list of lines, each with its break. */
function splitLines(source: string): readonly string[] {
  return source.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Derived from the call, so that a repeated call writes the same bytes. */
function freshId(cells: readonly NotebookCell[], toolUseId: string): string {
  const digest = sha256(Buffer.from(toolUseId));
  for (let at = 0; ; at++) {
    const id = digest.slice(at, at + 8);
    if (!cells.some((cell) => cell.id === id)) return id;
  }
}

/** Only the cell's own bytes change: a diff of the notebook shows only the edit. */
function applied(text: string, { at, remove, cell }: Change): string {
  const list = findList(text, 'cells');
  if (list === undefined) throw new Error('The notebook has no list of cells.');
  const { elements } = list;
  const unit = /^\s*\{\r?\n([ \t]+)"/.exec(text)?.[1] ?? '';
  const lineBreak = unit === '' ? '' : text.includes('\r\n') ? '\r\n' : '\n';
  const gap = lineBreak + unit.repeat(2);
  const written = cell === undefined ? '' : JSON.stringify(cell, null, unit).replaceAll('\n', gap);
  const here = elements[at];
  const previous = elements[at - 1];
  if (remove && here !== undefined) {
    if (cell !== undefined) return text.slice(0, here.start) + written + text.slice(here.end);
    const next = elements[at + 1];
    if (next !== undefined) return text.slice(0, here.start) + text.slice(next.start);
    if (previous !== undefined) return text.slice(0, previous.end) + text.slice(here.end);
    return text.slice(0, list.start) + text.slice(list.end);
  }
  if (previous !== undefined)
    return `${text.slice(0, previous.end)},${gap}${written}${text.slice(previous.end)}`;
  if (here !== undefined) return `${text.slice(0, here.start)}${written},${gap}${text.slice(here.start)}`;
  return `${text.slice(0, list.start)}${gap}${written}${lineBreak}${unit}${text.slice(list.end)}`;
}
