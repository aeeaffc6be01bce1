/** A name as a title: `read_file` becomes `Read File`, `two-words` `Two-Words`. Capitals are kept. */
export function titleWords(name: string): string {
  let title = titles.get(name);
  if (title === undefined) {
    title = inTitleCase(name);
    if (titles.size === MAX_REMEMBERED) titles.clear();
    titles.set(name, title);
  }
  return title;
}

/** Cache: needed for each call, and few tools are called. */
const titles = new Map<string, string>();
const MAX_REMEMBERED = 100;

function inTitleCase(name: string): string {
  return name
    .split(/[_.\s]+/)
    .filter((word) => word !== '')
    .map((word) => word.replace(/(?:^|-)\p{Ll}/gu, (first) => first.toUpperCase()))
    .join(' ');
}
