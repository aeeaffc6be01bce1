/** What Edit, Write and NotebookEdit changed, as rows of a diff. */
import { diffRows, type Hunk } from '@turnwright/terminal/markup/diff-rows.ts';
import { codeIn } from '../../words/call-rows.ts';
import type { DiffOf } from './tool-rows.ts';

/** Rows of a diff in the transcript; the viewer, where there is one, has all of it. */
const MOST_ROWS = 40;

export const drawDiff: DiffOf = ({ result, input }, { columns, theme, highlighter, standAlone = false }) => {
  const { structuredPatch } = (result ?? {}) as { readonly structuredPatch?: unknown };
  if (!Array.isArray(structuredPatch) || structuredPatch.length === 0) return undefined;
  const hunks = structuredPatch as readonly Hunk[];
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const rows = diffRows(hunks, columns - 4, theme, codeIn(input['file_path'], highlighter)).map(
    (row) => `    ${row}`,
  );
  const left = rows.length - MOST_ROWS;
  const more = `    … ${left} more rows${standAlone ? '' : ', ^O shows all'}`;
  return {
    rows: left <= 0 ? rows : [...rows.slice(0, MOST_ROWS), theme.dim(more)],
    added: lines.filter((line) => line.startsWith('+')).length,
    removed: lines.filter((line) => line.startsWith('-')).length,
  };
};
