let second = Number.NaN;
let upToSecond = '';

/** Same as `Date.toISOString`. The text up to the second is cached: a turn stamps several records in one. */
export function isoTime(ms: number): string {
  const at = Math.floor(ms / 1000);
  if (at !== second) {
    upToSecond = new Date(at * 1000).toISOString().slice(0, -4);
    second = at;
  }
  return `${upToSecond}${String(Math.floor(ms - at * 1000)).padStart(3, '0')}Z`;
}
