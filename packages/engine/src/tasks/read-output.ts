import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import type { TaskOutput } from '../protocol/tools/task.ts';

/** The last `maxBytes` of a file behind byte `from`, as text. '' for a missing file. */
export async function readOutput(
  files: Pick<PersistentFiles, 'stat' | 'readRange'>,
  path: string,
  { from, maxBytes }: { readonly from: number; readonly maxBytes: number },
): Promise<TaskOutput> {
  const totalBytes = (await files.stat(path))?.size ?? 0;
  const start = Math.max(from, totalBytes - maxBytes);
  if (start >= totalBytes) return { text: '', from: totalBytes, to: totalBytes, totalBytes };
  const bytes = await files.readRange(path, start, totalBytes - start);
  const to = start + bytes.length;
  // Skips to the beginning of a character.
  let lead = 0;
  while (start > 0 && lead < 3 && ((bytes[lead] ?? 0) & 0xc0) === 0x80) lead += 1;
  const text = new TextDecoder().decode(bytes.subarray(lead));
  return { text, from: start + lead, to, totalBytes };
}
