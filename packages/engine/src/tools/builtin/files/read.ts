import { extname } from 'node:path';
import { absolutePath } from '@turnwright/base/files/home-path.ts';
import { sha256 } from '@turnwright/base/ids/hash-and-uuid.ts';
import type { PlainFile } from '@turnwright/base/persistent-files.ts';
import type { Tool, ToolContext, ToolOutput, ToolResultContent } from '../../../protocol/tools/tool.ts';
import { createParser } from '../../schema/from-json-schema.ts';
import type { NotebookView } from '../notebook/show-notebook.ts';
import { checkSpelling, fileInTheWay, isNoFolder, kindRefusal, resolveFilePath } from './file-access.ts';
import { detectImageType, looksLikeImage } from './image-file.ts';
import { lineWindow, numberedLines } from './line-window.ts';
import {
  type ImageOutput,
  looksLikePdf,
  mediaContent,
  type PdfOutput,
  shownSize,
  toImageOutput,
  toPdfOutput,
} from './read-media.ts';
import { decodeText, encodingNote, endsLinesWithCr } from './text-file.ts';

interface ReadInput {
  readonly file_path: string;
  readonly offset?: number;
  readonly limit?: number;
}

type ReadOutput =
  | {
      readonly type: 'text';
      readonly file: {
        readonly filePath: string;
        readonly content: string;
        readonly numLines: number;
        readonly startLine: number;
        readonly totalLines: number;
      };
    }
  | ImageOutput
  | PdfOutput
  | NotebookView;

export interface ReadLimits {
  /** Maximum bytes of a text file. Default 10 MiB. */
  readonly maxFileBytes?: number;
  /** Lines per result unless the call sets them. Default: as many as `maxChars` allows. */
  readonly maxLines?: number;
  /** Maximum characters of a line; longer ones are truncated. Default `maxChars`. */
  readonly maxLineChars?: number;
  /** Characters of one answer, about 25 000 tokens. Default 100 000. */
  readonly maxChars?: number;
  /** Bytes of an image: the API takes 5 MB of base64. Default 3 750 000. */
  readonly maxImageBytes?: number;
  /** Bytes of a PDF. Default 12 000 000. */
  readonly maxPdfBytes?: number;
  /** Default 100. */
  readonly maxPdfPages?: number;
}

const MAX_CHARS = 100_000;

const schema = {
  type: 'object',
  properties: {
    file_path: { type: 'string', minLength: 1, description: 'The file to read; an absolute path is best.' },
    offset: {
      type: 'integer',
      minimum: 0,
      description: 'The first line to read, from 1. For files too long to read at once.',
    },
    limit: { type: 'integer', minimum: 1, description: 'How many lines to read.' },
  },
  required: ['file_path'],
  additionalProperties: false,
};

export function createReadTool(options: ReadLimits = {}): Tool<ReadInput, ReadOutput> {
  const limits: Required<ReadLimits> = {
    maxFileBytes: options.maxFileBytes ?? 10 * 1024 * 1024,
    maxLines: options.maxLines ?? Number.POSITIVE_INFINITY,
    maxLineChars: options.maxLineChars ?? options.maxChars ?? MAX_CHARS,
    maxChars: options.maxChars ?? MAX_CHARS,
    maxImageBytes: options.maxImageBytes ?? 3_750_000,
    maxPdfBytes: options.maxPdfBytes ?? 12_000_000,
    maxPdfPages: options.maxPdfPages ?? 100,
  };
  return {
    name: 'Read',
    inputJsonSchema: schema,
    description: () =>
      `Reads a file from disk.

- Text comes with a line number and a tab before each line; these are not part of the file.
- A file comes whole, up to ${limits.maxChars} characters; with offset and limit any part of a longer one.
- PNG, JPEG, GIF and WebP files are returned as images, PDF files (up to ${limits.maxPdfPages} pages) as documents.
- Jupyter notebooks are returned cell by cell with their outputs; offset and limit then count cells.
- It reads files only: for directories use Glob, or ls with Bash.
- When several files may matter, read them in one go with several calls.`,
    parse: createParser<ReadInput>(schema),
    isConcurrencySafe: () => true,
    isReadOnly: () => true,
    effectClass: () => 'pure',
    pathFields: ['file_path'],
    permissionTarget: (input, base) => ({ kind: 'read', paths: [absolutePath(input.file_path, base)] }),
    validateInput: (input, context) => checkSpelling(input.file_path, context),
    // It limits itself, and its source can be read again, so a copy is not useful (L2.2).
    maxResultChars: Number.POSITIVE_INFINITY,
    microcompactable: true,
    renderOutput,
    run: (input, context) => read(input, context, limits),
  };
}

async function read(
  input: ReadInput,
  context: ToolContext,
  limits: Required<ReadLimits>,
): Promise<ToolOutput<ReadOutput>> {
  const path = absolutePath(input.file_path, context);
  const kind = looksLikeImage(path) ? 'image' : looksLikePdf(path) ? 'pdf' : 'text';
  const real = await resolveFilePath(path, context);
  const found = await context.files.readPlain(real, mostBytes(kind, limits));
  if (found === undefined) {
    const inTheWay = await fileInTheWay(real, context.files);
    throw new Error(inTheWay === undefined ? `${path} does not exist.` : isNoFolder(path, inTheWay));
  }
  const refusal = kindRefusal(path, found.stat);
  if (refusal !== undefined) throw new Error(refusal);
  if (kind === 'image') return toImageOutput(path, found, limits);
  if (kind === 'pdf') return toPdfOutput(path, found, limits);
  return readTextFile({ path, real }, found, input, context, limits);
}

function mostBytes(kind: 'image' | 'pdf' | 'text', limits: Required<ReadLimits>): number {
  switch (kind) {
    case 'image':
      return limits.maxImageBytes;
    case 'pdf':
      return limits.maxPdfBytes;
    case 'text':
      return limits.maxFileBytes;
  }
}

async function readTextFile(
  { path, real }: { readonly path: string; readonly real: string },
  { stat, bytes }: PlainFile,
  input: ReadInput,
  context: ToolContext,
  limits: Required<ReadLimits>,
): Promise<ToolOutput<ReadOutput>> {
  if (bytes === undefined)
    throw new Error(
      `${path} has ${shownSize(stat, limits.maxFileBytes)}; files above ${limits.maxFileBytes} bytes are not read. Search it with Grep, or cut out a part with Bash, for example with sed -n or head -c.`,
    );
  const decoded = decodeText(bytes);
  if (decoded === undefined && detectImageType(bytes) !== undefined)
    return toImageOutput(path, { stat, ...(bytes.length <= limits.maxImageBytes && { bytes }) }, limits);
  if (decoded === undefined)
    throw new Error(
      `${path} is a binary file, which Read cannot show. Tools such as file, xxd or strings, run with Bash, can tell more.`,
    );

  const from = Math.max(1, input.offset ?? 1);
  if (extname(path).toLowerCase() === '.ipynb') {
    const { showNotebook } = await import('../notebook/show-notebook.ts');
    const maxCells = input.limit ?? limits.maxLines;
    const notebook = showNotebook(path, decoded.text, { ...limits, from, maxCells });
    if (notebook !== undefined) {
      const { partial, ...shown } = notebook;
      context.readFileCache.set(path, { hash: sha256(bytes), mtimeMs: stat.mtimeMs, partial, real });
      return shown;
    }
  }
  const maxLines = input.limit ?? limits.maxLines;
  const { text } = decoded;
  const window = lineWindow(endsLinesWithCr(text) ? text.replaceAll('\r', '\n') : text, {
    from,
    maxLines,
    maxLineChars: limits.maxLineChars,
    maxChars: limits.maxChars,
  });
  const { lines, totalLines } = window;
  const partial = lines < totalLines;
  context.readFileCache.set(path, { hash: sha256(bytes), mtimeMs: stat.mtimeMs, partial, real });

  const last = from + lines - 1;
  const more = last < totalLines && lines > 0 && input.limit !== lines;
  const content =
    totalLines === 0
      ? `(${path} exists, but is empty.)`
      : lines === 0
        ? `(There is nothing from line ${from} on: ${path} has ${totalLines} lines.)`
        : more
          ? `${window.numbered}\n\n(These are lines ${from} to ${last} of ${totalLines}. Go on with offset ${last + 1}.)`
          : window.numbered;
  return {
    data: {
      type: 'text',
      file: { filePath: path, content: window.content, numLines: lines, startLine: from, totalLines },
    },
    content: content + encodingNote(decoded.encoding),
  };
}

/** Text with its numbers, a picture or a document, from the form that consumers see. */
function renderOutput(data: unknown): ToolResultContent | undefined {
  const { type, file } = (data ?? {}) as Partial<ReadOutput>;
  if (typeof file !== 'object' || file === null) return undefined;
  if (type === 'text' && 'content' in file && typeof file.content === 'string')
    return numberedLines(file.content, file.startLine ?? 1);
  if ((type === 'image' || type === 'pdf') && 'base64' in file && typeof file.base64 === 'string')
    return mediaContent(data as ImageOutput | PdfOutput);
  return undefined;
}
