/** A number with thousands separators: `1,234,567`. `Intl` would cost 25 ms on first use. */
export const grouped = (count: number): string =>
  String(Math.round(count)).replace(/\B(?=(?:\d{3})+$)/g, ',');
