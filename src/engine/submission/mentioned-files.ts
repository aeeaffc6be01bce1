/** `@path` in a prompt brings the file along (L1 phase 3), read in the way the model would read it. */
import { join } from 'node:path';
import type { UserBlock } from '../../protocol/model/wire.ts';
import type { ToolResultContent } from '../../protocol/tools/tool.ts';
import type { Scope } from '../../util/async/scope.ts';
import { reminder } from '../../util/text/reminder.ts';
import type { QueryEngineConfig } from '../config.ts';
import type { ToolsRoom } from '../tools/tools-room.ts';

interface MentionedFile {
  readonly path: string;
  readonly rendered: readonly UserBlock[];
}

/** What is missing, is no file, or may not be read stays the text it is. */
export async function mentionedFiles(
  text: string,
  scope: Pick<Scope, 'signal'>,
  {
    tools,
    config,
  }: {
    readonly tools: Pick<ToolsRoom, 'callGated'>;
    readonly config: Pick<QueryEngineConfig, 'env'>;
  },
): Promise<readonly MentionedFile[]> {
  if (!text.includes('@')) return [];
  const home = config.env?.['HOME'] ?? config.env?.['USERPROFILE'];
  const found: MentionedFile[] = [];
  for (const { path: written, fromLine, lines } of findMentions(text)) {
    const path = written.startsWith('~/') && home !== undefined ? join(home, written.slice(2)) : written;
    const input = {
      file_path: path,
      ...(fromLine !== undefined && { offset: fromLine }),
      ...(lines !== undefined && { limit: lines }),
    };
    const answer = await tools.callGated('Read', input, scope.signal);
    if (answer.ok && !answer.isError) found.push({ path, rendered: rendered(path, answer.content) });
  }
  return found;
}

function rendered(path: string, content: ToolResultContent): readonly UserBlock[] {
  const note = `The user names ${path}. This is what Read returns for it:`;
  if (typeof content === 'string') return [reminder(`${note}\n${content}`)];
  return [reminder(note), ...content];
}

interface FileMention {
  /** As written: relative to the working directory, absolute, or from `~/`. */
  readonly path: string;
  /** From 1. */
  readonly fromLine?: number;
  readonly lines?: number;
}

const MENTION = /(?:^|(?<=[\s(]))@(?:"([^"\n]+)"|((?:\\ |[^\s"`])+))/g;
const MAX_MENTIONS = 20;

/** In order, each once. Text in backquotes, and what is not a path (`me@example.com`), is ignored. */
function findMentions(text: string): readonly FileMention[] {
  const found = new Map<string, FileMention>();
  for (const [, quoted, bare = ''] of text.replace(/`[^`\n]*`/g, ' ').matchAll(MENTION)) {
    const written = quoted ?? bare.replaceAll('\\ ', ' ').replace(/[.,;:!?)\]}'"]+$/, '');
    const [, path = '', first, last] = /^(.*?)(?:#L(\d{1,7})(?:-L?(\d{1,7}))?)?$/.exec(written) ?? [];
    if (!/^(?:~\/|[\p{L}\p{N}_./(])/u.test(path) || path.includes('://') || /^(?:mcp__|server:)/.test(path))
      continue;
    if (found.size === MAX_MENTIONS) break;
    found.set(written, {
      path,
      ...(first !== undefined && {
        fromLine: Number(first),
        lines: Math.max(1, Number(last ?? first) - Number(first) + 1),
      }),
    });
  }
  return [...found.values()];
}
