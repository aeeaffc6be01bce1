/** Colours by meaning: what draws says what a text is, the theme says how that looks. */
import { createPaint, type Paint } from './style.ts';

export interface Theme {
  readonly bold: Paint;
  readonly italic: Paint;
  readonly underline: Paint;
  readonly struck: Paint;
  /** Secondary: durations, hints, what is folded. */
  readonly dim: Paint;
  /** The prompt's mark, the chosen item, headings. */
  readonly accent: Paint;
  readonly good: Paint;
  readonly bad: Paint;
  readonly warn: Paint;
  /** Code within a sentence. */
  readonly code: Paint;
  readonly link: Paint;
  /** Lines that a diff adds and removes. */
  readonly added: Paint;
  readonly removed: Paint;
  /** Their background marks them, so that code in them keeps its own colours. */
  readonly hasBackgrounds: boolean;
  /** False: signs alone tell code from text. */
  readonly hasColors: boolean;
  /** Code in a fence, by what the grammar calls it (`keyword`, `string` …); unknown scopes stay plain. */
  syntax(scope: string, text: string): string;
}

/** `basic`: the 16 colours that the user's terminal defines. `none`: no sequences at all. */
type ThemeName = 'dark' | 'light' | 'basic' | 'none';

/** Numbers of SGR sequences: of the 16 colours (`33`), or of the 256 (`38;5;n`). */
interface Palette {
  readonly accent: string;
  readonly good: string;
  readonly bad: string;
  readonly warn: string;
  readonly code: string;
  readonly link: string;
  readonly keyword: string;
  readonly string: string;
  readonly number: string;
  readonly comment: string;
  readonly name: string;
  readonly type: string;
  /** Backgrounds; undefined: the 16 colours have none that text is readable on. */
  readonly added?: string;
  readonly removed?: string;
}

const PALETTES: Readonly<Record<Exclude<ThemeName, 'none'>, Palette>> = {
  dark: {
    accent: '38;5;110',
    good: '38;5;114',
    bad: '38;5;210',
    warn: '38;5;221',
    code: '38;5;180',
    link: '38;5;117',
    keyword: '38;5;176',
    string: '38;5;150',
    number: '38;5;216',
    comment: '38;5;245',
    name: '38;5;117',
    type: '38;5;222',
    added: '48;5;22',
    removed: '48;5;52',
  },
  light: {
    accent: '38;5;25',
    good: '38;5;28',
    bad: '38;5;124',
    warn: '38;5;130',
    code: '38;5;94',
    link: '38;5;26',
    keyword: '38;5;90',
    string: '38;5;22',
    number: '38;5;130',
    comment: '38;5;243',
    name: '38;5;25',
    type: '38;5;94',
    added: '48;5;194',
    removed: '48;5;224',
  },
  basic: {
    accent: '36',
    good: '32',
    bad: '31',
    warn: '33',
    code: '33',
    link: '34',
    keyword: '35',
    string: '32',
    number: '33',
    comment: '90',
    name: '36',
    type: '33',
  },
};

/** The scopes of highlight.js, by their first word, as colours of the palette. */
const SCOPES: Readonly<Record<string, Exclude<keyof Palette, 'added' | 'removed'>>> = {
  keyword: 'keyword',
  operator: 'keyword',
  built_in: 'type',
  type: 'type',
  class: 'type',
  literal: 'number',
  number: 'number',
  symbol: 'number',
  string: 'string',
  regexp: 'string',
  char: 'string',
  comment: 'comment',
  quote: 'comment',
  meta: 'comment',
  doctag: 'comment',
  title: 'name',
  name: 'name',
  section: 'name',
  attr: 'name',
  attribute: 'name',
  property: 'name',
  'selector-tag': 'keyword',
  'selector-class': 'name',
  'selector-id': 'name',
  'template-variable': 'number',
  addition: 'good',
  deletion: 'bad',
};

const plain: Paint = (text) => text;

export function createTheme(name: ThemeName): Theme {
  if (name === 'none') return PLAIN;
  const palette = PALETTES[name];
  const color = (key: Exclude<keyof Palette, 'added' | 'removed'>) => createPaint(palette[key], '39');
  const { added, removed } = palette;
  const scopes = new Map(Object.entries(SCOPES).map(([scope, key]) => [scope, color(key)]));
  return {
    bold: createPaint('1', '22'),
    italic: createPaint('3', '23'),
    underline: createPaint('4', '24'),
    struck: createPaint('9', '29'),
    dim: createPaint('2', '22'),
    accent: color('accent'),
    good: color('good'),
    bad: color('bad'),
    warn: color('warn'),
    code: color('code'),
    link: color('link'),
    added: added === undefined ? color('good') : createPaint(added, '49'),
    removed: removed === undefined ? color('bad') : createPaint(removed, '49'),
    hasBackgrounds: added !== undefined,
    hasColors: true,
    syntax: (scope, text) => (scopes.get(scope.split('.')[0] ?? '') ?? plain)(text),
  };
}

const PLAIN: Theme = {
  bold: plain,
  italic: plain,
  underline: plain,
  struck: plain,
  dim: plain,
  accent: plain,
  good: plain,
  bad: plain,
  warn: plain,
  code: plain,
  link: plain,
  added: plain,
  removed: plain,
  hasBackgrounds: false,
  hasColors: false,
  syntax: (_, text) => text,
};

interface ThemeChoice {
  /** Whether colours are wanted at all (`wantsColor`). */
  readonly color: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** As the user set it; `auto` asks the terminal. */
  readonly setting?: ThemeName | 'auto' | undefined;
  /** The terminal's background as it answered (OSC 11): red, green and blue from 0 to 1. */
  readonly background?: readonly number[] | undefined;
}

/** The theme that fits: as set, else by what the terminal can show and by its background. */
export function themeFor({ color, env, setting = 'auto', background }: ThemeChoice): ThemeName {
  if (!color) return 'none';
  if (setting !== 'auto') return setting;
  if (!hasManyColors(env)) return 'basic';
  return isLight(background, env) ? 'light' : 'dark';
}

/** 256 colours or more. `FORCE_COLOR` says how many: 1 for 16, 2 for 256, 3 for all. */
function hasManyColors(env: ThemeChoice['env']): boolean {
  const forced = env['FORCE_COLOR'];
  if (forced === '1') return false;
  if (forced === '2' || forced === '3') return true;
  return (
    /^(?:truecolor|24bit)$/.test(env['COLORTERM'] ?? '') || /-(?:256color|direct)/.test(env['TERM'] ?? '')
  );
}

/** By the answer of the terminal; else by `COLORFGBG` (`0;15`: black on white), which some terminals set. */
function isLight(background: readonly number[] | undefined, env: ThemeChoice['env']): boolean {
  const [red, green, blue] = background ?? [];
  if (red !== undefined && green !== undefined && blue !== undefined)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.5;
  const behind = env['COLORFGBG']?.split(';').at(-1);
  return behind === '7' || behind === '15';
}
