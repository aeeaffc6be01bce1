// The documentation that the package brings for `/help <question>`: the beginning of each section of the pages that a
// person at a terminal needs, in one compressed file. What is longer is cut where a line ends.
import { readFileSync, writeFileSync } from 'node:fs';
import { brotliCompressSync, constants } from 'node:zlib';

const PAGES =
  'start screen cli settings permissions models sessions hooks mcp agents skills commands memory tools tasks plugins sandbox context budgets replay troubleshooting faq security migrate';
/** Of a section. All of them compressed are then 30 kB, of the 4.6 MB that the package may have. */
const MOST_CHARS = 700;

/** `[page, title of the page, heading, text]` of each section. */
export function listSections(root = '.') {
  return PAGES.split(' ').flatMap((page) => {
    const text = readFileSync(`${root}/docs/${page}.md`, 'utf8');
    const title = /^# (.*)$/m.exec(text)?.[1] ?? page;
    return splitSections(text).map(([heading, body]) => [page, title, heading || title, cut(body)]);
  });
}

function splitSections(text) {
  const sections = [];
  let fenced = false;
  for (const line of text.split('\n')) {
    if (line.startsWith('```')) fenced = !fenced;
    const heading = fenced ? undefined : /^#{1,3} (.*)$/.exec(line)?.[1];
    if (heading !== undefined) sections.push([heading, []]);
    else if (!line.startsWith('<!--')) sections.at(-1)?.[1].push(line);
  }
  return sections
    .map(([heading, lines]) => [heading, lines.join('\n').trim()])
    .filter(([, body]) => body !== '');
}

function cut(body) {
  if (body.length <= MOST_CHARS) return body;
  const end = body.lastIndexOf('\n', MOST_CHARS);
  const part = body.slice(0, end < MOST_CHARS / 2 ? body.lastIndexOf(' ', MOST_CHARS) : end).trimEnd();
  // A fence that was open is closed.
  return `${part}${(part.match(/^```/gm)?.length ?? 0) % 2 === 1 ? '\n```' : ''}\n…`;
}

export function writeGuide(file) {
  const text = JSON.stringify(listSections());
  const params = {
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_LGWIN]: 22,
  };
  writeFileSync(file, brotliCompressSync(text, { params }));
}
