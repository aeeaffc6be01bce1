/** `@path` in a prompt brings the file along (L1 phase 3), read in the way the model would read it.
 * Loaded by the first prompt that holds such a mark. */
import { join, resolve } from 'node:path';
import type { Scope } from '@turnwright/base/async/scope.ts';
import { reminder, textOfContent } from '@turnwright/base/text/text-blocks.ts';
import { READ_RESOURCE_TOOL } from '../../mcp/tools/resource-tools.ts';
import type { PromptAttachment } from '../../protocol/model/attachment.ts';
import type { UserBlock } from '../../protocol/model/wire.ts';
import { leaderOfFamily } from '../../protocol/tools/builtin-tools.ts';
import type { ToolResultContent } from '../../protocol/tools/tool.ts';
import { findAgent } from '../../subagents/catalog.ts';
import { EMPTY_FOLDER, FOLDER_LISTING } from '../../tools/builtin/files/folder-listing.ts';
import type { QueryEngineConfig } from '../config.ts';
import { agentsIn } from '../host/session-listings.ts';
import type { ConversationTools, Session, SystemPorts } from '../session/session.ts';

interface Mentioned {
  readonly attachment: PromptAttachment;
  /** Empty: it could not be had. */
  readonly rendered: readonly UserBlock[];
}

interface MentionPorts {
  readonly tools: Pick<ConversationTools, 'callGated' | 'folder'>;
  readonly config: Pick<QueryEngineConfig, 'agents' | 'env'>;
  readonly mcp: Pick<Session['mcp'], 'statuses'>;
  readonly world: Pick<SystemPorts, 'files'>;
}

/**
 * A folder brings the names in it along, `@agent-name` the wish for an agent, `@server:uri` a resource. What
 * does not look like a path, and is none, stays the text it is.
 */
export async function readMentions(
  text: string,
  scope: Pick<Scope, 'signal'>,
  ports: MentionPorts,
): Promise<readonly Mentioned[]> {
  const found: Mentioned[] = [];
  for (const mention of findMentions(text)) {
    const one =
      agentMention(mention, ports) ??
      (await resourceMention(mention, scope, ports)) ??
      (await fileMention(mention, scope, ports));
    if (one !== undefined) found.push(one);
  }
  return found;
}

/** `@agent-reviewer`, `@"reviewer (agent)"` */
function agentMention({ path }: Mention, { config }: MentionPorts): Mentioned | undefined {
  const named = /^agent-(.+)$/.exec(path)?.[1] ?? /^(.+) \(agent\)$/.exec(path)?.[1];
  const agent = named === undefined ? undefined : findAgent(named, agentsIn(config))?.name;
  if (agent === undefined) return undefined;
  const wish = `The user asks for the agent ${agent}. Start it for what they want, and give it what it needs to know.`;
  return { attachment: { type: 'agent_mention', agent }, rendered: [reminder(wish)] };
}

/** `@docs:file:///guide.md`, of a server that there is. */
async function resourceMention(
  { path }: Mention,
  { signal }: Pick<Scope, 'signal'>,
  { mcp, tools }: MentionPorts,
): Promise<Mentioned | undefined> {
  const [, server = '', uri = ''] = /^([^:/\s]+):(.+)$/.exec(path) ?? [];
  if (uri === '' || !mcp.statuses().some(({ name }) => name === server)) return undefined;
  const attachment = { type: 'mcp_resource', server, uri } as const;
  const answer = await tools.callGated(READ_RESOURCE_TOOL, { server, uri }, signal);
  const problem = problemIn(answer);
  if (problem !== undefined) return { attachment: { ...attachment, problem }, rendered: [] };
  const note = `The user names the resource ${uri} of the MCP server ${server}. This is what it holds:`;
  return { attachment, rendered: rendered(note, contentOf(answer)) };
}

async function fileMention(
  { path: written, fromLine, lines }: Mention,
  { signal }: Pick<Scope, 'signal'>,
  { tools, config, world }: MentionPorts,
): Promise<Mentioned | undefined> {
  if (!/^(?:~\/|[\p{L}\p{N}_./(])/u.test(written) || /:\/\/|^(?:mcp__|server:)/.test(written))
    return undefined;
  const home = config.env?.['HOME'] ?? config.env?.['USERPROFILE'];
  const fromHome = (path: string) =>
    path.startsWith('~/') && home !== undefined ? join(home, path.slice(2)) : path;
  const kindOf = async (path: string) =>
    (await world.files.stat(resolve(tools.folder.now, fromHome(path))).catch(() => undefined))?.kind;
  const named = await firstWith(kindOf, [written, withoutWords(written)]);
  if (named === undefined) {
    // A name of a file with an ending, in a folder of the project or not.
    if (!/\.\p{L}[\p{L}\p{N}]{0,5}$/u.test(written)) return undefined;
    return { attachment: { type: 'file', path: written, problem: 'there is no such file' }, rendered: [] };
  }
  const path = fromHome(named.path);
  const isFolder = named.kind === 'directory';
  const input = {
    file_path: path,
    ...(fromLine !== undefined && { offset: fromLine }),
    ...(lines !== undefined && { limit: lines }),
  };
  const answer = await tools.callGated(isFolder ? FOLDER_LISTING : leaderOfFamily('read'), input, signal);
  const problem = problemIn(answer);
  if (problem !== undefined) return { attachment: { type: 'file', path, problem }, rendered: [] };
  const content = contentOf(answer);
  const what = isFolder ? 'This is what the folder holds:' : 'This is what Read returns for it:';
  return {
    attachment: { type: 'file', path, ...sizeOf(content, isFolder) },
    rendered: rendered(`The user names ${path}. ${what}`, content),
  };
}

type Answer = Awaited<ReturnType<ConversationTools['callGated']>>;

const contentOf = (answer: Answer): ToolResultContent => (answer.ok ? answer.content : '');

/** The first sentence of why; undefined: it was read. */
function problemIn(answer: Answer): string | undefined {
  if (answer.ok && !answer.isError) return undefined;
  const why = answer.ok ? textOfContent(answer.content as string) : answer.why;
  return (
    why
      .replace(/<\/?tool_use_error>/g, '')
      .trim()
      .split('\n', 1)[0] || 'it cannot be read'
  );
}

/** Numbered lines, as Read gives them. */
function sizeOf(content: ToolResultContent, isFolder: boolean): { lines?: number; entries?: number } {
  if (typeof content !== 'string') return {};
  if (isFolder) return { entries: content === EMPTY_FOLDER ? 0 : content.split('\n').length };
  return { lines: content.match(/^\s*\d+\t/gm)?.length ?? 0 };
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

function rendered(note: string, content: ToolResultContent): readonly UserBlock[] {
  if (typeof content === 'string') return [reminder(`${note}\n${content}`)];
  return [reminder(note), ...content.filter((block) => block.type !== 'tool_reference')];
}

interface Mention {
  /** As written: relative to the working directory, absolute, or from `~/`. */
  readonly path: string;
  /** From 1. */
  readonly fromLine?: number;
  readonly lines?: number;
}

const MENTION = /(?:^|(?<=[\s(]))@(?:"([^"\n]+)"|((?:\\ |[^\s"`])+))/g;
const MAX_MENTIONS = 20;

/** In order, each once. Text in backquotes, and what is not a path (`me@example.com`), is ignored. */
function findMentions(text: string): readonly Mention[] {
  const found = new Map<string, Mention>();
  for (const [, quoted, bare = ''] of text.replace(/`[^`\n]*`/g, ' ').matchAll(MENTION)) {
    const written = quoted ?? bare.replaceAll('\\ ', ' ').replace(/[.,;:!?)\]}'"]+$/, '');
    const [, path = '', first, last] = /^(.*?)(?:#L(\d{1,7})(?:-L?(\d{1,7}))?)?$/.exec(written) ?? [];
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
