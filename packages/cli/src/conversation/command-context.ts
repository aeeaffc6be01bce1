/** What a command of the conversation may use. */
import type { Options, Query } from '@turnwright/engine';
import type { Row } from '@turnwright/terminal/renderer/frame.ts';
import type { Theme } from '@turnwright/terminal/text/theme.ts';
import type { Env } from '../world.ts';
import type { ConversationClock } from './conversation-clock.ts';
import type { ConversationState } from './conversation-state.ts';
import type { OverlayOf, ViewDocument } from './overlay.ts';
import type { ScreenSettings, ThemeSetting } from './screen/screen-settings.ts';

export interface ConversationCommandContext {
  /** The running session; another object after `reopen`. */
  readonly query: Query;
  /** Options that the session was opened with, `cwd` and `env` included. */
  readonly options: Options;
  readonly cwd: string;
  readonly env: Env;
  readonly theme: Theme;
  /** Which theme it is, as the person has set it; undefined: there are no colours here. */
  readonly themeSetting: ThemeSetting | undefined;
  setTheme(setting: ThemeSetting): void;
  /** The status line as it is set; undefined: there is none here. */
  readonly statusLine: StatusLineChoice | undefined;
  /** Takes effect at once, and is written nowhere. */
  setStatusLine(choice: StatusLineChoice): void;
  readonly clock: ConversationClock;
  /** Columns for texts, now: at most 100. */
  readonly columns: number;
  /** State at this moment. */
  readonly state: ConversationState;
  /** Shows the line of a command before what it prints, where what was typed is not on the screen. */
  echo(line: string): void;
  /** Commits lines to the transcript. They may hold SGR sequences of the theme, and nothing else unsafe. */
  print(lines: readonly Row[]): void;
  /** Opens an overlay and resolves when it closes; with undefined if it was left with Esc. */
  open<T>(overlay: OverlayOf<T>): Promise<T | undefined>;
  /** Shows a document in the full-screen viewer. */
  view(document: ViewDocument): Promise<void>;
  /** The whole transcript as a document: what `^O` shows. */
  transcript(): ViewDocument;
  /** Sends a prompt as if the person had entered it; it is queued while the session works. */
  send(prompt: string): void;
  /** Asks for a secret, which is not shown; undefined: left with Esc. */
  askSecret(question: string): Promise<string | undefined>;
  /** Opens a file in the person's editor (`$VISUAL`, `$EDITOR`), and resolves when it is closed. */
  openFile(path: string): Promise<void>;
  /** Replaces the text in the editor. */
  edit(draft: string): void;
  /** Ends the running session and continues with another one, whose last messages are printed. */
  reopen(target: ReopenTarget): Promise<void>;
  /** Changes the queue of prompts: what `/queue` edits. */
  readonly queue: QueueControls;
  /** Writes bytes to the terminal that draw nothing: OSC 52 of `/copy`. */
  emit(sequence: string): void;
  /** Leaves the conversation. */
  exit(): void;
}

/** `command`: of the person, in place of the built-in one; `parts`: of that, default all. */
export type StatusLineChoice = Pick<ScreenSettings, 'statusLine' | 'statusParts'>;

export interface ReopenTarget {
  /** Id of the session; absent: a new one. */
  readonly resume?: string;
  /** Uuid of the last message that counts. */
  readonly resumeSessionAt?: string;
  readonly forkSession?: boolean;
  /** The turn that was cut off is finished first. */
  readonly carryOn?: boolean;
  /** True: the conversation goes on where it is, so nothing of it is printed again. Default false. */
  readonly isQuiet?: boolean;
  /** In place of the settings of flags, from now on. */
  readonly settings?: Options['settings'];
  /** Text for the editor afterwards, for example the prompt that was rewound. */
  readonly draft?: string;
}

export interface QueueControls {
  /** Takes the prompt of this number (1, 2 …) out of the queue; undefined: it has begun meanwhile. */
  remove(number: number): Promise<string | undefined>;
  /** Moves a prompt to another place in the queue. False: one of the places does not exist. */
  move(from: number, to: number): Promise<boolean>;
  /** Replaces the text of a prompt. False: it has begun meanwhile. */
  replace(number: number, text: string): Promise<boolean>;
}
