/**
 * Which sections answer a question: words that few sections have count more (BM25), in a heading most. Some
 * hundred sections need no index, and no library that would make one.
 */

export interface GuideSection {
  /** Name of the page in docs/. */
  readonly page: string;
  /** Of the page. */
  readonly title: string;
  readonly heading: string;
  /** Markdown. */
  readonly text: string;
}

/** Words that say nothing of what is asked. */
const EMPTY = new Set(
  'a an and are as at be but by can do does for from has have how i if in is it its me my no not of on or so than that the their then there this to use used was we what when where which who why will with you your'.split(
    ' ',
  ),
);
const HEADING_WEIGHT = 6;
/** How fast more of the same word counts less, and how much long sections lose. */
const [SATURATION, LENGTH] = [1.2, 0.5];
/** Characters from which a word also means those that begin with it. */
const PREFIX_CHARS = 3;

/** The best first; empty: none holds a word of it. */
export function bestSections(
  question: string,
  sections: readonly GuideSection[],
  most: number,
): readonly GuideSection[] {
  const asked = wordsOf(question);
  const read = sections.map((section) => ({
    section,
    words: wordsOf(section.text),
    heading: wordsOf(`${section.title} ${section.heading}`),
  }));
  const average = read.reduce((sum, { words }) => sum + words.length, 0) / Math.max(1, read.length);
  const scores = read.map(() => 0);
  for (const word of asked) {
    const counts = read.map(
      ({ words, heading }) => count(words, word) + HEADING_WEIGHT * count(heading, word),
    );
    const having = counts.filter((times) => times > 0).length;
    const rarity = Math.log(1 + (read.length - having + 0.5) / (having + 0.5));
    counts.forEach((times, at) => {
      const length = 1 - LENGTH + (LENGTH * (read[at]?.words.length ?? 0)) / average;
      scores[at] = (scores[at] ?? 0) + (rarity * times * (SATURATION + 1)) / (times + SATURATION * length);
    });
  }
  return read
    .map(({ section }, at) => ({ section, score: scores[at] ?? 0 }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, most)
    .map(({ section }) => section);
}

/** The line of it that has most of the words. */
export function snippetOf({ text }: GuideSection, question: string): string {
  const asked = wordsOf(question);
  const lines = text.split('\n').filter((line) => /\w/.test(line) && !/^[|\s:-]+$/.test(line));
  const having = (line: string) => {
    const words = wordsOf(line);
    return asked.filter((word) => count(words, word) > 0).length;
  };
  const best = lines.reduce((found, line) => (having(line) > having(found) ? line : found), lines[0] ?? '');
  return best.replace(/^[-|#>\s]+|[|\s]+$/g, '').replaceAll('|', '·');
}

function count(words: readonly string[], asked: string): number {
  const isWhole = asked.length < PREFIX_CHARS;
  return words.filter((word) => (isWhole ? word === asked : word.startsWith(asked))).length;
}

/** In lower case, without endings of the plural. */
function wordsOf(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => !EMPTY.has(word)).map((word) => word.replace(/(?<=\w{3})s$/, ''));
}
