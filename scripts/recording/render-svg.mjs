// Makes one animated picture of what a terminal wrote: each row of the screen as text, shown while it was there. It needs
// no font, script or image from elsewhere; without animation it shows the last screen.
import xterm from '@xterm/headless';

const CELL = { width: 8.4, height: 19 };
const PADDING = 14;
const BAR = 30;
const FONT = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace";
const BACKGROUND = '#16181d';
const FOREGROUND = '#d6d9e0';
const PALETTE = [
  ...['#3b4048', '#e0707a', '#8fbf6f', '#d9b56b', '#6ca6e8', '#c084d8', '#5fb9c4', '#d6d9e0'],
  ...['#727984', '#f0868f', '#a5d585', '#edca80', '#83baf7', '#d39be8', '#77ced9', '#ffffff'],
];
/** Reads that arrive within this time are one picture. */
const FRAME_MS = 60;
/** Longer pauses are cut to this. */
const MAX_PAUSE_MS = 2200;
/** The last picture stays. */
const END_MS = 5000;

/** `reads`: bytes and when they came. Resolves with the picture, and the lines of the transcript. */
export async function renderSvg(reads, { columns, rows }) {
  const frames = await framesOf(reads, { columns, rows });
  const shown = rowsOverTime(frames);
  const lengthMs = frames.at(-1).endMs;
  const lines = frames.at(-1).lines;
  const width = Math.round(columns * CELL.width + 2 * PADDING);
  const height = Math.round(rows * CELL.height + 2 * PADDING + BAR);
  const contents = new Map();
  const idOf = (content) => {
    if (!contents.has(content)) contents.set(content, `r${contents.size}`);
    return contents.get(content);
  };
  const keyframes = new Map();
  const uses = shown.map(({ content, row, spans, isLast }) => {
    const steps = keyframesOf(spans, lengthMs);
    if (!keyframes.has(steps)) keyframes.set(steps, `k${keyframes.size}`);
    const name = keyframes.get(steps);
    const y = round(BAR + PADDING + row * CELL.height);
    return `<use href="#${idOf(content)}" y="${y}" class="${name}${isLast ? ' l' : ''}"/>`;
  });
  const seconds = round(lengthMs / 1000);
  const style = [
    `text{font:14px ${FONT};fill:${FOREGROUND};white-space:pre}`,
    '.b{font-weight:700}.i{font-style:italic}.d{opacity:.62}.u{text-decoration:underline}',
    'use{opacity:0}.l{opacity:1}',
    ...[...keyframes].map(
      ([steps, name]) =>
        `@keyframes ${name}{${steps}}.${name}{animation:${name} ${seconds}s step-end infinite}`,
    ),
    '@media(prefers-reduced-motion:reduce){use{animation:none}}',
  ].join('\n');
  const dots = ['#e0707a', '#d9b56b', '#8fbf6f'].map(
    (color, at) => `<circle cx="${PADDING + 8 + at * 18}" cy="${BAR / 2 + 3}" r="5.5" fill="${color}"/>`,
  );
  const svg = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="t d">`,
    '<title id="t">A conversation with Turnwright in a terminal: a failing test is fixed</title>',
    `<desc id="d">${escaped(lines.join('\n'))}</desc>`,
    `<style>${style}</style>`,
    `<rect width="${width}" height="${height}" rx="9" fill="${BACKGROUND}"/>`,
    ...dots,
    `<defs>${[...contents].map(([content, id]) => `<g id="${id}">${content}</g>`).join('\n')}</defs>`,
    ...uses,
    '</svg>',
    '',
  ].join('\n');
  return { svg, lines, seconds };
}

/** What was on the screen, from when to when; equal neighbours are one. */
async function framesOf(reads, { columns, rows }) {
  const terminal = new xterm.Terminal({
    cols: columns,
    rows,
    allowProposedApi: true,
    scrollback: 10_000,
  });
  const frames = [];
  let shownMs = 0;
  let lastMs = reads[0].atMs;
  for (const [at, { atMs, data }] of reads.entries()) {
    await new Promise((resolve) => terminal.write(data, resolve));
    const next = reads[at + 1];
    if (next !== undefined && next.atMs - lastMs < FRAME_MS) continue;
    const rowsNow = screenRows(terminal);
    const pauseMs = next === undefined ? END_MS : Math.min(next.atMs - lastMs, MAX_PAUSE_MS);
    lastMs = next?.atMs ?? atMs;
    const before = frames.at(-1);
    if (before !== undefined && before.rows.join('\n') === rowsNow.join('\n')) before.endMs += pauseMs;
    else frames.push({ startMs: shownMs, endMs: shownMs + pauseMs, rows: rowsNow });
    shownMs += pauseMs;
  }
  const { active } = terminal.buffer;
  frames.at(-1).lines = Array.from({ length: active.length }, (_, row) =>
    active.getLine(row).translateToString(true),
  );
  return frames;
}

function screenRows(terminal) {
  const { active } = terminal.buffer;
  const hidden = terminal._core.coreService.isCursorHidden;
  return Array.from({ length: terminal.rows }, (_, row) => {
    const text = rowContent(active.getLine(active.viewportY + row), terminal.cols);
    const hasCursor = !hidden && row === active.cursorY + active.baseY - active.viewportY;
    return hasCursor ? cursorAt(active.cursorX) + text : text;
  });
}

const cursorAt = (column) =>
  `<rect x="${round(PADDING + column * CELL.width)}" y="1" width="${CELL.width}" height="${CELL.height - 2}" fill="#8d95a5"/>`;

/** Cells of one look are one text, as wide as its cells whatever the font. */
function rowContent(line, columns) {
  const runs = [];
  for (let column = 0; column < columns; column += 1) {
    const cell = line.getCell(column);
    if (cell === undefined || cell.getWidth() === 0) continue;
    const chars = cell.getChars() || ' ';
    const look = lookOf(cell);
    const last = runs.at(-1);
    if (last !== undefined && last.look === look) {
      last.text += chars;
      last.cells += cell.getWidth();
    } else runs.push({ text: chars, look, column, cells: cell.getWidth() });
  }
  return runs
    .flatMap((run) => {
      const text = run.text.replace(/ +$/, '');
      if (text === '') return [];
      const indent = text.length - text.trimStart().length;
      const cells = run.cells - (run.text.length - text.length) - indent;
      const x = round(PADDING + (run.column + indent) * CELL.width);
      return `<text x="${x}" y="14.5" textLength="${round(cells * CELL.width)}"${run.look}>${escaped(text.trimStart())}</text>`;
    })
    .join('');
}

/** Attributes of the element: classes and a colour. */
function lookOf(cell) {
  const classes = [
    cell.isBold() ? 'b' : '',
    cell.isItalic() ? 'i' : '',
    cell.isDim() ? 'd' : '',
    cell.isUnderline() ? 'u' : '',
  ].filter((name) => name !== '');
  const color = colorOf(cell);
  return `${classes.length === 0 ? '' : ` class="${classes.join(' ')}"`}${color === undefined ? '' : ` style="fill:${color}"`}`;
}

function colorOf(cell) {
  const value = cell.getFgColor();
  if (cell.isFgRGB()) return `#${value.toString(16).padStart(6, '0')}`;
  if (!cell.isFgPalette()) return undefined;
  if (value < 16) return PALETTE[value];
  if (value >= 232) return grey(8 + (value - 232) * 10);
  const levels = [0, 95, 135, 175, 215, 255];
  const index = value - 16;
  return `#${[Math.floor(index / 36), Math.floor(index / 6) % 6, index % 6]
    .map((level) => levels[level].toString(16).padStart(2, '0'))
    .join('')}`;
}

const grey = (level) => `#${level.toString(16).padStart(2, '0').repeat(3)}`;

/** Each content of each row with the times at which it is there. */
function rowsOverTime(frames) {
  const found = new Map();
  for (const [at, { startMs, endMs, rows }] of frames.entries()) {
    for (const [row, content] of rows.entries()) {
      if (content === '') continue;
      const key = `${row} ${content}`;
      const element = found.get(key) ?? { content, row, spans: [], isLast: false };
      const last = element.spans.at(-1);
      if (last !== undefined && last.endMs === startMs) last.endMs = endMs;
      else element.spans.push({ startMs, endMs });
      element.isLast = at === frames.length - 1;
      found.set(key, element);
    }
  }
  return [...found.values()];
}

function keyframesOf(spans, lengthMs) {
  const percent = (ms) => `${round((ms / lengthMs) * 100, 2)}%`;
  const steps = spans[0].startMs === 0 ? [] : ['0%{opacity:0}'];
  for (const { startMs, endMs } of spans) {
    steps.push(`${percent(startMs)}{opacity:1}`);
    if (endMs < lengthMs) steps.push(`${percent(endMs)}{opacity:0}`);
  }
  return steps.join('');
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function round(number, digits = 1) {
  return Number(number.toFixed(digits));
}
