/** Files that the model receives as media instead of text: images and PDF documents. */
import { extname } from 'node:path';
import { imageHeader } from '@turnwright/base/files/image-header.ts';
import type { FileStat, PlainFile } from '@turnwright/base/persistent-files.ts';
import type { ToolOutput, ToolResultContent } from '../../../protocol/tools/tool.ts';
import { detectImageType, type ImageType } from './image-file.ts';

export interface ImageOutput {
  readonly type: 'image';
  readonly file: {
    readonly base64: string;
    readonly type: ImageType;
    /** Bytes. */
    readonly originalSize: number;
    /** Pixels; absent if unknown. Images are not scaled. */
    readonly dimensions?: {
      readonly originalWidth: number;
      readonly originalHeight: number;
      readonly displayWidth: number;
      readonly displayHeight: number;
    };
  };
}

export interface PdfOutput {
  readonly type: 'pdf';
  readonly file: {
    readonly filePath: string;
    readonly base64: string;
    /** Bytes. */
    readonly originalSize: number;
  };
}

interface MediaFileLimits {
  /** Bytes of an image: the API takes 5 MB of base64. */
  readonly maxImageBytes: number;
  /** Bytes of a PDF: two fit a request. */
  readonly maxPdfBytes: number;
  readonly maxPdfPages: number;
}

export const looksLikePdf = (path: string) => extname(path).toLowerCase() === '.pdf';

/** For a file without a size, only that it is longer than what was read. */
export const shownSize = ({ size }: FileStat, most: number) =>
  size > most ? `${size} bytes` : `more than ${most} bytes`;

export function toImageOutput(
  path: string,
  { stat, bytes }: PlainFile,
  { maxImageBytes }: MediaFileLimits,
): ToolOutput<ImageOutput> {
  if (bytes === undefined) {
    throw new Error(
      `${path} is an image of ${shownSize(stat, maxImageBytes)}; at most ${maxImageBytes} can be shown. Make a smaller copy of it first.`,
    );
  }
  const type = detectImageType(bytes);
  if (type === undefined)
    throw new Error(`${path} is named like an image, but holds no PNG, JPEG, GIF or WebP.`);
  const base64 = Buffer.from(bytes).toString('base64');
  const { width, height } = imageHeader(base64) ?? {};
  const data: ImageOutput = {
    type: 'image',
    file: {
      base64,
      type,
      originalSize: bytes.length,
      ...(width !== undefined &&
        height !== undefined && {
          dimensions: {
            originalWidth: width,
            originalHeight: height,
            displayWidth: width,
            displayHeight: height,
          },
        }),
    },
  };
  return { data, content: mediaContent(data) };
}

export function toPdfOutput(
  path: string,
  { stat, bytes: read }: PlainFile,
  { maxPdfBytes, maxPdfPages }: MediaFileLimits,
): ToolOutput<PdfOutput> {
  const instead = 'Take a part of it (with qpdf, say), or make text of it with pdftotext.';
  if (read === undefined)
    throw new Error(
      `${path} is a PDF of ${shownSize(stat, maxPdfBytes)}; at most ${maxPdfBytes} can be shown. ${instead}`,
    );
  const bytes = Buffer.from(read);
  if (!bytes.subarray(0, 1024).includes('%PDF-'))
    throw new Error(`${path} is named like a PDF, but is none: it does not begin with %PDF-.`);
  const pages = countPages(bytes);
  if (pages !== undefined && pages > maxPdfPages)
    throw new Error(`${path} is a PDF of ${pages} pages; at most ${maxPdfPages} can be shown. ${instead}`);
  const data: PdfOutput = {
    type: 'pdf',
    file: { filePath: path, base64: bytes.toString('base64'), originalSize: bytes.length },
  };
  return { data, content: mediaContent(data) };
}

export function mediaContent(data: ImageOutput | PdfOutput): ToolResultContent {
  const { base64 } = data.file;
  if (data.type === 'image')
    return [{ type: 'image', source: { type: 'base64', media_type: data.file.type, data: base64 } }];
  const { filePath, originalSize } = data.file;
  return [
    { type: 'text', text: `${filePath} (PDF, ${originalSize} bytes):` },
    { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: base64 } },
  ];
}

/** As far as visible without decompression: newer files compress their list of pages. */
function countPages(bytes: Buffer): number | undefined {
  const pages = bytes.toString('latin1').match(/\/Type\s*\/Page(?![A-Za-z])/g);
  return pages?.length;
}
