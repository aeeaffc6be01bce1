/** Figures as people read them. */

export function showDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.round((seconds % 3600) / 60)} min`;
}

export function showCount(value: number): string {
  if (value < 1000) return `${Math.round(value)}`;
  return value < 999_950 ? `${(value / 1000).toFixed(1)}k` : `${(value / 1e6).toFixed(2)}M`;
}

export const showUsd = (value: number): string =>
  `$${value !== 0 && value < 1 ? value.toFixed(4) : value.toFixed(2)}`;

/** Of an iteration. */
export const showCost = (usd: number | undefined): string =>
  usd === undefined ? 'cost not known' : showUsd(usd);

export const showShare = (share: number): string => `${Math.round(share * 100)} %`;

export const showPlural = (n: number, word: string): string =>
  `${n.toLocaleString('en')} ${word}${n === 1 ? '' : 's'}`;

/** How long after the session's begin. `isFine`: with milliseconds. */
export function showMoment(ms: number, isFine = false): string {
  const tenths = Math.floor(Math.max(0, ms) / 100 + 1e-6);
  const whole = Math.floor(tenths / 10);
  const two = (n: number) => `${n}`.padStart(2, '0');
  if (whole < 3600)
    return `${Math.floor(whole / 60)}:${two(whole % 60)}.${isFine ? `${Math.round(Math.max(0, ms) % 1000)}`.padStart(3, '0') : tenths % 10}`;
  return `${Math.floor(whole / 3600)}:${two(Math.floor((whole % 3600) / 60))}:${two(whole % 60)}`;
}

/** Control characters, and those of a text's direction, would hide or reorder what is beside them. */
export const showText = (text: string): string =>
  text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, (c) => {
    if (c === '\n' || c === '\t') return c;
    return c === '\r' ? '' : `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
