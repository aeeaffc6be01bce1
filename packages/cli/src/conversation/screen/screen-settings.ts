/** Settings that only the screen reads. A value that cannot be used is ignored, with a sentence. */
import { type Options, resolveSettings } from '@turnwright/engine';

/** What the status line can show, in its order. */
export const STATUS_PARTS = [
  'model',
  'mode',
  'context',
  'cost',
  'cache',
  'turn',
  'background',
  'place',
] as const;
export type StatusPart = (typeof STATUS_PARTS)[number];

export interface ScreenSettings {
  readonly theme: ThemeSetting;
  /** No spinner that moves. */
  readonly reducedMotion: boolean;
  readonly screenReader: boolean;
  /** The title of the window says what the session does. Default true. */
  readonly terminalTitle: boolean;
  /** The bell rings when the session waits for the person. */
  readonly terminalBell: boolean;
  /** The desktop says it when the session waits for the person, where the terminal can. Default true. */
  readonly terminalNotifications: boolean;
  /** A command that prints the status line, and the columns before it. */
  readonly statusLine: { readonly command: string; readonly padding: number } | undefined;
  /** What the built-in status line shows; undefined: everything. */
  readonly statusParts: readonly StatusPart[] | undefined;
  /** Checked where the bindings are made. */
  readonly keybindings: unknown;
  /** One for each value that was ignored. */
  readonly problems: readonly string[];
}

export const THEMES = ['auto', 'dark', 'light', 'basic', 'none'] as const;
export type ThemeSetting = (typeof THEMES)[number];

/** Rejects with `invalid_settings`, as every run does. */
export async function readScreenSettings(options: Options): Promise<ScreenSettings> {
  const { effective } = await resolveSettings(options);
  return screenSettings({ ...effective });
}

export function screenSettings(given: Readonly<Record<string, unknown>>): ScreenSettings {
  const problems: string[] = [];
  const ignore = (key: string, expected: string) => {
    problems.push(`The setting ${key} was ignored: give ${expected}.`);
    return undefined;
  };
  const flag = (key: string, otherwise = false) => {
    const value = given[key] ?? otherwise;
    return typeof value === 'boolean' ? value : (ignore(key, 'true or false') ?? otherwise);
  };
  const theme = THEMES.find((name) => name === (given['theme'] ?? 'auto'));
  const { command, padding } = (given['statusLine'] ?? {}) as Readonly<Record<string, unknown>>;
  const isCommand = typeof command === 'string' && command !== '';
  if (given['statusLine'] !== undefined && !isCommand)
    ignore('statusLine', '{ "type": "command", "command": "…" }');
  const listed = given['statusLineParts'];
  const statusParts = Array.isArray(listed)
    ? STATUS_PARTS.filter((part) => listed.includes(part))
    : undefined;
  if (listed !== undefined && (statusParts === undefined || statusParts.length === 0))
    ignore('statusLineParts', `a list of ${STATUS_PARTS.join(', ')}`);
  return {
    theme: theme ?? ignore('theme', THEMES.join(', ')) ?? 'auto',
    reducedMotion: flag('reducedMotion'),
    screenReader: flag('screenReader'),
    terminalTitle: flag('terminalTitle', true),
    terminalBell: flag('terminalBell'),
    terminalNotifications: flag('terminalNotifications', true),
    statusLine: isCommand ? { command, padding: typeof padding === 'number' ? padding : 0 } : undefined,
    statusParts: statusParts?.length === 0 ? undefined : statusParts,
    keybindings: given['keybindings'],
    problems,
  };
}
