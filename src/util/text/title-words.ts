/** A name as a title: `read_file` as `Read File`, `two-words` as `Two-Words`. Capitals stay where they are. */
export function titleWords(name: string): string {
  return name
    .split(/[_.\s]+/)
    .filter((word) => word !== '')
    .map((word) => word.replace(/(?:^|-)\p{Ll}/gu, (first) => first.toUpperCase()))
    .join(' ');
}
