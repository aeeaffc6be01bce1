/** Colours, where a terminal wants them. */

/** Text with a colour or another attribute around it; the empty text stays empty. */
export type Paint = (text: string) => string;

interface Style {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
  readonly cyan: Paint;
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

/**
 * `open` and `close` are the numbers of SGR sequences. Where the text itself has the closing one, the paint
 * goes on.
 */
export function createPaint(open: string, close: string): Paint {
  const before = `\x1b[${open}m`;
  const after = `\x1b[${close}m`;
  return (text) =>
    text === ''
      ? ''
      : `${before}${text.includes(after) ? text.replaceAll(after, after + before) : text}${after}`;
}

export function createStyle(color: boolean): Style {
  const paint = (open: string, close: string): Paint => (color ? createPaint(open, close) : (text) => text);
  return {
    bold: paint('1', '22'),
    dim: paint('2', '22'),
    red: paint('31', '39'),
    green: paint('32', '39'),
    yellow: paint('33', '39'),
    cyan: paint('36', '39'),
  };
}
