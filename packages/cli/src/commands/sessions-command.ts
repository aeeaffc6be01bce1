/** `turnwright sessions`: lists, shows, renames, copies and deletes sessions. */
import {
  deleteSession,
  eraseFromSession,
  forkSession,
  getSessionInfo,
  getSessionMessages,
  listSessions,
  renameSession,
  type SDKSessionInfo,
  type SessionMessage,
  tagSession,
} from '@turnwright/engine';
import { visible } from '@turnwright/terminal/text/visible.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { SessionsInvocation } from '../flags/sessions-flags.ts';
import { UsageError } from '../usage-error.ts';
import { toolLabel } from '../words/tool-label.ts';
import { counted } from '../words/units.ts';
import type { World } from '../world.ts';
import { sessionLine, wholeMessageId } from './whole-id.ts';

type Action = (invocation: SessionsInvocation, world: World) => Promise<string>;

const HOW: Readonly<Record<string, string>> = {
  list: 'sessions list [--all | --db [url]] [--search <text>] [--limit <n>] [--json]',
  show: 'sessions show <id> [--json]',
  rename: 'sessions rename <id> <title>',
  tag: 'sessions tag <id> [tag]',
  fork: 'sessions fork <id> [--at <message>] [--title <title>]',
  erase: 'sessions erase <id> (--message <message> | --text <text>)',
  delete: 'sessions delete <id>',
};

const ACTIONS: Readonly<Record<string, Action>> = {
  async list({ flags }, world) {
    const { cwd, env } = world;
    if (flags.db !== undefined) {
      const { listInDatabase } = await import('../durable/list-sessions.ts');
      return listInDatabase({ ...flags, db: flags.db === true ? undefined : flags.db }, world);
    }
    const dir = flags.all === true ? {} : { dir: cwd };
    const found = await listSessions({ ...dir, env, limit: flags.limit });
    if (flags.search !== undefined) return searchedIn(flags.search, found, flags.json === true, world);
    if (flags.json === true) return JSON.stringify(found, undefined, 2);
    if (found.length > 0) return found.map(sessionLine).join('\n');
    return flags.all === true
      ? 'No sessions are kept.'
      : 'No sessions of this folder are kept (--all for every folder).';
  },
  async show({ words, flags }, { env }) {
    const id = idIn(words, 1, 'show');
    const info = await getSessionInfo(id, { env });
    const messages = await getSessionMessages(id, { env });
    if (info === undefined && messages.length === 0)
      throw new UsageError(
        `There is no session ${id}. \`turnwright sessions list --all\` shows which there are.`,
      );
    if (flags.json === true) return JSON.stringify({ ...info, messages }, undefined, 2);
    return [info === undefined ? id : sessionLine(info), ...messages.flatMap(said)].join('\n');
  },
  async rename({ words }, { env }) {
    const id = idIn(words, Number.POSITIVE_INFINITY, 'rename');
    const title = words.slice(1).join(' ');
    if (title.trim() === '') throw new UsageError(`Give a title: turnwright ${HOW['rename']}`);
    await renameSession(id, title, { env });
    return `${id} is now "${title.trim()}".`;
  },
  async tag({ words }, { env }) {
    const id = idIn(words, 2, 'tag');
    const tag = words[1]?.trim();
    await tagSession(id, tag === undefined || tag === '' ? null : tag, { env });
    return tag === undefined || tag === '' ? `${id} has no tag any more.` : `${id} is tagged ${tag}.`;
  },
  async fork({ words, flags }, { env }) {
    const id = idIn(words, 1, 'fork');
    const upToMessageId = flags.at && (await wholeMessageId(flags.at, id, { env }));
    const fork = await forkSession(id, { env, upToMessageId, title: flags.title });
    return fork.sessionId;
  },
  async erase({ words, flags: { message, text } }, { env, stdin }) {
    const id = idIn(words, 1, 'erase');
    if ((message === undefined) === (text === undefined))
      throw new UsageError(`Name a message or a text: turnwright ${HOW['erase']}`);
    const request =
      message === undefined
        ? { text: await textOr(text, stdin) }
        : { messageId: await wholeMessageId(message, id, { env }) };
    const changed = await eraseFromSession(id, request, { env });
    if (changed === 0) throw new UsageError(`Nothing that ${id} keeps holds this text.`);
    return `Erased from ${changed} ${changed === 1 ? 'record' : 'records'} of ${id}.`;
  },
  async delete({ words }, { env }) {
    const id = idIn(words, 1, 'delete');
    await deleteSession(id, { env });
    return `${id} is deleted, with all that was kept beside it.`;
  },
};

export async function runSessionsCommand(world: World, invocation: SessionsInvocation): Promise<ExitCode> {
  const { action } = invocation;
  const run = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
  if (run === undefined)
    throw new UsageError(`There is no "sessions ${action}". There are: ${Object.keys(ACTIONS).join(', ')}.`);
  await world.out.write(`${visible(await run(invocation, world))}\n`);
  return EXIT.success;
}

async function searchedIn(
  text: string,
  sessions: readonly SDKSessionInfo[],
  asJson: boolean,
  { cwd, env }: World,
): Promise<string> {
  if (text.trim() === '') throw new UsageError('Give the text to search for: --search "the text".');
  const { searchSessions } = await import('../run/search-sessions.ts');
  const found: (SDKSessionInfo & { readonly line: string })[] = [];
  for await (const { sessionId, line } of searchSessions(text, sessions, { cwd, env })) {
    const info = sessions.find((each) => each.sessionId === sessionId);
    if (info !== undefined) found.push({ ...info, line });
  }
  if (asJson) return JSON.stringify(found, undefined, 2);
  if (found.length === 0) return `"${text}" was said in none of ${counted(sessions.length, 'session')}.`;
  return found.flatMap((info) => [sessionLine(info), `  ${info.line}`]).join('\n');
}

/** On stdin, so that it appears neither in process lists nor in the shell history. */
async function textOr(text: string | undefined, stdin: World['stdin']): Promise<string> {
  if (text !== '-') return text ?? '';
  const read = (await stdin.setEncoding('utf8').toArray()).join('');
  return read.replace(/\r?\n$/, '');
}

function idIn(words: readonly string[], most: number, action: string): string {
  const [id] = words;
  if (id === undefined || id === '' || words.length > most)
    throw new UsageError(`Usage: turnwright ${HOW[action]}`);
  return id;
}

function said({ type, uuid, message }: SessionMessage): string[] {
  const text = toText((message as { readonly content?: unknown } | undefined)?.content);
  return text === '' ? [] : ['', `${type} ${uuid}`, text];
}

function toText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map(
      (block: {
        readonly type?: string;
        readonly text?: string;
        readonly name?: string;
        readonly input?: Readonly<Record<string, unknown>>;
        readonly content?: unknown;
      }) => {
        if (block.type === 'text') return block.text ?? '';
        if (block.type === 'tool_use') return `[${toolLabel(block.name ?? '', block.input ?? {}, '')}]`;
        return block.type === 'tool_result' ? `[result] ${toText(block.content)}` : '';
      },
    )
    .filter((text) => text !== '')
    .join('\n');
}
