/** Figures and times as text: `localDate` is what the user reads, `isoTime` what records and logs hold. */

/**
 * `2026-11-30`, in the time zone of the user. `zone`: default, that of the process; one that is not known
 * counts as absent.
 */
export function localDate(ms: number, zone?: string): string {
  if (zone !== undefined && zone !== '') {
    try {
      return new Intl.DateTimeFormat('sv-SE', {
        timeZone: zone.replace(/^:/, ''),
        dateStyle: 'short',
      }).format(ms);
    } catch {
      // A zone in the form of POSIX, which the process itself may know.
    }
  }
  const date = new Date(ms);
  return [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
}

const two = (value: number): string => String(value).padStart(2, '0');

/** A number with thousands separators: `1,234,567`. `Intl` would cost 25 ms on first use. */
export const grouped = (count: number): string =>
  String(Math.round(count)).replace(/\B(?=(?:\d{3})+$)/g, ',');

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
