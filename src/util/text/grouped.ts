/** A count as people read it: `1,234,567`. The system's own words for it cost 25 ms when first asked. */
export const grouped = (count: number): string =>
  String(Math.round(count)).replace(/\B(?=(?:\d{3})+$)/g, ',');
