/** The text of a notebook whose one cell, `c1`, is this text. */
export const oneCellNotebook = (text: string): string =>
  JSON.stringify({
    cells: [{ cell_type: 'markdown', id: 'c1', source: [text], metadata: {} }],
    metadata: {},
    nbformat: 4,
    nbformat_minor: 5,
  });
