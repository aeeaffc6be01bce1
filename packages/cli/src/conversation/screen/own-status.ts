/** The status line of the person's own command (setting `statusLine`), kept up to date. */
import { join } from 'node:path';
import { configurationHome, sessionsDirectory, VERSION } from '@turnwright/engine';
import { clean } from '@turnwright/terminal/text/clean.ts';
import type { Env } from '../../world.ts';
import type { ConversationClock } from '../conversation-clock.ts';
import type { ConversationState } from '../conversation-state.ts';
import { createStatusCommand } from '../view/status-command.ts';
import type { ScreenSettings } from './screen-settings.ts';

interface OwnStatusOptions {
  readonly setting: NonNullable<ScreenSettings['statusLine']>;
  readonly cwd: string;
  readonly env: Env;
  readonly clock: ConversationClock;
  /** undefined: the built-in one again. */
  show(rows: readonly string[] | undefined): void;
  /** Why the command printed nothing; called once. */
  warn(sentence: string): void;
}

interface OwnStatus {
  update(state: ConversationState): void;
  close(): void;
}

export function createOwnStatus({ setting, cwd, env, clock, show, warn }: OwnStatusOptions): OwnStatus {
  const startedMs = clock.monotonicMs();
  const home = configurationHome(env, cwd);
  let hasFailed = false;
  let last: ConversationState | undefined;
  const command = createStatusCommand({
    command: setting.command,
    env,
    onLines(lines, error) {
      if (error !== undefined && !hasFailed) warn(`The command of the setting statusLine failed: ${error}`);
      hasFailed ||= error !== undefined;
      show(lines?.map((line) => `${' '.repeat(setting.padding)}${clean(line, 'sgr')}`));
    },
  });
  return {
    update(state) {
      // Not for each delta: only what the command is given counts.
      const isSame =
        last !== undefined &&
        last.session === state.session &&
        last.figures === state.figures &&
        last.phase === state.phase;
      last = state;
      if (isSame) return;
      const transcriptPath = home && join(sessionsDirectory(home, cwd), `${state.session.id}.jsonl`);
      const durationMs = Math.round(clock.monotonicMs() - startedMs);
      command.update(
        { state, version: VERSION, transcriptPath, projectDir: cwd, durationMs },
        state.session.cwd,
      );
    },
    close: command.close,
  };
}
