/**
 * Ctrl-C and its relatives. The first SIGINT asks the running query to stop, so its result still comes; the
 * second one, like SIGTERM and SIGHUP, closes it and leaves.
 */
import { EXIT, type ExitCode } from './exit-codes.ts';

/** What can be stopped: a `Query`, or anything with its two ways to end. */
export interface Stoppable {
  interrupt(): unknown;
  close(): unknown;
}

export interface Signals {
  /** A SIGINT arrived: whatever the result says, the process ends with 130. */
  readonly interrupted: boolean;
  /** A signal is ending the process: nobody else may, or say anything. */
  readonly leaving: boolean;
  /**
   * Signals go to `target` until the returned function is called; without one they end the process at once.
   * `farewell`: a person's last line, should the process leave before `target` ended.
   */
  attach(target: Stoppable, farewell?: string): () => void;
  /** Closes what runs and ends the process, as a signal does. Does nothing when one is at it already. */
  depart(code: ExitCode): Promise<void>;
  /** As if SIGINT had arrived: for a Ctrl-C that was read as a key. */
  raiseInterrupt(): void;
  stop(): void;
}

/** How long a closing query may take to end its children before the process leaves anyway. */
const CLOSE_LIMIT_MS = 1_000;

export function listenForSignals(
  proc: NodeJS.Process,
  leave: (code: ExitCode, farewell: string | undefined) => void,
): Signals {
  let target: Stoppable | undefined;
  let lastLine: string | undefined;
  let interrupted = false;
  let leaving = false;

  const depart = async (code: ExitCode) => {
    if (leaving) return;
    leaving = true;
    const said = lastLine;
    if (target !== undefined) await closeWithin(target, CLOSE_LIMIT_MS);
    leave(code, said);
  };
  const onInt = () => {
    if (interrupted || target === undefined) {
      void depart(EXIT.interrupted);
      return;
    }
    interrupted = true;
    Promise.resolve(target.interrupt()).catch(() => depart(EXIT.interrupted));
  };
  const onTerm = () => void depart(EXIT.terminated);
  const onHup = () => void depart(EXIT.hangup);
  proc.on('SIGINT', onInt);
  proc.on('SIGTERM', onTerm);
  proc.on('SIGHUP', onHup);

  return {
    get interrupted() {
      return interrupted;
    },
    get leaving() {
      return leaving;
    },
    attach(next, farewell) {
      target = next;
      lastLine = farewell;
      return () => {
        if (target !== next) return;
        target = undefined;
        lastLine = undefined;
      };
    },
    depart,
    raiseInterrupt: onInt,
    stop() {
      proc.off('SIGINT', onInt);
      proc.off('SIGTERM', onTerm);
      proc.off('SIGHUP', onHup);
    },
  };
}

async function closeWithin(target: Stoppable, ms: number): Promise<void> {
  const limit = new Promise<void>((resolve) => setTimeout(resolve, ms));
  await Promise.race([Promise.resolve(target.close()).catch(() => undefined), limit]);
}
