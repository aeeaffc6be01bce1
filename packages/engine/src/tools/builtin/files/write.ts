import { absolutePath } from '@turnwright/base/files/home-path.ts';
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
import { decodeText, encodeText, encodingRefusal } from './text-file.ts';
import { type PatchHunk, structuredPatch } from './text-patch.ts';

interface WriteInput {
  readonly file_path: string;
  readonly content: string;
}

interface WriteOutput {
  readonly type: 'create' | 'update';
  readonly filePath: string;
  readonly content: string;
  /** Empty for a new file. */
  readonly structuredPatch: readonly PatchHunk[];
  /** The former text; null: there was no file. */
  readonly originalFile: string | null;
  /** Always false. */
  readonly userModified: false;
}

const schema = {
  type: 'object',
  properties: {
    file_path: { type: 'string', minLength: 1, description: 'The file to write; an absolute path is best.' },
    content: { type: 'string', description: 'The whole new content of the file.' },
  },
  required: ['file_path', 'content'],
  additionalProperties: false,
};

export const writeTool: Tool<WriteInput, WriteOutput> = {
  name: 'Write',
  inputJsonSchema: schema,
  description: () =>
    `Creates a file, or replaces the whole content of one.

- An existing file must have been read with Read in this session first; the write is refused if the file changed since then.
- To change part of a file, Edit is better: it sends only the change.
- Missing folders are created. The content is written as given, with the line ends you give it.
- Do not create documentation or other files that nobody asked for.`,
  parse: createParser<WriteInput>(schema),
  isConcurrencySafe: () => false,
  isReadOnly: () => false,
  pathFields: ['file_path'],
  permissionTarget: (input, base) => ({ kind: 'write', paths: [absolutePath(input.file_path, base)] }),

  renderOutput(data) {
    const { type, filePath } = (data ?? {}) as Partial<WriteOutput>;
    return typeof filePath === 'string' && (type === 'create' || type === 'update')
      ? describeWrite({ type, filePath })
      : undefined;
  },

  async validateInput(input, context) {
    const spelling = await checkTarget(input.file_path, context);
    if (!spelling.ok) return spelling;
    const path = absolutePath(input.file_path, context);
    const real = await resolveFilePath(path, context);
    if (!(await mayTell(path, real, context))) return { ok: true };
    const plan = await planWrite(path, real, input.content, context);
    return plan.kind === 'refused' ? { ok: false, message: plan.message } : { ok: true };
  },

  async run(input, context) {
    const path = absolutePath(input.file_path, context);
    return lockFile(path, context, async (real) => {
      // The question may take long, and other writers do not wait: everything is checked again (F144).
      const plan = await planWrite(path, real, input.content, context);
      if (plan.kind === 'refused') throw new Error(plan.message);
      const note = await saveFile(path, real, plan.bytes, false, context);
      const { before } = plan;
      const data: WriteOutput = {
        type: before === undefined ? 'create' : 'update',
        filePath: path,
        content: input.content,
        structuredPatch: before === undefined ? [] : await structuredPatch(path, before, input.content),
        originalFile: before ?? null,
        userModified: false,
      };
      return { data, content: describeWrite(data) + note + plan.note };
    });
  },
};

function describeWrite({ type, filePath }: Pick<WriteOutput, 'type' | 'filePath'>): string {
  return type === 'create' ? `${filePath} was created.` : `${filePath} was replaced with the new content.`;
}

type WritePlan =
  | {
      readonly kind: 'write';
      readonly bytes: Uint8Array;
      readonly before: string | undefined;
      readonly note: string;
    }
  | { readonly kind: 'refused'; readonly message: string };

async function planWrite(
  path: string,
  real: string,
  content: string,
  context: ToolContext,
): Promise<WritePlan> {
  const now = await readForWriting(path, real, context);
  switch (now.kind) {
    case 'refused':
      return now;
    case 'absent':
      return { kind: 'write', bytes: Buffer.from(content, 'utf8'), before: undefined, note: '' };
    case 'file': {
      const stale = staleness(path, now.bytes, context);
      if (stale === 'unread')
        return {
          kind: 'refused',
          message: `${path} exists and has not been read yet. Read it before replacing it.`,
        };
      if (stale !== undefined) return { kind: 'refused', message: changedMessage(path) };
      const before = decodeText(now.bytes);
      // A file that was not text becomes UTF-8; others keep their encoding.
      const bytes = before === undefined ? Buffer.from(content) : encodeText(content, before.encoding);
      if (bytes === undefined) return { kind: 'refused', message: encodingRefusal(path, content) };
      const note = before?.encoding === 'windows-1252' ? ' Its encoding is still Windows-1252.' : '';
      return { kind: 'write', bytes, before: before?.text ?? '', note };
    }
  }
}
