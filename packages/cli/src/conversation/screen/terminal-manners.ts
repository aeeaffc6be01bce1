/** What a program owes its terminal and its shell: signals, suspension, modes restored on every way out. */
import { EXIT } from '../../exit-codes.ts';
import type { World } from '../../world.ts';
import type { Screen } from './conversation-screen.ts';

interface Manners {
  /** Ctrl+Z: gives the terminal to the shell until `fg`. */
  suspend(): void;
  end(): void;
}

interface Targets {
  interrupt(): void;
  close(): Promise<void>;
  /** The last line of the process. */
  farewell(): string | undefined;
}

/** Until the shell has stopped a process that asked for it. */
const STOPS_WITHIN_MS = 50;

export function mindTerminal(world: World, screen: Screen, { interrupt, close, farewell }: Targets): Manners {
  const restore = () => screen.close();
  const detach = world.signals.attach({
    interrupt,
    async close() {
      restore();
      const line = farewell();
      if (line !== undefined) await world.out.write(line).catch(() => undefined);
      await close();
    },
  });
  let isSuspending = false;
  const suspend = () => {
    if (isSuspending) return;
    isSuspending = true;
    process.off('SIGTSTP', suspend);
    void screen
      .lend(async () => {
        // The whole group, as the key would: a wrapper such as npx stops too. After the pause `fg` was
        // called, or nothing could stop the group.
        process.kill(0, 'SIGTSTP');
        await new Promise((resolve) => setTimeout(resolve, STOPS_WITHIN_MS));
      })
      .finally(() => {
        isSuspending = false;
        process.on('SIGTSTP', suspend);
      });
  };
  // Stopped from outside: the shell may have changed the modes.
  const onContinue = () => {
    if (!isSuspending) void screen.lend(async () => {});
  };
  const onOutputError = () => void world.signals.depart(EXIT.outputClosed);
  // Before the message of the error is written.
  process.prependListener('uncaughtException', restore);
  process.prependListener('unhandledRejection', restore);
  process.on('exit', restore);
  process.on('SIGTSTP', suspend);
  process.on('SIGCONT', onContinue);
  world.stdout.on('error', onOutputError);
  return {
    suspend,
    end() {
      detach();
      process.off('uncaughtException', restore);
      process.off('unhandledRejection', restore);
      process.off('exit', restore);
      process.off('SIGTSTP', suspend);
      process.off('SIGCONT', onContinue);
      world.stdout.off('error', onOutputError);
    },
  };
}
