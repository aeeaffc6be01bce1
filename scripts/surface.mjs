// Lists the names in the declarations of another package that ours lack, by the declaration that they stand in:
//   node scripts/surface.mjs <its sdk.d.ts> [--ours packages/engine/src]… [--guide docs/compatibility.md] [--since <its older sdk.d.ts>]
// A name is a member, an exported value or a text in quotes. It is not missing where ours (files or folders of sources) have the
// same word in their code, or the guide has it in code marks; so a word that means something else here can hide one that is
// missing. With --since only what is new since then is listed. Exits with 1 when something is missing.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { argv, exit } from 'node:process';
import { pathToFileURL } from 'node:url';

const DECLARED =
  /^(?:export )?(?:declare )?(?:abstract )?(type|interface|function|const|class|namespace|enum) (\w+)/;
const MEMBER = /^\s+(?:readonly |static )*(?:'([^']+)'|(\w+))\??\s*(?:\(|<|:)/;

/** Of each name the declarations that it stands in. */
export function namesIn(declarations) {
  const names = new Map();
  let where = '';
  const add = (name) => names.set(name, (names.get(name) ?? new Set()).add(where));
  for (const line of withoutComments(declarations).split('\n')) {
    const [, kind, declared] = DECLARED.exec(line) ?? [];
    if (declared !== undefined) {
      where = declared;
      if (line.startsWith('export') && ['function', 'const', 'class'].includes(kind)) add(declared);
    }
    const [, quoted, plain] = declared === undefined ? (MEMBER.exec(line) ?? []) : [];
    if (plain !== undefined) add(plain);
    for (const [, text] of line.matchAll(/'([\w.:/-]+)'/g))
      if (text !== quoted || plain === undefined) add(text);
  }
  return names;
}

function withoutComments(text) {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '');
}

/** Words in code marks. */
export function namedIn(guide) {
  const prose = guide.replaceAll(/^```[\s\S]*?^```$/gm, '').replaceAll(/``.+?``/g, '');
  return new Set([...prose.matchAll(/`([^`]+)`/g)].flatMap(([, code]) => code.split(/[^\w.:/-]+/)));
}

/** Pairs of a name and the declarations that it stands in, in the order of the declarations. */
export function missingNames({ theirs, ours, guide = '', since }) {
  const known = new Set(
    ours.flatMap((text) => withoutComments(text).match(/(?<=')[\w.:/-]+(?=')|[\w$]+/g) ?? []),
  );
  const named = namedIn(guide);
  const before = since === undefined ? new Map() : namesIn(since);
  return [...namesIn(theirs)]
    .filter(([name]) => !known.has(name) && !named.has(name) && !before.has(name))
    .map(([name, places]) => [name, [...places]]);
}

/** A file, or all that is TypeScript in a folder. */
export function sourcesIn(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(path, name));
}

if (argv[1] !== undefined && import.meta.url === pathToFileURL(argv[1]).href) {
  const [file, ...options] = argv.slice(2);
  const of = (name) => options.flatMap((option, at) => (option === name ? [options[at + 1]] : []));
  const read = (path) => readFileSync(path, 'utf8');
  const orElse = (paths, other) => (paths.length > 0 ? paths : [other]);
  if (file === undefined) {
    console.error('Name the declarations of the other package: node scripts/surface.mjs <its sdk.d.ts>');
    exit(2);
  }
  const [since] = of('--since').map(read);
  const missing = missingNames({
    theirs: read(file),
    ours: orElse(of('--ours'), 'packages/engine/src').flatMap(sourcesIn).map(read),
    guide: orElse(of('--guide'), 'docs/compatibility.md').map(read).join('\n'),
    since,
  });
  const by = new Map();
  for (const [name, [first]] of missing) by.set(first, [...(by.get(first) ?? []), name]);
  for (const [place, names] of by) console.log(`${place}: ${names.join(', ')}`);
  console.log(`${missing.length} names are missing.`);
  exit(missing.length > 0 ? 1 : 0);
}
