/**
 * Signal handling. The first SIGINT asks the running query to stop, so its result still comes; the second
 * one, like SIGTERM and SIGHUP, closes it and ends the process.
 */
import { EXIT, type ExitCode } from './exit-codes.ts';

/** A `Query`, or anything with its two ways to end. */
interface Stoppable {
  interrupt(): unknown;
  close(): unknown;
  /** Each SIGINT calls `interrupt`, which decides itself when to leave. */
  readonly everyInterrupt?: true;
  /** The first SIGTERM calls `interrupt` too: a supervisor asks for an orderly end. */
  readonly drains?: true;
}

export interface Signals {
  /** A SIGINT arrived: whatever the result is, the process exits with 130. */
  readonly interrupted: boolean;
  /** A signal is ending the process: no other output or exit is permitted. */
  readonly leaving: boolean;
  /**
   * Signals go to `target` until the returned function is called; without one they end the process
   * immediately. `farewell`: the last line if the process exits before `target` ended.
   */
  attach(target: Stoppable, farewell?: string): () => void;
  /** Closes what runs and ends the process, as a signal does. No effect when that is happening already. */
  depart(code: ExitCode): Promise<void>;
  /** Acts like SIGINT: for a Ctrl-C that was read as a key. */
  raiseInterrupt(): void;
  stop(): void;
}

/** Time that a closing query may take to end its children before the process exits anyway. */
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
    if (target?.everyInterrupt === true && !leaving) {
      target.interrupt();
      return;
    }
    if (interrupted || target === undefined) {
      void depart(EXIT.interrupted);
      return;
    }
    interrupted = true;
    Promise.resolve(target.interrupt()).catch(() => depart(EXIT.interrupted));
  };
  const onTerm = () => {
    if (target?.drains === true && !interrupted) onInt();
    else void depart(EXIT.terminated);
  };
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
