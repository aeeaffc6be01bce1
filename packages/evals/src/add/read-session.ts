/** What a session says that becomes a part of a case: a prompt, the answers to it, and what its tools did. */
import {
  getSessionMessages,
  leaderOfFamily,
  type SessionPrompt,
  sessionPrompts,
  TurnwrightError,
  toolFacts,
} from '@turnwright/engine';
import type { AssistantBlock, StopReason, Usage } from '@turnwright/engine/protocol/model/wire.ts';
import type { KeptAnswer } from '../run/recorded-answers.ts';

interface ReadSession {
  readonly prompt: SessionPrompt;
  readonly answers: readonly KeptAnswer[];
  /** Commands that succeeded, the last one first. */
  readonly commands: readonly string[];
  /** Absolute paths of files that were written, in order. */
  readonly written: readonly string[];
}

type Env = Readonly<Record<string, string | undefined>>;

/** `at`: id of a prompt, or its beginning; default the first one. Throws `invalid_option`. */
export async function readSession(sessionId: string, at: string | undefined, env: Env): Promise<ReadSession> {
  const prompts = await sessionPrompts(sessionId, { env });
  const index = at === undefined ? 0 : prompts.findIndex(({ uuid }) => uuid.startsWith(at));
  const prompt = prompts[index];
  if (prompt === undefined) {
    const ids = prompts.map(
      ({ uuid, text }) => `  ${uuid.slice(0, 8)}  ${text.split('\n')[0]?.slice(0, 60)}`,
    );
    throw new TurnwrightError(
      'invalid_option',
      prompts.length === 0
        ? `There is no session ${sessionId}, or it has no prompt.`
        : [`No prompt of the session has the id ${at}. Its prompts:`, ...ids].join('\n'),
    );
  }
  const messages = await getSessionMessages(sessionId, { env });
  const first = messages.findIndex(({ uuid }) => uuid === prompt.uuid);
  const next = prompts[index + 1];
  const last = next === undefined ? messages.length : messages.findIndex(({ uuid }) => uuid === next.uuid);
  return {
    prompt,
    ...readTurns(messages.slice(first, last < first ? undefined : last).map(({ message }) => message)),
  };
}

interface Message {
  readonly role?: string;
  readonly id?: string;
  readonly model?: string;
  readonly content?: string | readonly Block[];
  readonly stop_reason?: StopReason | null;
  readonly usage?: Partial<Usage>;
}

interface Block {
  readonly type: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: Readonly<Record<string, unknown>>;
  readonly tool_use_id?: string;
  readonly is_error?: boolean;
}

/** An answer is recorded as several messages with its id, a block each. */
function readTurns(messages: readonly unknown[]): Omit<ReadSession, 'prompt'> {
  const answers = new Map<string, KeptAnswer>();
  const calls = new Map<string, Block>();
  const succeeded: Block[] = [];
  for (const message of messages as readonly Message[]) {
    const blocks = typeof message.content === 'string' ? [] : (message.content ?? []);
    for (const block of blocks) {
      if (block.type === 'tool_use' && block.id !== undefined) calls.set(block.id, block);
      const call = block.type === 'tool_result' ? calls.get(block.tool_use_id ?? '') : undefined;
      if (call !== undefined && block.is_error !== true) succeeded.push(call);
    }
    const { id, model } = message;
    if (message.role !== 'assistant' || id === undefined || model === '<synthetic>') continue;
    const before = answers.get(id);
    const { stop_reason: stopReason = before?.stopReason, usage = before?.usage } = message;
    answers.set(id, {
      source: 'main',
      ...(model !== undefined && { model }),
      blocks: [...(before?.blocks ?? []), ...(blocks as unknown as readonly AssistantBlock[])],
      ...(stopReason != null && { stopReason }),
      ...(usage !== undefined && { usage: countsOf(usage) }),
    });
  }
  const inputs = (isMeant: (name: string) => boolean, field: string) => [
    ...new Set(
      succeeded.flatMap(({ name = '', input }) => {
        const value = isMeant(name) ? input?.[field] : undefined;
        return typeof value === 'string' ? [value] : [];
      }),
    ),
  ];
  return {
    answers: [...answers.values()],
    commands: inputs((name) => name === leaderOfFamily('command'), 'command').reverse(),
    written: inputs((name) => toolFacts(name)?.family === 'write', 'file_path'),
  };
}

const COUNTS = [
  'input_tokens',
  'output_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
] as const;

const countsOf = (usage: Partial<Usage>): Partial<Usage> =>
  Object.fromEntries(COUNTS.flatMap((name) => (usage[name] === undefined ? [] : [[name, usage[name]]])));
