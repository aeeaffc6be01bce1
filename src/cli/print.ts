/** Headless output: the answer alone, one JSON object, or one JSON object per message. */
import type { SDKMessage, SDKResultMessage } from '../index.ts';
import type { OutputFormat } from './args.ts';
import type { Output } from './output.ts';
import { serverProblems } from './screen/server-problems.ts';

/** Takes the messages of a run. `end` is called once, after the last one. */
export interface Sink {
  show(message: SDKMessage): Promise<void>;
  end(result: SDKResultMessage | undefined): Promise<void>;
}

export function createPrinter(format: OutputFormat, output: Output): Sink {
  switch (format) {
    case 'stream-json':
      return {
        show: (message) => output.write(`${JSON.stringify(message)}\n`),
        end: async () => undefined,
      };
    case 'json':
      return {
        show: async () => undefined,
        end: async (result) => {
          if (result !== undefined) await output.write(`${JSON.stringify(result)}\n`);
        },
      };
    case 'text':
      return {
        show: async () => undefined,
        end: async (result) => {
          const text = result === undefined ? '' : answerText(result);
          if (text !== '') await output.write(text.endsWith('\n') ? text : `${text}\n`);
        },
      };
  }
}

/** The answer as `--print` gives it: a structured value as JSON, else the text, else what went wrong. */
export function answerText(result: SDKResultMessage): string {
  if (result.subtype !== 'success') return result.errors.join('\n');
  if (result.structured_output !== undefined) return JSON.stringify(result.structured_output);
  return result.result;
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

/** A sink that the run does not depend on: when its reader leaves or its disk is full, it falls silent. */
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

/** Says on `warn` what no answer would tell: servers whose tools are missing. */
export function withServerWarnings(sink: Sink, warn: (line: string) => void): Sink {
  return {
    async show(message) {
      if (message.type === 'system' && message.subtype === 'init') serverProblems(message).forEach(warn);
      await sink.show(message);
    },
    end: (result) => sink.end(result),
  };
}
