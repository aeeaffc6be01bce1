import { describe, expect, it } from 'vitest';
import { type Options, QueryEngine, query } from '../../src/index.ts';
import { OPTIONS } from '../../src/options/table.ts';

const refusal = (options: unknown): string => {
  try {
    query({ prompt: 'Hello.', options: options as Options });
  } catch (error) {
    expect(error).toMatchObject({ code: 'invalid_option' });
    return (error as Error).message;
  }
  throw new Error('It was accepted.');
};

describe('the value of an option', () => {
  it.each([
    [{ maxTurns: 0 }, 'The option "maxTurns" must be a whole number of at least 1, got 0.'],
    [{ maxTurns: 1.5 }, 'The option "maxTurns" must be a whole number of at least 1, got 1.5.'],
    [{ maxTurns: '3' }, 'The option "maxTurns" must be a whole number of at least 1, got "3".'],
    [{ maxBudgetUsd: Number.NaN }, 'The option "maxBudgetUsd" must be a number above 0, got NaN.'],
    [
      { maxThinkingTokens: -1 },
      'The option "maxThinkingTokens" must be a whole number of at least 0, got -1.',
    ],
    [
      { taskBudget: { total: 0 } },
      'The option "taskBudget" must be a whole number of tokens above 0, as { total }, got an object.',
    ],
    [
      { settingSources: ['everything'] },
      'The option "settingSources" must be a list of user, project, local, got a list.',
    ],
    [{ allowedTools: 'Read' }, 'The option "allowedTools" must be a list of rules, got "Read".'],
    [{ canUseTool: true }, 'The option "canUseTool" must be a function, got true.'],
    [{ hooks: [] }, 'The option "hooks" must be an object, got a list.'],
    [{ model: null }, 'The option "model" must be a text, got null.'],
    [{ continue: 'yes' }, 'The option "continue" must be true or false, got "yes".'],
    [
      { toolSearch: 'sometimes' },
      'The option "toolSearch" must be true, false, "auto" or "auto:" and a percentage, got "sometimes".',
    ],
    [
      { outputFormat: { type: 'xml' } },
      'The option "outputFormat" must be a schema, or { type: "json_schema", schema }, got an object.',
    ],
    [
      { plugins: [{ type: 'npm' }] },
      'The option "plugins" must be a list of { type: "local", path }, got a list.',
    ],
  ])('%j is refused in a sentence', (options, sentence) => {
    expect(refusal(options)).toBe(sentence);
  });

  it('of the wrong kind is refused for every option', () => {
    class Strange {}
    for (const name of Object.keys(OPTIONS))
      expect(refusal({ [name]: Symbol.iterator }), name).toContain(`The option "${name}" must be `);
    expect(() => query({ prompt: 'Hello.', options: { env: new Strange() as never } })).not.toThrow();
  });

  it('undefined is no value', () => {
    expect(() =>
      query({ prompt: 'Hello.', options: { maxTurns: undefined, continue: undefined } as Options }),
    ).not.toThrow();
  });

  it('is refused by the engine in the same words', () => {
    const engine = (options: object) => () => new QueryEngine({ cwd: '/', tools: [], ...options });
    expect(engine({ maxTurns: 0 })).toThrow(refusal({ maxTurns: 0 }));
    expect(engine({ subagentDeadlineMs: 0 })).toThrow(refusal({ subagentDeadlineMs: 0 }));
    expect(engine({ resumeSessionAt: 'x' })).toThrow(refusal({ resumeSessionAt: 'x' }));
    expect(engine({ maxOutputTokens: 0 })).toThrow(
      '"maxOutputTokens" must be a whole number of at least 1, got 0.',
    );
  });
});

describe('options together', () => {
  it.each([
    [
      { continue: true, resume: 'a' },
      'The options contradict each other: "continue" and "resume" exclude each other.',
    ],
    [{ forkSession: true }, 'The options contradict each other: "forkSession" needs "resume" or "continue".'],
    [{ carryOn: true }, 'The options contradict each other: "carryOn" needs "resume" or "continue".'],
    [{ resumeSessionAt: 'x' }, 'The options contradict each other: "resumeSessionAt" needs "resume".'],
    [
      { resume: 'a', resumeDropsTurn: 'x' },
      'The options contradict each other: "resumeDropsTurn" needs "resumeSessionAt".',
    ],
    [
      { canUseTool: () => undefined, permissionPromptToolName: 'mcp__a__b' },
      'The options contradict each other: "permissionPromptToolName" and "canUseTool" exclude each other.',
    ],
  ])('%j', (options, sentence) => {
    expect(refusal(options)).toBe(sentence);
  });

  it('false asks for nothing', () => {
    expect(() => query({ prompt: 'Hello.', options: { forkSession: false, continue: false } })).not.toThrow();
  });

  it('a name that is not in the table is refused', () => {
    expect(refusal({ maxTurn: 3 })).toBe('The option "maxTurn" is not supported (did you mean "maxTurns"?).');
    expect(refusal({ toString: 3 })).toBe('The option "toString" is not supported.');
  });
});
