// docs/reference.md: exit codes, error codes, messages, tools and keys of settings, each made from the place in the
// sources that defines it.
import { readFileSync } from 'node:fs';

const read = (file) => readFileSync(file, 'utf8');
const code = (text) => `\`${text}\``;
const cell = (text) => text.replaceAll('|', '\\|').replace(/\s+/g, ' ').trim();
const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |`).join('\n');
/** A comment of one or several lines as its text. */
const words = (comment = '') =>
  comment
    .replace(/^\s*\*? ?/gm, ' ')
    .replace(/\s+/g, ' ')
    .trim();

function exitCodes() {
  const [, body = ''] =
    /export const EXIT = \{\n([\s\S]*?)\n\}/.exec(read('packages/cli/src/exit-codes.ts')) ?? [];
  const members = [...body.matchAll(/(?: {2}\/\*\* (.*?) \*\/\n)? {2}(\w+): (\d+),/g)];
  if (members.length < 5) throw new Error('There are no exit codes in packages/cli/src/exit-codes.ts.');
  const rows = members.map(([, comment, name, value]) => [
    code(value),
    comment ??
      (name === 'success' ? 'The result is not an error. A refusal, or a stop by a hook, is not one.' : name),
  ]);
  return table(['exit code', 'when'], rows);
}

function errorCodes() {
  const [, body = ''] =
    /TurnwrightErrorCode =([\s\S]*?);\n/.exec(read('packages/engine/src/protocol/errors.ts')) ?? [];
  const members = [...body.matchAll(/\/\*\* (.*?) \*\/\n {2}\| '(\w+)'/g)];
  const all = [...body.matchAll(/\| '(\w+)'/g)];
  if (members.length !== all.length || all.length < 20) throw new Error('An error code has no comment.');
  return table(
    ['`error.code`', 'what happened'],
    members.map(([, comment, name]) => [code(name), comment]),
  );
}

/** What a `type` (and `subtype`) means: by the comments of the interfaces, and of the members of two unions. */
function messages() {
  const files = ['sdk-messages', 'result-message', 'init-message', 'session-messages'].map(
    (name) => `packages/engine/src/protocol/stream/${name}.ts`,
  );
  const named = files.flatMap((file) =>
    [
      ...read(file).matchAll(
        /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\nexport interface (\w+)[^{]*\{\n([\s\S]*?)\n\}/g,
      ),
    ].flatMap(([, comment, name, body]) => {
      const type = /^ {2}readonly type: '(\w+)'/m.exec(body)?.[1];
      const subtype = /^ {2}readonly subtype: '(\w+)'/m.exec(body)?.[1];
      return type === undefined
        ? []
        : [{ type, subtype, name, comment: words(comment.split('@example')[0]) }];
    }),
  );
  const members = [
    ['packages/engine/src/protocol/model/messages.ts', 'SystemBody'],
    ['packages/engine/src/protocol/stream/task-messages.ts', 'TaskMessageBody'],
  ].flatMap(([file, union]) => {
    const [, body = ''] =
      new RegExp(`export type ${union} =([\\s\\S]*?\\n {4}\\}?.*);\\n\\n`).exec(`${read(file)}\n\n`) ?? [];
    const found = [
      ...body.matchAll(/(?: {2}\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n)? {2}\| \(?\{\s*readonly subtype: '(\w+)'/g),
    ];
    if (found.length < 4) throw new Error(`There is no union ${union} in ${file}.`);
    return found.map(([, comment, subtype]) => {
      if (comment === undefined) throw new Error(`${subtype} in ${file} has no comment.`);
      return { type: 'system', subtype, name: 'SDKSystemMessage', comment: words(comment) };
    });
  });
  const results = [
    {
      type: 'result',
      subtype: 'success',
      name: 'SDKResultSuccess',
      comment: 'The submission ended with an answer, or with the text of a failure (`is_error`).',
    },
    {
      type: 'result',
      subtype: 'error_…',
      name: 'SDKResultError',
      comment:
        'The submission ended at a limit, was interrupted, or could not be carried out; `errors` says why.',
    },
  ];
  const rows = [...named.filter(({ type }) => type !== 'result'), ...results, ...members];
  const order = ['system', 'assistant', 'user', 'stream_event', 'result'];
  const rank = ({ type }) => (order.indexOf(type) + order.length + 1) % (order.length + 1);
  return table(
    ['`type`', '`subtype`', 'what it is', 'TypeScript'],
    rows
      .toSorted((a, b) => rank(a) - rank(b))
      .map(({ type, subtype, comment, name }) => [
        code(type),
        subtype ? code(subtype) : '',
        comment,
        code(name),
      ]),
  );
}

/** Variables that set an option; the others are in the table of docs/cli.md. */
async function variables(bundled, optionGroups) {
  const { OPTIONS } = await bundled(`export { OPTIONS } from './packages/engine/src/options/table.ts';`);
  const sentences = new Map([...optionGroups.values()].flat().map(({ name, meaning }) => [name, meaning]));
  const rows = Object.entries(OPTIONS).flatMap(([name, { variable }]) =>
    variable === undefined ? [] : [[code(variable), code(name), sentences.get(name) ?? '']],
  );
  return table(
    ['variable', 'option of the same effect', 'meaning'],
    rows.toSorted(([a], [b]) => a.localeCompare(b, 'en')),
  );
}

/** Keys as the schema of settings has them, with the option that each one sets. */
async function settings(bundled, optionGroups) {
  const { settingsSchema, z } = await bundled(
    `export { settingsSchema } from './packages/engine/src/settings/read/settings-schema.ts'; export { z } from 'zod';`,
  );
  const { OPTIONS } = await bundled(`export { OPTIONS } from './packages/engine/src/options/table.ts';`);
  const sentences = new Map([...optionGroups.values()].flat().map(({ name, meaning }) => [name, meaning]));
  const optionOf = new Map(
    Object.entries(OPTIONS).flatMap(([name, { setting }]) =>
      setting === undefined ? [] : [[setting, name]],
    ),
  );
  const { properties } = z.toJSONSchema(settingsSchema, { io: 'input', unrepresentable: 'any' });
  const keys = Object.entries(properties).flatMap(([key, schema]) =>
    key === 'permissions'
      ? Object.entries(schema.properties).map(([inner, of]) => [`${key}.${inner}`, of])
      : [[key, schema]],
  );
  return table(
    ['key', 'value', 'option of the same effect'],
    keys
      .toSorted(([a], [b]) => a.localeCompare(b, 'en'))
      .map(([key, schema]) => {
        const option = optionOf.get(key);
        const meaning = option === undefined ? '' : `${code(option)}: ${sentences.get(option) ?? ''}`;
        return [code(key), kindOf(schema), meaning];
      }),
  );
}

function kindOf(schema) {
  if (schema.enum) return schema.enum.map((value) => code(JSON.stringify(value))).join(', ');
  if (schema.const !== undefined) return code(JSON.stringify(schema.const));
  if (schema.anyOf) return [...new Set(schema.anyOf.map(kindOf))].join(' or ');
  if (schema.type === 'array') return `a list of ${schema.items?.type === 'string' ? 'texts' : 'objects'}`;
  if (schema.type === 'integer') return 'a whole number';
  const kinds = { boolean: 'true or false', string: 'a text', number: 'a number', object: 'an object' };
  return kinds[schema.type] ?? 'see the page of the feature';
}

export async function referencePage(bundled, optionGroups) {
  return `# Reference tables

<!-- Made by \`npm run docs\` from the sources that define these: change those. -->

What programs compare and configure, in tables. [Options](options.md) have a page of their own, and so has [the command
line](cli.md) with its flags and [its variables](cli.md#environment). The site has an API reference of every exported name.

## Exit codes

The same in every output format.

${exitCodes()}

A run at a limit, or one whose model call failed, exits with 1; [the loop](loop.md#why-a-submission-ends) lists the reasons.

## Error codes

Errors of the library are \`TurnwrightError\`s with a \`code\` that does not change, a \`message\` that says what to do, and
often a \`cause\`. [Troubleshooting](troubleshooting.md) goes by the text of the message.

${errorCodes()}

## Messages

What \`query()\` yields, and \`--output-format stream-json\` prints, one a line.

${messages()}

## Variables of the environment

These set an option. Those of connections, credentials, limits and the terminal are listed with [the command
line](cli.md#environment). An option wins over its variable.

${await variables(bundled, optionGroups)}

## Keys of settings

The keys that a settings file may have, and the option that does the same in a program. [Settings](settings.md) says where
the files are, which of them wins, and what a repository may set.

${await settings(bundled, optionGroups)}
`;
}
