/** Exit codes. The same in every output format (L7.1). */
import type { SDKResultMessage } from '@turnwright/engine';

export const EXIT = {
  success: 0,
  /** The result is an error, the model refused without a word, or Turnwright itself failed. */
  error: 1,
  /** The call cannot run as written: an unknown flag, no task, no configuration. No request was sent. */
  usage: 2,
  /** Something is left: steps for `durable migrate --check`, runs without money for `eval`. */
  pending: 3,
  /** `explain`: a part of the journal cannot be read; it names the place and explains the rest. */
  damaged: 3,
  /** `replay`, `record` and `policy try`: the sessions hold nothing that could be run, or decided, again. */
  notRecorded: 4,
  /** 128 + SIGHUP: the terminal was closed. */
  hangup: 129,
  /** 128 + SIGINT: Ctrl-C. */
  interrupted: 130,
  /** 128 + SIGPIPE: the reader of the output closed it. */
  outputClosed: 141,
  /** 128 + SIGTERM: another program ended it. */
  terminated: 143,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A refusal or a stop by a hook is a success (L7.1), but not a refusal without a word: it left no result. */
export function toExitCode(result: SDKResultMessage): ExitCode {
  return result.is_error || isSilentRefusal(result) ? EXIT.error : EXIT.success;
}

export const isSilentRefusal = (result: SDKResultMessage): boolean =>
  result.subtype === 'success' && result.stop_reason === 'refusal' && result.result === '';
