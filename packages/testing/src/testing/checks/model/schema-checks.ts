/** Checks of structured output: a schema that a tool carries, and one that the API itself takes. */
import { equal } from '../demand.ts';
import { assembleAnswer } from './answer-of.ts';
import { check, type ModelCheck } from './model-check.ts';
import { callModel, requestFor } from './opened-model.ts';

const TOOL = { name: 'Look', description: 'Looks.', input_schema: { type: 'object' } } as const;
const SCHEMA = {
  type: 'object',
  properties: { list: { type: 'array', items: { type: 'number' } }, of: { enum: ['a', 'b'] } },
  required: ['list', 'of'],
  additionalProperties: false,
} as const;

export function schemaChecks(): readonly ModelCheck[] {
  return [
    check('the schema of structured output arrives unchanged, and its call comes back', async (opened) => {
      const { client, server, model } = opened;
      const input_schema = { ...SCHEMA, required: ['list'] };
      const input = { list: [1, 2.5], of: 'a' };
      server.answerWith({
        kind: 'message',
        parts: [{ kind: 'call', id: 'call_1', name: 'StructuredOutput', input }],
      });
      const tools = [{ name: 'StructuredOutput', description: 'The answer.', input_schema }];
      const { events } = await callModel(client, requestFor(model, { tools }));
      equal(server.received[0]?.tools[0]?.schema, input_schema, 'schema');
      equal(assembleAnswer(events).blocks, [{ kind: 'call', id: 'call_1', name: 'StructuredOutput', input }]);
    }),

    check('an answer is kept to a schema by the means of the API, beside tools too', async (opened) => {
      const { client, server, model } = opened;
      const text = '{"list":[1,2.5],"of":"a"}';
      server.answerWith({ kind: 'message', parts: [{ kind: 'text', text }] });
      const request = requestFor(model, { outputSchema: SCHEMA, tools: [TOOL] });
      const { events } = await callModel(client, request);
      equal(server.received[0]?.outputSchema, SCHEMA, 'schema of the answer');
      equal(server.received[0]?.tools.length, 1, 'tools');
      equal(assembleAnswer(events).blocks, [{ kind: 'text', text }]);
    }),

    check('no schema is sent where none is asked for', async (opened) => {
      const { client, server, model } = opened;
      server.answerWith({ kind: 'message', parts: [{ kind: 'text', text: 'Hello.' }] });
      await callModel(client, requestFor(model, { tools: [TOOL] }));
      equal(server.received[0]?.outputSchema, undefined, 'schema of the answer');
    }),
  ];
}
