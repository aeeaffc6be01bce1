// The tools of the benchmark. `field` is the one field of the input: its name and its type in JSON Schema.
// `safe` tools may run side by side; the others must run alone and in the order of their calls.
import { now } from './now.mjs';

/** What the tools of one run saw, in the order of their starts. */
export const spans = [];

function sleeps({ i }) {
  const span = { i, from: now() };
  spans.push(span);
  return new Promise((resolve) =>
    setTimeout(() => {
      span.to = now();
      resolve(`slept ${i}`);
    }, 500),
  );
}

const TOOLS = {
  noop: { safe: true, field: ['n', 'number'], run: ({ n }) => `n=${n}` },
  slow: { safe: true, field: ['i', 'number'], run: sleeps },
  edit: { safe: false, field: ['i', 'number'], run: sleeps },
  take: { safe: true, field: ['text', 'string'], run: ({ text }) => `took ${text.length}` },
  big: { safe: true, run: () => 'x'.repeat(20_000_000) },
};

/** The tools of these names as runners get them: `{ name, description, safe, field, jsonSchema, run }`. */
export function benchTools(names, onCall) {
  return names.map((name) => {
    const { safe, field, run } = TOOLS[name];
    return {
      name,
      safe,
      field,
      description: 'A tool of the benchmark.',
      jsonSchema: {
        type: 'object',
        properties: field ? { [field[0]]: { type: field[1] } } : {},
        required: field ? [field[0]] : [],
      },
      run(input) {
        onCall(input);
        return run(input);
      },
    };
  });
}
