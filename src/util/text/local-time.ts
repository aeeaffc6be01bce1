/** Dates in the time zone of the user. Records and logs have those of `iso-time.ts`. */

/** `2026-11-30`. `zone`: default, that of the process; one that is not known counts as absent. */
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
