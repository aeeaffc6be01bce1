// Writes what is made from the sources: docs/options.md and the sentences of `turnwright --help` from the options, and
// the table of wires in docs/models.md from what the checks of a model client verify, docs/reference.md from the places
// that define errors, messages, exit codes and settings. With `--check` it writes nothing
// and fails when one of them is not up to date.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { referencePage } from './reference-page.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const PAGE = 'docs/options.md';
const REFERENCE = 'docs/reference.md';
const MODELS = 'docs/models.md';
const SENTENCES = 'packages/cli/src/flags/option-sentences.ts';

const groups = readOptions(
  'packages/engine/src/options/options.ts',
  'packages/engine/src/sdk/query-options.ts',
);
const { OPTIONS } = await bundled('packages/engine/src/options/table.ts');
const described = new Set([...groups.values()].flat().map(({ name }) => name));
const missing = Object.keys(OPTIONS).filter((name) => !described.has(name));
if (missing.length > 0) throw new Error(`No sentence for ${missing.join(', ')}.`);
for (const { name, byDefault } of [...groups.values()].flat()) {
  const { default: row } = OPTIONS[name];
  if (row !== undefined && String(row) !== byDefault)
    throw new Error(`The default of ${name} is ${row} in the table, and ${byDefault} in its comment.`);
}

const written = {
  [PAGE]: page(),
  [SENTENCES]: sentences(),
  [MODELS]: await models(),
  [REFERENCE]: await referencePage(bundledText, groups),
};
for (const [file, text] of Object.entries(written)) {
  if (!process.argv.includes('--check')) writeFileSync(file, text);
  else if (readFileSync(file, 'utf8') !== text) {
    console.error(`${file} is not up to date: run npm run docs.`);
    process.exitCode = 1;
  }
}

/** The members of the interfaces in these files by heading: name, type, sentences and `@default`. */
function readOptions(...files) {
  const found = new Map();
  for (const file of files) {
    let heading;
    const body = /\nexport interface \w*Options\b.*?\{\n(.*?)\n\}\n/s.exec(readFileSync(file, 'utf8'))?.[1];
    if (body === undefined) throw new Error(`There is no interface of options in ${file}.`);
    const part = /^ {2}\/\/ ([^\n]+)$|^ {2}\/\*\*((?:(?!\*\/).)*)\*\/\n {2}(\w+)\?:(.*?);\n(?=\n| {2}\/)/gms;
    for (const [, title, comment, name, type] of `${body}\n\n`.matchAll(part)) {
      heading = title ?? heading;
      if (!found.has(heading)) found.set(heading, []);
      if (name === undefined) continue;
      // An example is for editors, which show it where the option is written.
      const text = comment
        .split('@example')[0]
        .replace(/^\s*\* ?/gm, '')
        .trim();
      const [meaning, byDefault] = text.split('@default').map((words) => words.replace(/\s+/g, ' ').trim());
      found.get(heading).push({ name, meaning, byDefault, type: oneLine(type) });
    }
  }
  return found;
}

function oneLine(type) {
  return type
    .replace(/\s+/g, ' ')
    .replace(/ \| undefined$/, '')
    .replace(/readonly |Readonly<(.*)>$/g, '$1')
    .replace(/^ ?\| ?/, '')
    .trim();
}

function bundled(entry) {
  return bundledText(`export * from './${entry}';`);
}

/** The exports of a module with this text, whose imports are relative to the repository. */
async function bundledText(contents) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: '.', loader: 'ts' },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
  });
  return import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
}

function page() {
  const sections = [...groups].map(([heading, options]) =>
    [`## ${heading}`, '', '| option | meaning | also by |', '|---|---|---|', ...options.map(line)].join('\n'),
  );
  return `# Options

<!-- Made by \`npm run docs\` from packages/engine/src/options/options.ts and packages/engine/src/options/table.ts: change these. -->

The options of \`query()\`. An option wins over the flag of \`extraArgs\`, that over the environment, and the environment
over settings; rules, directories and betas of all sources add up. A value of another kind is refused with
\`invalid_option\` before anything starts, and so are a name that is not here and options that contradict each other.
Flags are those of [the command line](cli.md), settings are keys of [settings files](settings.md).

${sections.join('\n\n')}
`;
}

function line({ name, meaning, byDefault, type }) {
  const { is, flag, variable, setting, needs, excludes } = OPTIONS[name];
  const kind = /^(?:an object|a function|a list of texts)$/.test(is.expected) ? `\`${type}\`` : is.expected;
  const notes = [
    meaning,
    needs && `Needs ${needs.map(code).join(' or ')}.`,
    excludes && `Not with ${code(excludes)}.`,
    byDefault && `Default: ${byDefault}.`,
  ];
  const also = [
    flag && code(flag),
    variable && `variable ${code(variable)}`,
    setting && `setting ${code(setting)}`,
  ];
  const cells = [
    `${code(name)}<br>${kind}`,
    notes.filter(Boolean).join(' '),
    also.filter(Boolean).join('<br>'),
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function code(text) {
  return `\`${text}\``;
}

/** By heading, the first sentence of each option whose flag is in the help. */
function sentences() {
  const lines = [...groups].flatMap(([heading, options]) => {
    const listed = options.filter(({ name }) => OPTIONS[name].listed);
    if (listed.length === 0) return [];
    const entries = listed.map(({ name, meaning }) => wrapped(`    ${name}:`, `${quoted(asHelp(meaning))},`));
    return [`  ${quoted(heading)}: {\n${entries.join('')}  },\n`.replace(/'(\w+)': \{/, '$1: {')];
  });
  return `/** Made by \`npm run docs\`: the first sentence of each option whose flag is in the help. */
import type { OptionName } from '@turnwright/engine/options/table.ts';

export const OPTION_SENTENCES: Readonly<Record<string, { readonly [Name in OptionName]?: string }>> = {
${lines.join('')}};
`;
}

/** As the formatter has it. */
function wrapped(head, text) {
  return head.length + 1 + text.length > 110 ? `${head}\n      ${text}\n` : `${head} ${text}\n`;
}

function quoted(text) {
  return text.includes("'") ? `"${text}"` : `'${text}'`;
}

/** As a line of the help: no capital, no full stop, no quotes of code. */
function asHelp(meaning) {
  const [first] = meaning.split(/(?<=\.) (?=[A-Z`])/);
  const plain = first.replace(/\.$/, '').replaceAll('`', '');
  return /^[A-Z][a-z]/.test(plain) ? plain[0].toLowerCase() + plain.slice(1) : plain;
}

/** The page about models, with its table of wires made anew. */
async function models() {
  const { STRUCTURED_OUTPUT, TRAITS } = await bundled('test/model/wires/traits.ts');
  const words = {
    caching: { marks: 'marked by us', none: 'the server decides' },
    thinking: { signed: 'sent back, signed', plain: 'sent back', none: "by the vendor's rule" },
    usage: { details: 'with cache reads and writes', totals: 'totals' },
    usageComes: { early: 'also of a cut answer', end: 'with the end of an answer' },
    credential: { renewable: 'by `apiKeyHelper` or a token provider', own: 'by its own client' },
    tooLong: { counted: 'with its tokens', plain: 'without figures' },
    body: { exact: 'exact', estimated: 'estimated' },
  };
  const head = [
    'wire',
    'prompt cache',
    'thinking',
    'usage',
    'known',
    'credentials renewed',
    'prompt too long',
    'size of requests',
    '`outputFormat`',
  ];
  const rows = Object.entries(TRAITS).map(([name, traits]) => [
    name,
    ...Object.entries(words).map(([trait, meaning]) => meaning[traits[trait]]),
    STRUCTURED_OUTPUT[name],
  ]);
  const table = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
  const parts = readFileSync(MODELS, 'utf8').split(/(<!-- wires -->\n)[\s\S]*?(\n<!-- end of wires -->)/);
  if (parts.length !== 4) throw new Error(`${MODELS} has no place for the table of wires.`);
  const [before, opening, closing, after] = parts;
  return `${before}${opening}\n${table}\n${closing}${after}`;
}
