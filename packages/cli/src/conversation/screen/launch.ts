/** What a conversation is begun with. */
import type { Options } from '@turnwright/engine';
import type { ReopenTarget } from '../command-context.ts';
import type { ScreenSettings } from './screen-settings.ts';

export interface ConversationLaunch {
  readonly keyboard: NodeJS.ReadStream;
  /** Options of the session, without those that say which one it is. */
  readonly options: Options;
  readonly target: ReopenTarget;
  /** The first prompt; undefined: the person types it. */
  readonly prompt: string | undefined;
  readonly settings: ScreenSettings;
  /** false: `--no-probe`. */
  readonly mayAsk: boolean;
}
