/**
 * The answer as it streams. Text arrives twice, as deltas and as finished blocks; it is shown once. Shown
 * text that is then replaced (L4.5) is marked by one line.
 */
import type { SDKMessage } from '../../index.ts';
import { visible } from '../../terminal/text/visible.ts';
import type { FormattedText } from './formatted-text.ts';
import type { Terminal } from './terminal.ts';

type AssistantMessage = Extract<SDKMessage, { readonly type: 'assistant' }>;
type PartialMessage = Extract<SDKMessage, { readonly type: 'stream_event' }>;

interface StreamedAnswer {
  event(message: PartialMessage): Promise<void>;
  block(message: AssistantMessage): Promise<void>;
  retracted(uuids: readonly string[]): Promise<void>;
  /**
   * A user message arrived: the finished blocks before it are final. A result may arrive during streaming.
   */
  settled(): void;
  /** Shows text that was held back until its paragraph ends. */
  flush(): Promise<void>;
  readonly phase: 'waiting' | 'thinking' | 'writing';
  /** Output tokens of the current response; an estimate until the API reports them. */
  readonly outputTokens: number;
}

const CHARS_PER_TOKEN = 4;

interface AnswerWords {
  readonly takenBack: string;
  paintError(text: string): string;
}

/** `format`: loads what formats the text; absent: it is shown as it is. */
export function createStreamedAnswer(
  terminal: Terminal,
  words: AnswerWords,
  format?: () => Promise<FormattedText>,
): StreamedAnswer {
  /** Deltas shown since the last finished block. */
  let unfinished = '';
  /** uuids of their messages. */
  let events = new Set<string>();
  /** Finished blocks that were shown since the last user message. */
  let shown = new Set<string>();
  let phase: StreamedAnswer['phase'] = 'waiting';
  let outputChars = 0;
  let reportedTokens = 0;

  let loading: Promise<FormattedText> | undefined;

  const put = async (text: string) => {
    if (format === undefined) return terminal.write(visible(text));
    loading ??= format();
    for (const row of (await loading).push(text)) await terminal.line(row);
  };
  const flush = async () => {
    for (const row of (await loading)?.end() ?? []) await terminal.line(row);
  };

  const takeBack = async () => {
    await flush();
    unfinished = '';
    events = new Set();
    shown = new Set();
    await terminal.prose(words.takenBack);
  };

  return {
    get phase() {
      return phase;
    },
    get outputTokens() {
      return Math.max(reportedTokens, Math.round(outputChars / CHARS_PER_TOKEN));
    },
    async event({ event, uuid }) {
      switch (event.type) {
        case 'message_start':
          // Two responses without a user message between them: the second replaces the first.
          if (unfinished !== '' || shown.size > 0) await takeBack();
          outputChars = 0;
          reportedTokens = 0;
          phase = 'waiting';
          return;
        case 'content_block_start':
          phase = event.content_block.type === 'thinking' ? 'thinking' : 'writing';
          return;
        case 'content_block_delta': {
          const { delta } = event;
          if (delta.type === 'text_delta') {
            outputChars += delta.text.length;
            unfinished += delta.text;
            events.add(uuid);
            await put(delta.text);
          } else if (delta.type === 'thinking_delta') outputChars += delta.thinking.length;
          else if (delta.type === 'input_json_delta') outputChars += delta.partial_json.length;
          return;
        }
        case 'message_delta':
          reportedTokens = event.usage?.output_tokens ?? reportedTokens;
          return;
        case 'message_stop':
          phase = 'waiting';
          return;
        default:
          return;
      }
    },
    async block(message) {
      const replaced = message.supersedes?.some((uuid) => shown.has(uuid)) ?? false;
      if (replaced && unfinished === '') await takeBack();
      for (const uuid of message.supersedes ?? []) shown.delete(uuid);
      const text = message.message.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
      if (text === '') return;
      // Something else was streamed: the block replaces it.
      if (!text.startsWith(unfinished)) await takeBack();
      // What was not streamed: all of it (a retry without streaming, an error message), or the last events,
      // which a follower of a session elsewhere may not receive.
      const rest = text.slice(unfinished.length);
      if (rest !== '' && message.error === undefined) await put(rest);
      await flush();
      if (rest !== '' && message.error !== undefined) await terminal.write(words.paintError(visible(rest)));
      unfinished = '';
      events = new Set();
      shown.add(message.uuid);
      await terminal.endLine();
    },
    async retracted(uuids) {
      if (uuids.some((uuid) => shown.has(uuid) || events.has(uuid))) await takeBack();
    },
    settled() {
      shown = new Set();
    },
    flush,
  };
}
