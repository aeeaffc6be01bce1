/** What a row has measured, beside what it had to be. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly target: string;
  readonly met: boolean;
  /** Up to ten of the cases behind a figure that missed its target. */
  readonly cases?: readonly string[];
}

/** The figures of one row. A row without figures is missed. */
export class Figures {
  readonly list: Figure[] = [];

  atLeast(name: string, value: number, least: number, unit?: string): void {
    this.#add(name, value, `≥ ${inWords(least, unit)}`, value >= least);
  }

  atMost(name: string, value: number, most: number, unit?: string): void {
    this.#add(name, value, `≤ ${inWords(most, unit)}`, value <= most);
  }

  /** What must not occur: `cases` says where it did. */
  none(name: string, cases: readonly string[]): void {
    this.#add(name, cases.length, '0', cases.length === 0, cases.slice(0, 10));
  }

  /** `part` of `of` in percent, which has to be at least this much. */
  share(name: string, part: number, of: number, leastPercent: number): void {
    const percent = of === 0 ? 0 : Math.floor((part / of) * 1000) / 10;
    this.#add(name, percent, `≥ ${leastPercent} %`, percent >= leastPercent);
  }

  #add(name: string, value: number, target: string, met: boolean, cases: readonly string[] = []): void {
    const isNumber = Number.isFinite(value);
    this.list.push({
      name,
      value: isNumber ? Math.round(value * 100) / 100 : -1,
      target,
      met: met && isNumber,
      ...(cases.length > 0 && { cases }),
    });
  }
}

export const grouped = (value: number): string => value.toLocaleString('en-US').replaceAll(',', ' ');

const inWords = (value: number, unit: string | undefined): string =>
  unit === undefined ? grouped(value) : `${grouped(value)} ${unit}`;
