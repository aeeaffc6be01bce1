// Holds a differential run against another engine to what is known of it:
//   node scripts/differential.mjs <diffs.json> [--known test/project/known-differences.json] [--guide docs/compatibility.md]
// Prints the differences that no row explains and the rows that explain nothing, and exits with 1 where there is one.
// `diffs.json`: [{ nn, name, diffs: [{ ch, at, path, ref?, ours? }] }], of each scenario what differs; `ref` or `ours` is
// absent where only one has it. A row of the known ones is "channel | place | path | kind", with `*` for any text; a fifth
// part names the scenarios that it holds for. Each group of rows cites the guide: a section, and words that stand in it; or
// it is `noise`, with its cause: what differs from run to run, also where the other engine is compared with itself. Rows of a
// group that holds `sometimes` (an order that depends on timing) may explain nothing in one run.
import { readFileSync } from 'node:fs';
import { argv, exit } from 'node:process';
import { pathToFileURL } from 'node:url';

const KINDS = ['missing', 'ours only', 'differs'];

/** `[{ pattern, names, row, sometimes }]`. Throws where a row cannot be read. */
export function rowsOf(known) {
  return known.flatMap(({ sometimes, differences }) =>
    differences.map((row) => {
      const [channel, place, path, kind, scenarios, ...rest] = row.split(' | ');
      if (kind === undefined || rest.length > 0 || ![...KINDS, '*'].includes(kind))
        throw new Error(`"${row}": channel | place | path | ${KINDS.join(', ')} or * [| scenarios]`);
      return {
        row,
        sometimes,
        pattern: glob([channel, place, path, kind].join(' | ')),
        names: scenarios?.split(' '),
      };
    }),
  );
}

const glob = (text) =>
  new RegExp(
    `^${text
      .split('*')
      .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
      .join('.*')}$`,
    's',
  );

/** One line for each kind of difference: places in lists are left out. */
export function kindOf({ ch, at, path, ref, ours }) {
  const kind = ref === undefined ? 'ours only' : ours === undefined ? 'missing' : 'differs';
  return [ch, at, path.replaceAll(/\[\d+\]/g, '[]'), kind].join(' | ');
}

/** `unexplained`: of each kind the scenarios and one example. `idle`: rows that explain nothing. */
export function compare(results, known) {
  const rows = rowsOf(known);
  const used = new Set();
  const unexplained = new Map();
  let explained = 0;
  for (const { nn, diffs } of results)
    for (const diff of diffs) {
      const kind = kindOf(diff);
      const found = rows.filter(
        ({ pattern, names }) => (names === undefined || names.includes(nn)) && pattern.test(kind),
      );
      for (const row of found) used.add(row);
      if (found.length > 0) explained++;
      else {
        const { scenarios } =
          unexplained.get(kind) ?? unexplained.set(kind, { scenarios: new Set(), diff }).get(kind);
        scenarios.add(nn);
      }
    }
  return {
    explained,
    unexplained,
    idle: rows.filter((row) => !used.has(row) && row.sometimes !== true).map(({ row }) => row),
  };
}

/** Groups whose words do not stand in the section that they cite. */
export function uncited(known, guide) {
  const sections = new Map(
    guide.split(/^#+ /m).map((text) => [text.split('\n', 1)[0], text.replaceAll(/\s+/g, ' ')]),
  );
  return known
    .filter(({ noise, section, because }) => noise === undefined && !sections.get(section)?.includes(because))
    .map(({ section, because }) => `${section}: ${because}`);
}

if (argv[1] !== undefined && import.meta.url === pathToFileURL(argv[1]).href) {
  const [file, ...options] = argv.slice(2);
  const of = (name, other) => (options.includes(name) ? options[options.indexOf(name) + 1] : other);
  if (file === undefined) {
    console.error('Name what a differential run found: node scripts/differential.mjs <diffs.json>');
    exit(2);
  }
  const read = (path) => readFileSync(path, 'utf8');
  const known = JSON.parse(read(of('--known', 'test/project/known-differences.json')));
  const results = JSON.parse(read(file));
  const { explained, unexplained, idle } = compare(results, known);
  const wrong = uncited(known, read(of('--guide', 'docs/compatibility.md')));
  for (const [kind, { scenarios, diff }] of unexplained)
    console.log(`${kind}\n    ${[...scenarios].join(' ')}: ${shown(diff.ref)} => ${shown(diff.ours)}`);
  for (const row of idle) console.log(`explains nothing: ${row}`);
  for (const citation of wrong) console.log(`stands nowhere in the guide: ${citation}`);
  console.log(
    `${results.length} scenarios, ${explained} differences explained, ${unexplained.size} kinds unexplained, ${idle.length} rows explain nothing, ${wrong.length} citations wrong.`,
  );
  exit(unexplained.size + idle.length + wrong.length > 0 ? 1 : 0);
}

function shown(value) {
  return value === undefined ? '(absent)' : JSON.stringify(value).slice(0, 200);
}
