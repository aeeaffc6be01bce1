// Words that the table, the chart, the page and the gate share.
export const FLOOR = 'raw-http';
export const OURS = 'turnwright';

/** A number as short as its size allows. */
export function digits(value) {
  if (value >= 100) return value.toFixed(0);
  return value >= 10 ? value.toFixed(1) : value.toFixed(value < 0.1 ? 3 : 2);
}

/** How many times the floor's, where that says something. */
export function ratio(values, runner) {
  const floor = values[FLOOR];
  return runner === FLOOR || values[runner] === undefined || !(floor > 0)
    ? undefined
    : values[runner] / floor;
}
