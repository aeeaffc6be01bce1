/** Restores the files that were used last, as they are on disk, after a compaction (L2.6). */

import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { reminder } from '@turnwright/base/text/text-blocks.ts';
import type { CompactionSource } from '../../protocol/model/context.ts';
import type { AttachmentMessage, ViewMessage } from '../../protocol/model/messages.ts';
import { leaderOfFamily } from '../../protocol/tools/builtin-tools.ts';
import type { ReadFileCache } from '../../protocol/tools/tool.ts';
import { estimateTokens } from '../estimate/token-estimate.ts';
import { type Stamp, stamped } from '../notices.ts';

interface RecentFilesOptions extends Stamp {
  /** Names the files, the latest last. */
  readonly readFileCache: Pick<ReadFileCache, 'entries'>;
  readonly files: Pick<PersistentFiles, 'readRange'>;
  /** Default 5. */
  readonly maxFiles?: number;
  /** Limit per file in tokens. Default 5,000; of a longer file the beginning is shown. */
  readonly maxFileTokens?: number;
}

/** A larger file cannot fit into the token limit. */
const BYTES_PER_TOKEN = 5;

/**
 * Most recent first, within the limit; files that the kept tail shows already, and files that are not text,
 * are omitted.
 */
export function recentFiles(options: RecentFilesOptions): CompactionSource {
  const { readFileCache, files, maxFiles = 5, maxFileTokens = 5_000 } = options;
  return {
    name: 'recent-files',
    async collect({ kept, budgetTokens, signal }) {
      const shown = pathsIn(kept);
      const restored: AttachmentMessage[] = [];
      let left = budgetTokens;
      for (const [path] of [...readFileCache.entries()].reverse()) {
        if (restored.length === maxFiles || signal.aborted) break;
        const allowed = Math.min(left, maxFileTokens);
        if (shown.has(path) || allowed < LEAST_TOKENS) continue;
        const text = await readBeginning(path, allowed * BYTES_PER_TOKEN, files);
        const message = text === undefined ? undefined : fitting(path, text, allowed, options);
        if (message === undefined) continue;
        left -= estimateTokens([message]);
        restored.push(message);
      }
      return restored;
    },
  };
}

/** A shorter excerpt is not useful. */
const LEAST_TOKENS = 100;

interface Beginning {
  readonly text: string;
  readonly whole: boolean;
}

async function readBeginning(
  path: string,
  maxBytes: number,
  files: RecentFilesOptions['files'],
): Promise<Beginning | undefined> {
  try {
    const bytes = await files.readRange(path, 0, maxBytes + 1);
    const whole = bytes.length <= maxBytes;
    // A character that is split at the end does not mark a binary file.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, maxBytes), {
      stream: !whole,
    });
    return text.includes('\0') ? undefined : { text, whole };
  } catch {
    return undefined; // gone, unreadable or not text
  }
}

function fitting(
  path: string,
  { text, whole }: Beginning,
  maxTokens: number,
  stamp: Stamp,
): AttachmentMessage | undefined {
  const complete = attachment(path, text, whole, stamp);
  let tokens = estimateTokens([complete]);
  if (tokens <= maxTokens) return complete;
  for (let chars = text.length; chars > 0; ) {
    chars = Math.floor(chars * Math.min(0.9, maxTokens / tokens));
    const line = text.lastIndexOf('\n', chars);
    const part = attachment(path, text.slice(0, line > chars / 2 ? line : chars), false, stamp);
    tokens = estimateTokens([part]);
    if (tokens <= maxTokens) return part;
  }
  return undefined;
}

function attachment(path: string, text: string, whole: boolean, stamp: Stamp): AttachmentMessage {
  const what = whole ? `${path}, as it is on disk now` : `The beginning of ${path}, as it is on disk now`;
  return {
    type: 'attachment',
    ...stamped(stamp),
    attachment: { type: 'restored_file', path, whole },
    rendered: [reminder(`${what}:\n${text}`)],
  };
}

const READ = leaderOfFamily('read');

/** Files that calls in these messages used. */
function pathsIn(messages: readonly ViewMessage[]): ReadonlySet<string> {
  const paths = new Set<string>();
  for (const message of messages) {
    if (message.type !== 'assistant') continue;
    for (const block of message.message.content) {
      const path = block.type === 'tool_use' && block.name === READ ? block.input['file_path'] : undefined;
      if (typeof path === 'string') paths.add(path);
    }
  }
  return paths;
}
