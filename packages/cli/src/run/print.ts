/** Headless output: the answer alone, one JSON object, or one JSON object per message. */
import type { SDKMessage, SDKResultMessage } from '@turnwright/engine';
import { isSilentRefusal } from '../exit-codes.ts';
import type { PrintFormat } from '../flags/own-flags.ts';
import { jsonLine, type ProcessOutput } from '../output.ts';

/** Receives the messages of a run. `end` is called once, after the last one. */
export interface Sink {
  show(message: SDKMessage): Promise<void>;
  end(result: SDKResultMessage | undefined): Promise<void>;
}

/** `problems`: receives problems of a run that is printed as text; absent if they are shown already. */
export function createPrinter(format: PrintFormat, output: ProcessOutput, problems?: ProcessOutput): Sink {
  switch (format) {
    case 'stream-json':
      return {
        show: (message) => output.write(jsonLine(message)),
        end: async () => undefined,
      };
    case 'json':
      return {
        show: async () => undefined,
        end: async (result) => {
          if (result !== undefined) await output.write(jsonLine(result));
        },
      };
    case 'text': {
      const answer = createLastAnswer();
      return {
        show: async (message) => answer.observe(message),
        async end(result) {
          if (result === undefined) return;
          await writeLine(output, result.is_error ? answer.text() : answerText(result));
          if (problems === undefined) return;
          if (!result.is_error)
            await writeLine(problems, isAnswered(result) ? '' : NO_ANSWER[silence(result)]);
          else if (!isStartFailure(result)) await writeLine(problems, errorText(result));
        },
      };
    }
  }
}

/** Why a run that succeeded has printed nothing. */
const NO_ANSWER = {
  refused: 'The model refused to answer, without a word.',
  stopped: 'A hook ended the run before there was an answer.',
  empty: 'The run ended without an answer: the last one of the model is empty.',
} as const;

/** A local command may have nothing to say; a turn of the model has an answer. */
function isAnswered(result: SDKResultMessage): boolean {
  return result.terminal_reason === undefined || answerText(result) !== '';
}

function silence(result: SDKResultMessage): keyof typeof NO_ANSWER {
  if (isSilentRefusal(result)) return 'refused';
  return result.terminal_reason === 'completed' ? 'empty' : 'stopped';
}

/** The session did not start, and a warning has already said why. */
function isStartFailure({ subtype, terminal_reason }: SDKResultMessage): boolean {
  return subtype === 'error_during_execution' && terminal_reason === undefined;
}

async function writeLine(output: ProcessOutput, text: string): Promise<void> {
  if (text !== '') await output.write(text.endsWith('\n') ? text : `${text}\n`);
}

/** The answer as `--print` gives it: a structured value as JSON, else the text. */
function answerText(result: SDKResultMessage): string {
  if (result.subtype !== 'success') return '';
  return result.structured_output === undefined ? result.result : JSON.stringify(result.structured_output);
}

function errorText(result: SDKResultMessage): string {
  return result.subtype === 'success' ? result.result : result.errors.join('\n');
}

/** The last text of the model, for a run that ends with an error. */
function createLastAnswer(): { observe(message: SDKMessage): void; text(): string } {
  const said = new Map<string, { readonly id: string; readonly text: string }>();
  const forget = (uuids: readonly string[] = []) => {
    for (const uuid of uuids) said.delete(uuid);
  };
  return {
    observe(message) {
      if (message.type === 'system' && message.subtype === 'informational')
        forget(message.retracted_message_uuids);
      if (message.type === 'user') forget(message.retracted_message_uuids);
      if (message.type !== 'assistant' || message.parent_tool_use_id !== null) return;
      forget(message.supersedes);
      if (message.error !== undefined) return;
      const { id, content } = message.message;
      const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('');
      if (text !== '') said.set(message.uuid, { id, text });
    },
    text() {
      const all = [...said.values()];
      const last = all.at(-1);
      return all
        .filter(({ id }) => id === last?.id)
        .map(({ text }) => text)
        .join('');
    },
  };
}

/** Several sinks as one; each message goes to all of them in order. */
export function both(first: Sink, second: Sink): Sink {
  return {
    async show(message) {
      await first.show(message);
      await second.show(message);
    },
    async end(result) {
      await first.end(result);
      await second.end(result);
    },
  };
}

/** A sink that must not affect the run: when its reader closes or its disk is full, it stops. */
export function expendable(sink: Sink): Sink {
  let broken = false;
  const attempt = async (show: () => Promise<void>) => {
    if (broken) return;
    await show().catch(() => {
      broken = true;
    });
  };
  return {
    show: (message) => attempt(() => sink.show(message)),
    end: (result) => attempt(() => sink.end(result)),
  };
}
