/** Restores one file, or reports why it is left unchanged. */
import { errorText } from '@turnwright/base/text/error-text.ts';
import type { ChangedFile } from './changes-since.ts';
import type { FileHistoryPorts } from './file-history-ports.ts';
import { type ContentNow, readContentNow, resolveRealPath } from './keep-content.ts';

type RewoundFile =
  /** It has its former content already. */
  | { readonly kind: 'same' }
  | { readonly kind: 'rewound'; readonly insertions: number; readonly deletions: number }
  /** Another program changed it since. */
  | { readonly kind: 'conflict' }
  /** There is a link now, which is not followed. */
  | { readonly kind: 'link' }
  | { readonly kind: 'failed'; readonly why: string };

interface Rewind extends FileHistoryPorts {
  readonly key: string;
  readonly dryRun: boolean;
}

/** Call it under the file's lock. Never rejects. */
export async function rewindFile(file: ChangedFile, rewind: Rewind): Promise<RewoundFile> {
  try {
    return await putBack(file, rewind);
  } catch (error) {
    return { kind: 'failed', why: errorText(error) };
  }
}

async function putBack(file: ChangedFile, rewind: Rewind): Promise<RewoundFile> {
  const { files, keeper, dryRun } = rewind;
  if (await isLinked(file, rewind)) return { kind: 'link' };
  const now = await readContentNow(file.real, files);
  if (now === undefined) return { kind: 'conflict' };
  const { original } = file;
  if ((now?.hash ?? null) === (original?.hash ?? null)) return { kind: 'same' };
  if (file.interleaved || !file.expected.includes(now?.hash ?? null)) return { kind: 'conflict' };
  const bytes =
    original === null ? null : original.lost === true ? undefined : await keeper.bytesOf(original.hash);
  if (bytes === undefined)
    return { kind: 'failed', why: 'what it held then was too large to keep, or is gone' };
  const lines = await rewind.countLines(toText(now?.bytes), toText(bytes));
  if (!dryRun) await write(file, now, bytes, rewind);
  return { kind: 'rewound', insertions: lines.in, deletions: lines.out };
}

/**
 * A rewind is recorded like any other change and the removed content is stored, so that it can be rewound
 * too.
 */
async function write(
  { path, real, original }: ChangedFile,
  now: ContentNow | null,
  bytes: Uint8Array | null,
  { files, keeper, record, key }: Rewind,
): Promise<void> {
  const before = now && (await keeper.keep(now));
  await record({ path, ...(real !== path && { real }), before, after: original?.hash ?? null }, key);
  if (bytes === null) return files.remove(real, { plain: true });
  await files.writeAtomic(real, bytes, {
    plain: true,
    ...(original !== null && { mode: original.mode }),
  });
}

/**
 * The tool wrote to `real`; a link that is there now is another file. So is one with a second hard link,
 * which the tool's write cannot have left.
 */
async function isLinked({ path, real }: ChangedFile, { files }: Rewind): Promise<boolean> {
  const stat = await files.lstat(path);
  if (stat?.kind === 'symlink' || (stat?.kind === 'file' && (stat.links ?? 1) > 1)) return true;
  return (await resolveRealPath(path, files)) !== real;
}

/** '' for content that is not text: its lines are not counted. */
function toText(bytes: Uint8Array | null | undefined): string {
  return bytes === null || bytes === undefined || bytes.includes(0)
    ? ''
    : Buffer.from(bytes).toString('utf8');
}
