/** The flags of the command line that set an option. */
import { OPTIONS, type OptionName, type OptionRow } from './table.ts';

export interface OptionFlag {
  readonly name: OptionName;
  readonly row: OptionRow & { readonly flag: string };
  /** `none`: the flag means true. `optional`: it means true unless it has a value. */
  readonly takes: 'value' | 'optional' | 'none';
  /** `--no-…`: the flag means false. */
  readonly negates: boolean;
}

/** In the order of the table. */
export function optionFlags(): readonly OptionFlag[] {
  return Object.entries<OptionRow>(OPTIONS).flatMap(([name, row]) =>
    row.flag === undefined
      ? []
      : [
          {
            name: name as OptionName,
            row: { ...row, flag: row.flag },
            takes: row.flag.includes('<') ? 'value' : row.flag.includes('[') ? 'optional' : 'none',
            negates: row.flag.startsWith('--no-'),
          },
        ],
  );
}

/** The option of a flag, which is given without its dashes. */
export function optionOfFlag(flag: string): OptionFlag | undefined {
  return optionFlags().find(({ row }) => longFlag(row.flag) === `--${flag}`);
}

/** `--model` of `-m, --model <model>`. */
export function longFlag(flag: string): string {
  return /--[\w-]+/.exec(flag)?.[0] ?? flag;
}
