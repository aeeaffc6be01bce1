/** What went over the wire: the bodies that the rehearsal server received. */
import type { RecordedRequest, RehearsalServer } from '@turnwright/testing/rehearsal';

export interface SentBlock {
  readonly type: string;
  readonly text?: string;
  readonly id?: string;
  readonly tool_use_id?: string;
  readonly content?: unknown;
  readonly is_error?: boolean;
  readonly [key: string]: unknown;
}

export interface SentMessage {
  readonly role: string;
  readonly content: readonly SentBlock[];
  /** Of a message of the system: from here on. */
  readonly output_config?: object;
}

export interface SentBody {
  readonly model: string;
  readonly max_tokens: number;
  readonly stream?: boolean;
  readonly system?: unknown;
  readonly tools?: readonly { readonly name: string }[];
  readonly messages: readonly SentMessage[];
}

export function messageRequests(server: RehearsalServer): readonly RecordedRequest[] {
  return server.requests.filter((request) => request.path === '/v1/messages');
}

/** Bodies of all message requests, content always as blocks. */
export function bodies(server: RehearsalServer): SentBody[] {
  return messageRequests(server).map(bodyOf);
}

export function bodyOf(request: RecordedRequest): SentBody {
  const body = request.body as Omit<SentBody, 'messages'> & {
    readonly messages: readonly {
      readonly role: string;
      readonly content: string | readonly SentBlock[];
      readonly output_config?: object;
    }[];
  };
  return {
    ...body,
    messages: body.messages.map(({ role, content, output_config }) => ({
      role,
      ...(output_config && { output_config }),
      content: typeof content === 'string' ? [{ type: 'text', text: content }] : content,
    })),
  };
}

export function blocksOf(body: SentBody | undefined, type: string): SentBlock[] {
  return (body?.messages ?? []).flatMap(({ content }) => content.filter((block) => block.type === type));
}

/** The whole request as text, for "is it in there" questions. */
export function wholeText(body: SentBody | undefined): string {
  return JSON.stringify(body?.messages ?? []);
}

/** Every call is answered once, in the next user message. What the judge asks for, asked again from here (L10.1). */
export function openCalls(body: SentBody): string[] {
  return body.messages.flatMap((message, at) => {
    const calls = message.content.flatMap((block) => (block.type === 'tool_use' ? [block.id ?? ''] : []));
    const answers = (body.messages[at + 1]?.content ?? []).flatMap((block) =>
      block.type === 'tool_result' ? [block.tool_use_id ?? ''] : [],
    );
    return calls.filter((id) => answers.filter((answer) => answer === id).length !== 1);
  });
}
