// Gathers changes/*.md into the section of package.json's version in CHANGELOG.md, and removes them: npm run changes
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The headings of a version, in their order. */
export const SECTIONS = [
  'The loop and the model',
  'Tools',
  'Guards',
  'Several at once',
  'Files for the model',
  'Sessions',
  'Library and command line',
  'Many machines',
  'Testing',
];

/** The files of changes in a folder, by name. */
export const fragmentsIn = (folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.md') && name !== 'README.md')
    .sort()
    .map((name) => join(folder, name));

/** `### Tools`, a blank line, then what changed as a list. Throws with what is wrong, and where. */
export function readFragment(path, text) {
  const [, section, entries] = /^### (.+)\n\n([\s\S]+)$/.exec(text) ?? [];
  if (section === undefined) throw new Error(`${path} does not begin with "### <section>" and a blank line.`);
  if (!SECTIONS.includes(section))
    throw new Error(`${path} names the section "${section}". There are: ${SECTIONS.join(', ')}.`);
  if (!/^(?:- .+\n(?: {2}.+\n)*)+$/.test(entries))
    throw new Error(
      `${path} is no list: each change begins with "- ", and goes on two blanks further right.`,
    );
  return { section, entries };
}

/** The changelog with the fragments on top, in a section of `version`, or added to the one that is there. */
export function gathered(changelog, version, date, fragments) {
  const heading = `## ${version} (${date})`;
  const [before = '', ...rest] = changelog.split(/^(?=## )/m);
  const isThere = rest[0]?.startsWith(`## ${version} (`) === true;
  const [intro = '', ...old] = isThere ? rest[0].split(/^(?=### )/m) : [heading];
  const written = SECTIONS.flatMap((section) => {
    const had = old.find((part) => part.startsWith(`### ${section}\n`));
    const added = fragments.filter((each) => each.section === section).map(({ entries }) => entries);
    if (added.length === 0) return had === undefined ? [] : [had];
    return [`### ${section}\n\n${added.join('')}${had?.slice(`### ${section}\n\n`.length) ?? ''}`];
  });
  const others = old.filter((part) => !SECTIONS.some((section) => part.startsWith(`### ${section}\n`)));
  const parts = [
    before,
    intro.replace(/^## .*$/m, heading),
    ...written,
    ...others,
    ...rest.slice(isThere ? 1 : 0),
  ];
  return `${parts.map((part) => part.trimEnd()).join('\n\n')}\n`;
}

function gatherChanges() {
  const files = fragmentsIn('changes');
  const fragments = files.map((path) => readFragment(path, readFileSync(path, 'utf8')));
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  const date = new Date().toISOString().slice(0, 10);
  const changelog = readFileSync('CHANGELOG.md', 'utf8');
  if (files.length > 0) writeFileSync('CHANGELOG.md', gathered(changelog, version, date, fragments));
  for (const path of files) rmSync(path);
  console.log(`${files.length} changes are in CHANGELOG.md, in the section of ${version}.`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.chdir(fileURLToPath(new URL('..', import.meta.url)));
  try {
    gatherChanges();
  } catch ({ message }) {
    console.error(`Nothing was changed: ${message}`);
    process.exitCode = 1;
  }
}
