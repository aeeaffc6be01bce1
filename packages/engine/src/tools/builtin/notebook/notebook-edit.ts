import { absolutePath } from '@turnwright/base/files/home-path.ts';
import type { Tool, ToolContext } from '../../../protocol/tools/tool.ts';
import { createParser } from '../../schema/from-json-schema.ts';
import { checkTarget, lockFile, mayTell, resolveFilePath, saveFile } from '../files/file-access.ts';
import type { NotebookEditInput, NotebookEditOutput } from './notebook-plan.ts';

const schema = {
  type: 'object',
  properties: {
    notebook_path: { type: 'string', minLength: 1, description: 'The notebook (.ipynb) to change.' },
    cell_id: {
      type: 'string',
      minLength: 1,
      description:
        'The cell, as Read names it: its id or cell-<index>. With insert: the cell behind which the new one goes; absent: it goes first.',
    },
    new_source: { type: 'string', description: 'The whole new source of the cell.' },
    cell_type: { type: 'string', enum: ['code', 'markdown'], description: 'Needed with insert.' },
    edit_mode: { type: 'string', enum: ['replace', 'insert', 'delete'], description: 'Default replace.' },
  },
  required: ['notebook_path', 'new_source'],
  additionalProperties: false,
};

export const notebookEditTool: Tool<NotebookEditInput, NotebookEditOutput> = {
  name: 'NotebookEdit',
  inputJsonSchema: schema,
  description: () =>
    `Changes one cell of a Jupyter notebook: replaces its source, inserts a new cell, or deletes one.

- Read shows the cells with their ids.
- A code cell whose source is replaced loses its outputs, which belonged to the old source.
- The edit is refused if the file changed since you last read it. Everything else in the file stays as it is.`,
  parse: createParser<NotebookEditInput>(schema),
  isConcurrencySafe: () => false,
  isReadOnly: () => false,
  pathFields: ['notebook_path'],
  permissionTarget: (input, base) => ({ kind: 'write', paths: [absolutePath(input.notebook_path, base)] }),

  async validateInput(input, context) {
    const spelling = await checkTarget(input.notebook_path, context);
    if (!spelling.ok) return spelling;
    const path = absolutePath(input.notebook_path, context);
    const real = await resolveFilePath(path, context);
    if (!(await mayTell(path, real, context))) return { ok: true };
    const plan = await planEdit(path, real, input, context);
    return plan.kind === 'refused' ? { ok: false, message: plan.message } : { ok: true };
  },

  async run(input, context) {
    const path = absolutePath(input.notebook_path, context);
    return lockFile(path, context, async (real) => {
      // As for Edit: everything is checked again (F144).
      const plan = await planEdit(path, real, input, context);
      if (plan.kind === 'refused') throw new Error(plan.message);
      const partial = context.readFileCache.get(path)?.partial ?? true;
      const note = await saveFile(path, real, plan.bytes, partial, context);
      return { data: plan.output, content: plan.said + note };
    });
  },
};

/** Loaded on first use. */
async function planEdit(path: string, real: string, input: NotebookEditInput, context: ToolContext) {
  const plan = await import('./notebook-plan.ts');
  return plan.planEdit(path, real, input, context);
}
