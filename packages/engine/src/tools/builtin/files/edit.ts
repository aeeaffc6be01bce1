import { absolutePath } from '@turnwright/base/files/home-path.ts';
import { bounded } from '@turnwright/base/text/cut-text.ts';
import type { Tool, ToolContext } from '../../../protocol/tools/tool.ts';
import { createParser } from '../../schema/from-json-schema.ts';
import {
  changedMessage,
  checkTarget,
  lockFile,
  mayTell,
  readForWriting,
  resolveFilePath,
  saveFile,
  staleness,
} from './file-access.ts';
import { replaceText } from './replace-text.ts';
import { decodeText, encodeText, encodingRefusal } from './text-file.ts';
import { type PatchHunk, structuredPatch } from './text-patch.ts';

interface EditInput {
  readonly file_path: string;
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all?: boolean;
}

interface EditOutput {
  readonly filePath: string;
  readonly oldString: string;
  readonly newString: string;
  readonly replaceAll: boolean;
  /** The former text; empty if the file was created. */
  readonly originalFile: string;
  readonly structuredPatch: readonly PatchHunk[];
  /** Always false. */
  readonly userModified: false;
  /** The model has not read all of the file. */
  readonly contentNotInModelContext?: true;
}

const ECHO_CHARS = 500;

const schema = {
  type: 'object',
  properties: {
    file_path: { type: 'string', minLength: 1, description: 'The file to change; an absolute path is best.' },
    old_string: { type: 'string', description: 'The text to replace, exactly as it stands in the file.' },
    new_string: { type: 'string', description: 'The text to put in its place.' },
    replace_all: {
      type: 'boolean',
      description: 'Replace every occurrence instead of the only one. Default false.',
    },
  },
  required: ['file_path', 'old_string', 'new_string'],
  additionalProperties: false,
};

export const editTool: Tool<EditInput, EditOutput> = {
  name: 'Edit',
  inputJsonSchema: schema,
  description: () =>
    `Replaces a piece of text in a file.

- old_string must match the file exactly, with its indentation; leave out the line numbers that Read puts before each line.
- old_string must occur once. If it occurs more often, give more of the lines around it, or set replace_all.
- The edit is refused if the file changed since you last read it.
- With an empty old_string a new file is created from new_string.
- Line ends, encoding and permissions of the file stay as they are.`,
  parse: createParser<EditInput>(schema),
  isConcurrencySafe: () => false,
  isReadOnly: () => false,
  pathFields: ['file_path'],
  backfillObservableInput(input) {
    input['replace_all'] ??= false;
  },
  permissionTarget: (input, base) => ({ kind: 'write', paths: [absolutePath(input.file_path, base)] }),

  renderOutput(data) {
    const { filePath, oldString } = (data ?? {}) as Partial<EditOutput>;
    return typeof filePath === 'string' && typeof oldString === 'string'
      ? describeEdit(filePath, { existed: oldString !== '', count: 1 })
      : undefined;
  },

  async validateInput(input, context) {
    const spelling = await checkTarget(input.file_path, context);
    if (!spelling.ok) return spelling;
    const path = absolutePath(input.file_path, context);
    const real = await resolveFilePath(path, context);
    if (!(await mayTell(path, real, context))) return { ok: true };
    const plan = await planEdit(path, real, input, context);
    return plan.kind === 'refused' ? { ok: false, message: plan.message } : { ok: true };
  },

  async run(input, context) {
    const path = absolutePath(input.file_path, context);
    return lockFile(path, context, async (real) => {
      // The question may take long, and other writers do not wait: everything is checked again (F144).
      const plan = await planEdit(path, real, input, context);
      if (plan.kind === 'refused') throw new Error(plan.message);
      const partial = plan.existed && (context.readFileCache.get(path)?.partial ?? true);
      const note = await saveFile(path, real, plan.bytes, partial, context);
      return {
        data: {
          filePath: path,
          oldString: input.old_string,
          newString: input.new_string,
          replaceAll: input.replace_all === true,
          originalFile: plan.before,
          structuredPatch: await structuredPatch(path, plan.before, plan.after),
          userModified: false,
          ...(partial && { contentNotInModelContext: true }),
        },
        content: describeEdit(path, plan) + note,
      };
    });
  },
};

function describeEdit(
  path: string,
  { existed, count }: { readonly existed: boolean; readonly count: number },
): string {
  if (!existed) return `${path} was created.`;
  return `${path} was edited${count > 1 ? `: ${count} occurrences were replaced` : ''}.`;
}

type EditPlan =
  | {
      readonly kind: 'write';
      readonly bytes: Uint8Array;
      readonly existed: boolean;
      readonly before: string;
      readonly after: string;
      readonly count: number;
    }
  | { readonly kind: 'refused'; readonly message: string };

const refused = (message: string): EditPlan => ({ kind: 'refused', message });

async function planEdit(
  path: string,
  real: string,
  input: EditInput,
  context: ToolContext,
): Promise<EditPlan> {
  const { old_string: from, new_string: to } = input;
  if (from === to) return refused('old_string and new_string are the same, so there is nothing to change.');
  const now = await readForWriting(path, real, context);
  if (now.kind === 'refused') return now;
  if (now.kind === 'absent') {
    if (from !== '') return refused(`${path} does not exist. To create it, give an empty old_string.`);
    return { kind: 'write', bytes: Buffer.from(to, 'utf8'), existed: false, before: '', after: to, count: 1 };
  }
  if (staleness(path, now.bytes, context) === 'changed') return refused(changedMessage(path));
  const decoded = decodeText(now.bytes);
  if (decoded === undefined) return refused(`${path} is not a text file.`);

  const before = decoded.text;
  if (from === '' && before !== '')
    return refused(
      `${path} exists and is not empty, so it cannot be created. Give the text to replace as old_string.`,
    );
  const replaced =
    from === '' ? { text: to, count: 1 } : replaceText(before, from, to, input.replace_all === true);
  if (replaced.count === 0) {
    const { nearMiss } = await import('./near-miss.ts');
    const why = nearMiss(before, from) ?? 'It must match exactly, with its spaces and line breaks:';
    return refused(`The text to replace was not found in ${path}. ${why}\n${bounded(from, ECHO_CHARS)}`);
  }
  if (replaced.count > 1 && input.replace_all !== true) {
    return refused(
      `The text to replace occurs ${replaced.count} times in ${path}. Give more of the text around the one you mean, or set replace_all to replace them all:\n${bounded(from, ECHO_CHARS)}`,
    );
  }
  if (replaced.text === before)
    return refused(
      `Nothing would change in ${path}: old_string and new_string differ in their line ends only, and Edit keeps those of the file. To change them, use a program such as dos2unix, or Write.`,
    );
  const bytes = encodeText(replaced.text, decoded.encoding);
  if (bytes === undefined) return refused(encodingRefusal(path, replaced.text));
  return { kind: 'write', bytes, existed: true, before, after: replaced.text, count: replaced.count };
}
