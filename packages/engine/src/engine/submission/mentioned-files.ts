/** `@path` in a prompt brings the file along (L1 phase 3), read in the way the model would read it. */
import { join, resolve } from 'node:path';
import type { Scope } from '@turnwright/base/async/scope.ts';
import { reminder } from '@turnwright/base/text/text-blocks.ts';
import type { UserBlock } from '../../protocol/model/wire.ts';
import { leaderOfFamily } from '../../protocol/tools/builtin-tools.ts';
import type { ToolResultContent } from '../../protocol/tools/tool.ts';
import { FOLDER_LISTING } from '../../tools/builtin/files/folder-listing.ts';
import type { QueryEngineConfig } from '../config.ts';
import type { ConversationTools, SystemPorts } from '../session/session.ts';

interface MentionedFile {
  readonly path: string;
  readonly rendered: readonly UserBlock[];
}

/** A folder brings the names in it along. What is missing, or may not be read, stays the text it is. */
export async function mentionedFiles(
  text: string,
  scope: Pick<Scope, 'signal'>,
  {
    tools,
    config,
    world,
  }: {
    readonly tools: Pick<ConversationTools, 'callGated' | 'folder'>;
    readonly config: Pick<QueryEngineConfig, 'env'>;
    readonly world: Pick<SystemPorts, 'files'>;
  },
): Promise<readonly MentionedFile[]> {
  if (!text.includes('@')) return [];
  const home = config.env?.['HOME'] ?? config.env?.['USERPROFILE'];
  const found: MentionedFile[] = [];
  const fromHome = (path: string) =>
    path.startsWith('~/') && home !== undefined ? join(home, path.slice(2)) : path;
  const kindOf = async (path: string) =>
    (await world.files.stat(resolve(tools.folder.now, fromHome(path))).catch(() => undefined))?.kind;
  for (const { path: written, fromLine, lines } of findMentions(text)) {
    const named = await firstWith(kindOf, [written, withoutWords(written)]);
    if (named === undefined) continue;
    const path = fromHome(named.path);
    const isFolder = named.kind === 'directory';
    const input = {
      file_path: path,
      ...(fromLine !== undefined && { offset: fromLine }),
      ...(lines !== undefined && { limit: lines }),
    };
    const answer = await tools.callGated(
      isFolder ? FOLDER_LISTING : leaderOfFamily('read'),
      input,
      scope.signal,
    );
    if (answer.ok && !answer.isError)
      found.push({ path, rendered: rendered(path, answer.content, isFolder) });
  }
  return found;
}

/** In languages without blanks, or with endings, words follow a name at once: `@a.txtです`. */
const withoutWords = (path: string) => path.replace(/[^\p{ASCII}\p{Script=Latin}]+$/u, '');

async function firstWith<T>(
  kindOf: (path: string) => Promise<T | undefined>,
  paths: readonly string[],
): Promise<{ readonly path: string; readonly kind: T } | undefined> {
  for (const path of new Set(paths)) {
    const kind = path === '' ? undefined : await kindOf(path);
    if (kind !== undefined) return { path, kind };
  }
  return undefined;
}

function rendered(path: string, content: ToolResultContent, isFolder: boolean): readonly UserBlock[] {
  const what = isFolder ? 'This is what the folder holds:' : 'This is what Read returns for it:';
  const note = `The user names ${path}. ${what}`;
  if (typeof content === 'string') return [reminder(`${note}\n${content}`)];
  return [reminder(note), ...content.filter((block) => block.type !== 'tool_reference')];
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
