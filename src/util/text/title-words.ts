/** A name as a title: `read_file` becomes `Read File`, `two-words` `Two-Words`. Capitals are kept. */
export function titleWords(name: string): string {
  return name
    .split(/[_.\s]+/)
    .filter((word) => word !== '')
    .map((word) => word.replace(/(?:^|-)\p{Ll}/gu, (first) => first.toUpperCase()))
    .join(' ');
}
