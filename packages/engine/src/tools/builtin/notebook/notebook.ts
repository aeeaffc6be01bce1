/** A Jupyter notebook (nbformat 4), as far as tools need it: cells, their names and content. */

import { parseJson } from '@turnwright/base/bounded-json.ts';
import { isRecord } from '@turnwright/base/json-values.ts';

export interface NotebookCell {
  readonly id?: string;
  readonly cell_type: string;
  readonly source: string | readonly string[];
  readonly outputs?: readonly unknown[];
  readonly [field: string]: unknown;
}

export interface Notebook {
  readonly cells: readonly NotebookCell[];
  /** Of its code. */
  readonly language: string;
  /** nbformat 4.5 and newer: every cell has an id. */
  readonly hasCellIds: boolean;
}

type NotebookReading =
  | { readonly ok: true; readonly notebook: Notebook }
  | { readonly ok: false; readonly problem: string };

export function readNotebook(text: string): NotebookReading {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    return { ok: false, problem: `it is not valid JSON (${error instanceof Error ? error.message : error})` };
  }
  if (!isRecord(value) || !Array.isArray(value['cells']))
    return { ok: false, problem: 'it has no list of cells (notebooks of format 4 have one)' };
  const cells: unknown[] = value['cells'];
  if (!cells.every(isCell)) return { ok: false, problem: 'one of its cells has no cell_type or no source' };
  const { metadata, nbformat, nbformat_minor: minor } = value;
  return {
    ok: true,
    notebook: {
      cells,
      language: readLanguage(isRecord(metadata) ? metadata : {}),
      hasCellIds: Number(nbformat) > 4 || (nbformat === 4 && Number(minor) >= 5),
    },
  };
}

function isCell(value: unknown): value is NotebookCell {
  if (!isRecord(value) || typeof value['cell_type'] !== 'string') return false;
  const { source } = value;
  return (
    typeof source === 'string' || (Array.isArray(source) && source.every((line) => typeof line === 'string'))
  );
}

function readLanguage(metadata: Record<string, unknown>): string {
  const { language_info: info, kernelspec } = metadata;
  const named =
    (isRecord(info) ? info['name'] : undefined) ??
    (isRecord(kernelspec) ? kernelspec['language'] : undefined);
  return typeof named === 'string' ? named : 'python';
}

/** Name of a cell in tool inputs: its id, else `cell-<index>`, from 0. */
export function cellName(cell: NotebookCell, index: number): string {
  return typeof cell.id === 'string' && cell.id !== '' ? cell.id : `cell-${index}`;
}

/** By id, `cell-<index>` or index; -1: there is none. */
export function findCell(cells: readonly NotebookCell[], wanted: string): number {
  const byId = cells.findIndex(({ id }) => id === wanted);
  if (byId >= 0) return byId;
  const index = /^(?:cell-)?(\d{1,6})$/.exec(wanted)?.[1];
  return index !== undefined && Number(index) < cells.length ? Number(index) : -1;
}

export function readCellSource({ source }: NotebookCell): string {
  return typeof source === 'string' ? source : source.join('');
}
