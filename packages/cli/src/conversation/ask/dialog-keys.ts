/** Keys of every dialog that the settings can change. */

export interface DialogKeys {
  /** As they are shown: `Alt+A`. */
  readonly show: readonly string[];
  /** Opens the viewer: `Ctrl+O`. */
  readonly view: readonly string[];
}

export const DEFAULT_KEYS: DialogKeys = { show: ['Alt+A'], view: ['Ctrl+O'] };

/** `keysOf` of the bindings, for an action: `Alt+A, Ctrl+Q`, or nothing. */
export function dialogKeys(keysOf: (action: 'showQuestion' | 'transcript') => string): DialogKeys {
  const listed = (action: 'showQuestion' | 'transcript') =>
    keysOf(action)
      .split(', ')
      .filter((key) => key !== '');
  return { show: listed('showQuestion'), view: listed('transcript') };
}

/** `^O all`, for the row of keys; nothing without a key. */
export function viewHint({ view: [key] }: DialogKeys): readonly string[] {
  return key === undefined ? [] : [`${shortKey(key)} all`];
}

/** `Ctrl+O` as `^O`. */
export const shortKey = (key: string): string => key.replace(/^Ctrl\+(.)$/, '^$1');
