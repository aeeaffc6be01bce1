/** Colours, where a terminal wants them. */

export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  cyan(text: string): string;
}

type Env = Readonly<Record<string, string | undefined>>;

/**
 * `NO_COLOR` (any value) switches colours off, `FORCE_COLOR` on (`0` or `false`: off); else a terminal
 * decides.
 */
export function wantsColor(env: Env, isTerminal: boolean): boolean {
  if (env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== '') return false;
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return isTerminal && env['TERM'] !== 'dumb';
}

export function createStyle(color: boolean): Style {
  const wrap = (open: number, close: number) => (text: string) =>
    color && text !== '' ? `\x1b[${open}m${text}\x1b[${close}m` : text;
  return {
    bold: wrap(1, 22),
    dim: wrap(2, 22),
    red: wrap(31, 39),
    green: wrap(32, 39),
    yellow: wrap(33, 39),
    cyan: wrap(36, 39),
  };
}
