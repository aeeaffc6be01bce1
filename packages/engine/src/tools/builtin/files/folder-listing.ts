/** What a mentioned folder holds, asked for and judged as a Read of it. */
import { join } from 'node:path';
import { absolutePath } from '@turnwright/base/files/home-path.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import type { AnyTool, ToolContext, ToolOutput } from '../../../protocol/tools/tool.ts';
import { resolveFilePath } from './file-access.ts';

const MAX_ENTRIES = 500;
export const EMPTY_FOLDER = '(nothing)';

const schema = {
  type: 'object',
  properties: { file_path: { type: 'string' } },
  required: ['file_path'],
  additionalProperties: false,
};

/** Goes by the name of Read, so that rules and hooks of Read decide about it. */
export const FOLDER_LISTING: AnyTool = {
  name: 'Read',
  inputJsonSchema: schema,
  description: () => 'Lists a folder.',
  parse: (input: JsonObject) => ({ ok: true, input: { file_path: String(input['file_path']) } }),
  isConcurrencySafe: () => true,
  isReadOnly: () => true,
  effectClass: () => 'pure',
  pathFields: ['file_path'],
  permissionTarget: ({ file_path }, base) => ({ kind: 'read', paths: [absolutePath(file_path, base)] }),
  run: ({ file_path }, context) => listFolder(absolutePath(file_path, context), context),
};

/** Without what may not be read. */
async function listFolder(path: string, context: ToolContext): Promise<ToolOutput<undefined>> {
  const { files } = context;
  const real = await resolveFilePath(path, context);
  const isDenied = context.readFilter?.();
  const names = [...(await files.readDir(real))].sort();
  const shown: string[] = [];
  for (const name of names.slice(0, MAX_ENTRIES)) {
    if ((await isDenied?.(join(path, name))) === true) continue;
    const kind = (await files.lstat(join(real, name)).catch(() => undefined))?.kind;
    shown.push(kind === 'directory' ? `${name}/` : name);
  }
  const more = names.length > MAX_ENTRIES ? [`… and ${names.length - MAX_ENTRIES} more`] : [];
  return { data: undefined, content: [...shown, ...more].join('\n') || EMPTY_FOLDER };
}
