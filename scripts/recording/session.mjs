// What the recording shows: a small project with a bug, the model's words, and what a person types. The model is
// rehearsed; the command line, its tools, files and processes are real.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const SIZE = { columns: 88, rows: 27 };

const FILES = {
  'package.json': '{ "name": "order-book", "type": "module", "scripts": { "test": "node --test" } }\n',
  'src/total.js':
    '/** What an order costs, in cents. */\nexport function total(lines) {\n  return lines.reduce((sum, { price, count }) => sum + price, 0);\n}\n',
  'test/total.test.js':
    "import assert from 'node:assert/strict';\nimport test from 'node:test';\nimport { total } from '../src/total.js';\n\ntest('counts each piece', () => {\n  assert.equal(total([{ price: 250, count: 3 }]), 750);\n});\n",
};

export function layOut(folder) {
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

const TEST = 'node --test --test-reporter=tap | grep ok';

/** `pace`: 1 as recorded, 0 as fast as it goes. */
export function scenario({ reply, toolUse }, pace) {
  const timing = { ttftMs: 500 * pace, gapMs: 22 * pace, deltaChars: 7 };
  return {
    name: 'recording',
    replies: [
      reply(
        [
          'I will read the code and its test first.',
          toolUse('Read', { file_path: 'src/total.js' }),
          toolUse('Read', { file_path: 'test/total.test.js' }),
        ],
        { timing },
      ),
      reply(['The sum ignores `count`. I will fix that.', toolUse('Edit', EDIT)], { timing }),
      reply(['Now the tests.', toolUse('Bash', { command: TEST, description: 'Run the tests' })], { timing }),
      reply(ANSWER, { timing }),
    ],
  };
}

const EDIT = {
  file_path: 'src/total.js',
  old_string: 'sum + price, 0)',
  new_string: 'sum + price * count, 0)',
};

const ANSWER = `The test passes now:

- \`total()\` added up prices and **ignored the count** of each line.
- It now multiplies both, in one place:

\`\`\`js
lines.reduce((sum, { price, count }) => sum + price * count, 0)
\`\`\`
`;

/** Each waits until its text is on the screen, then some ms, and types. */
export const STEPS = [
  { sees: 'ctx', waitMs: 100, types: 'fix the failing test' },
  { sees: 'fix the failing test', waitMs: 300, types: '\r' },
  { sees: 'Edit', and: 'once', waitMs: 1800, types: '1' },
  { sees: 'node --test', and: 'once', waitMs: 1800, types: '1' },
  { sees: 'done ·', waitMs: 2500, types: '' },
];
