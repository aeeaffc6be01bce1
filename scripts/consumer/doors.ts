/**
 * A program that uses several doors of the package: what one of them yields another one takes, because both mean the same
 * type. `npm run check:package` compiles it against the packed declarations; nothing runs it.
 */
import type {
  CallModel,
  CanUseTool,
  JournalStore,
  LeaseStore,
  Options,
  PermissionResult,
  Query,
  SDKMessage,
  SDKResultMessage,
  SessionStore,
} from 'turnwright';
import type { DurableClient, Followed, WorkerOptions } from 'turnwright/durable';
import type {
  createMemoryLeaseStore,
  journalStoreChecks,
  ScriptedModel,
  sessionStoreChecks,
} from 'turnwright/testing';
import type {
  AgentMessages,
  ChatAsk,
  ChatData,
  ChatMetadata,
  PageAnswer,
  PageAsk,
  PageEvent,
  PageRequest,
  UIMessageChunk,
  WebAgentOptions,
} from 'turnwright/web';
import type * as client from 'turnwright/web/client';

type IsAny<T> = 0 extends 1 & T ? true : false;
/** Exactly the same type, and not `any`. */
type Same<A, B> =
  IsAny<A> extends true
    ? false
    : (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2
      ? true
      : false;
type Yielded<T> = T extends AsyncIterable<infer Message> ? Message : never;
type Opened<Check extends (open: never) => unknown> = Parameters<Check>[0] extends () => infer Made
  ? Awaited<Made> extends { readonly store: infer Store }
    ? Store
    : Awaited<Made>
  : never;

export const messages: Messages = {
  query: true,
  webAgentTakes: true,
  webAgentShows: true,
  pageEvent: true,
  clientShows: true,
  clientReads: true,
  followed: true,
  follow: true,
};
interface Messages {
  query: Same<Yielded<Query>, SDKMessage>;
  webAgentTakes: Same<Yielded<AgentMessages>, SDKMessage>;
  webAgentShows: Same<Parameters<NonNullable<WebAgentOptions['show']>>[0], SDKMessage>;
  pageEvent: Same<Extract<PageEvent, { event: 'message' }>['data'], SDKMessage>;
  clientShows: Same<client.RunView['messages'][number], SDKMessage>;
  clientReads: Same<Parameters<typeof client.textOf>[0], SDKMessage>;
  followed: Same<Followed['message'], SDKMessage>;
  follow: Same<Yielded<ReturnType<DurableClient['follow']>>['message'], SDKMessage>;
}

export const others: Others = {
  canUseTool: true,
  answer: true,
  workerOptions: true,
  pageAsk: true,
  pageAnswer: true,
  asks: true,
  chatAsk: true,
  chatData: true,
  chatAskChunk: true,
  chatReason: true,
  callModel: true,
  sessionStore: true,
  journalStore: true,
  leaseStore: true,
};
interface Others {
  canUseTool: Same<PageRequest['canUseTool'], CanUseTool>;
  answer: Same<Parameters<DurableClient['answer']>[2], PermissionResult>;
  workerOptions: Same<Exclude<WorkerOptions['options'], ((...given: never) => unknown) | undefined>, Options>;
  pageAsk: Same<client.PageAsk, PageAsk>;
  pageAnswer: Same<Parameters<client.AgentRun['answer']>[1], PageAnswer>;
  asks: Same<client.RunView['asks'][number], PageAsk>;
  chatAsk: Same<client.ChatAsk, ChatAsk>;
  chatData: Same<client.ChatData, ChatData>;
  chatAskChunk: Same<Extract<UIMessageChunk, { type: 'data-ask' }>['data'], ChatAsk>;
  chatReason: Same<
    NonNullable<ChatMetadata['terminal_reason']>,
    NonNullable<SDKResultMessage['terminal_reason']>
  >;
  callModel: Same<ScriptedModel['callModel'], CallModel>;
  sessionStore: Same<Opened<typeof sessionStoreChecks>, SessionStore>;
  journalStore: Same<Opened<typeof journalStoreChecks>, JournalStore>;
  leaseStore: Same<ReturnType<typeof createMemoryLeaseStore>, LeaseStore>;
}

/** A `switch` tells messages apart at every door, to the last one. */
function told(message: SDKMessage): string {
  switch (message.type) {
    case 'assistant':
      return message.message.model;
    case 'user':
      return message.message.role;
    case 'stream_event':
      return message.event.type;
    case 'result':
      return message.subtype === 'success' ? message.result : message.errors.join(' ');
    case 'system':
      return message.subtype;
    case 'conversation_reset':
      return message.new_conversation_id;
    case 'tool_progress':
      return message.tool_name;
    case 'tool_use_summary':
      return message.summary;
    case 'prompt_suggestion':
      return message.suggestion;
    case 'command_lifecycle':
      return message.state;
    default:
      return message satisfies never;
  }
}

export async function ofRun(run: Query): Promise<void> {
  for await (const message of run) told(message);
}

export async function ofDatabase(durable: DurableClient): Promise<void> {
  for await (const { message } of durable.follow('s1')) {
    told(message);
    // @ts-expect-error a message is not any: this one has no such field
    message.doesNotExist;
  }
}

export const ofPage = ({ messages, asks }: client.RunView): string => {
  // @ts-expect-error a view is not any either
  messages[0]?.doesNotExist;
  return [...messages.map(told), ...asks.map(({ tool }) => tool)].join();
};

export function ofChat(chunk: UIMessageChunk): string {
  switch (chunk.type) {
    case 'data-ask':
      return chunk.data.title ?? chunk.data.tool;
    case 'data-retracted':
      return chunk.data.uuids.join();
    case 'message-metadata':
      return chunk.messageMetadata.terminal_reason ?? '';
    default:
      return chunk.type;
  }
}
