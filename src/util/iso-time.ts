const DAY_S = 86_400;
/** Of 400 years, after which the calendar begins anew. */
const ERA_DAYS = 146_097;
/** From the first of March of the year 0, with which an era begins, to 1970. */
const EPOCH_DAYS = 719_468;
const LAST_OF_YEAR_9999_S = 253_402_300_799;

let second = Number.NaN;
let upToSecond = '';

/** As `Date.toISOString` writes it. The text up to the second is kept: a turn stamps several records in one. */
export function isoTime(ms: number): string {
  const at = Math.floor(ms / 1000);
  if (at !== second) {
    upToSecond = secondsText(at);
    second = at;
  }
  return `${upToSecond}${String(Math.floor(ms - at * 1000)).padStart(3, '0')}Z`;
}

/** Without a `Date`, whose first use in a process looks for the time zone, in files. */
function secondsText(at: number): string {
  if (!(at >= 0 && at <= LAST_OF_YEAR_9999_S)) return new Date(at * 1000).toISOString().slice(0, -4);
  const days = Math.floor(at / DAY_S) + EPOCH_DAYS;
  const inEra = days % ERA_DAYS;
  const year = Math.floor(
    (inEra - Math.floor(inEra / 1460) + Math.floor(inEra / 36_524) - Math.floor(inEra / 146_096)) / 365,
  );
  const inYear = inEra - (365 * year + Math.floor(year / 4) - Math.floor(year / 100));
  // Counted from March, so that the day that comes and goes is the last.
  const month = Math.floor((5 * inYear + 2) / 153);
  const day = inYear - Math.floor((153 * month + 2) / 5) + 1;
  const wholeYear = 400 * Math.floor(days / ERA_DAYS) + year + (month < 10 ? 0 : 1);
  const inDay = at % DAY_S;
  const date = `${String(wholeYear).padStart(4, '0')}-${two(month < 10 ? month + 3 : month - 9)}-${two(day)}`;
  return `${date}T${two(Math.floor(inDay / 3600))}:${two(Math.floor(inDay / 60) % 60)}:${two(inDay % 60)}.`;
}

const two = (count: number): string => (count < 10 ? `0${count}` : String(count));
