/**
 * Questions to the user, answered through the host's `canUseTool`: its `updatedInput` contains the answers.
 */

import { lazily } from '@turnwright/base/collections/made-once.ts';
import type { JsonSchema } from '../../../protocol/json.ts';
import type { Tool } from '../../../protocol/tools/tool.ts';
import { createParser } from '../../schema/from-json-schema.ts';

export const ASK_USER_QUESTION_TOOL = 'AskUserQuestion';

interface UserQuestion {
  readonly question: string;
  readonly header: string;
  readonly options: readonly {
    readonly label: string;
    readonly description: string;
    readonly preview?: string;
  }[];
  readonly multiSelect?: boolean;
}

/** Fields that a host fills in. */
interface UserAnswers {
  /** By the question's text; several choices are separated by commas. */
  readonly answers?: Readonly<Record<string, string>>;
  /** Typed instead of choosing. */
  readonly response?: string;
  readonly annotations?: Readonly<Record<string, { readonly preview?: string; readonly notes?: string }>>;
  /** ms without an answer, after which the host gave up. */
  readonly afkTimeoutMs?: number;
}

interface AskUserQuestionInput extends UserAnswers {
  readonly questions: readonly UserQuestion[];
}

interface AskUserQuestionOutput extends UserAnswers {
  readonly questions: readonly UserQuestion[];
  readonly answers: Readonly<Record<string, string>>;
}

type PreviewFormat = 'markdown' | 'html';

interface AskUserQuestionOptions {
  /** Format of an option's `preview`. Default `markdown`. */
  readonly previewFormat?: PreviewFormat;
}

const PREVIEWS = {
  markdown: 'Markdown or ASCII art, shown in a box of fixed width',
  html: 'a self-contained HTML fragment',
} as const;

export function createAskUserQuestionTool({
  previewFormat = 'markdown',
}: AskUserQuestionOptions = {}): Tool<AskUserQuestionInput, AskUserQuestionOutput> {
  const { inputJsonSchema, parse } = INPUTS[previewFormat]();
  return {
    name: ASK_USER_QUESTION_TOOL,
    inputJsonSchema,
    description: () =>
      `Asks the user up to four questions, each with two to four choices.

- Use it when the work depends on something only the user can decide, and not for what you can find out yourself.
- The user can always answer in other words: give no choice "Other".
- If you recommend a choice, put it first and say so in its label.
- A preview of a choice is ${PREVIEWS[previewFormat]}; give one where seeing helps deciding.`,
    parse,
    hostFields: ['answers', 'response', 'annotations', 'afkTimeoutMs'],
    requiresUserInteraction: true,
    isConcurrencySafe: () => false,
    isReadOnly: () => true,
    effectClass: () => 'pure',
    permissionTarget: () => ({ kind: 'none' }),
    async validateInput({ questions }) {
      const texts = questions.map(({ question }) => question);
      return new Set(texts).size === texts.length
        ? { ok: true }
        : { ok: false, message: 'Two questions have the same text.' };
    },
    async run({ questions, answers = {}, response, annotations, afkTimeoutMs }) {
      return {
        data: {
          questions,
          answers,
          ...(response !== undefined && { response }),
          ...(annotations !== undefined && { annotations }),
          ...(afkTimeoutMs !== undefined && { afkTimeoutMs }),
        },
        content: told(questions, { answers, response: response ?? '', annotations: annotations ?? {} }),
      };
    },
  };
}

function told(
  questions: readonly UserQuestion[],
  { answers, response, annotations }: Required<Omit<UserAnswers, 'afkTimeoutMs'>>,
): string {
  const given = questions.filter(({ question }) => (answers[question] ?? '').trim() !== '');
  if (given.length === 0 && response.trim() === '')
    return 'The questions were shown, but the user gave no answer. Do not assume one: go on without it where you can, and say what is open.';
  const lines = questions.map(({ question }) => {
    const notes = annotations[question]?.notes;
    const answer = answers[question]?.trim() || '(no answer)';
    return `- ${question}\n  ${answer}${notes === undefined || notes === '' ? '' : `\n  Note: ${notes}`}`;
  });
  return [
    ...(given.length > 0 ? [`The user answered:\n${lines.join('\n')}`] : []),
    ...(response.trim() === '' ? [] : [`The user wrote: ${response}`]),
  ].join('\n\n');
}

type Input = Pick<Tool<AskUserQuestionInput>, 'inputJsonSchema' | 'parse'>;

/** Shared by all sessions. */
const INPUTS: Readonly<Record<PreviewFormat, () => Input>> = {
  markdown: lazily(() => buildInput('markdown')),
  html: lazily(() => buildInput('html')),
};

function buildInput(previewFormat: PreviewFormat): Input {
  const inputJsonSchema = buildSchema(previewFormat);
  return { inputJsonSchema, parse: createParser<AskUserQuestionInput>(withAnswers(inputJsonSchema)) };
}

function buildSchema(previewFormat: PreviewFormat): JsonSchema {
  const text = (description: string) => ({ type: 'string', minLength: 1, description });
  return {
    type: 'object',
    properties: {
      questions: {
        type: 'array',
        minItems: 1,
        maxItems: 4,
        items: {
          type: 'object',
          properties: {
            question: text('The whole question, ending with a question mark.'),
            header: text('A label of at most 12 characters: "Library", "Auth method".'),
            options: {
              type: 'array',
              minItems: 2,
              maxItems: 4,
              items: {
                type: 'object',
                properties: {
                  label: text('The choice in one to five words.'),
                  description: { type: 'string', description: 'What it means, or what follows from it.' },
                  preview: { type: 'string', description: `Optional: ${PREVIEWS[previewFormat]}.` },
                },
                required: ['label', 'description'],
                additionalProperties: false,
              },
            },
            multiSelect: { type: 'boolean', description: 'Several choices may be taken. Default false.' },
          },
          required: ['question', 'header', 'options'],
          additionalProperties: false,
        },
      },
    },
    required: ['questions'],
    additionalProperties: false,
  };
}

function withAnswers(asked: JsonSchema): JsonSchema {
  return {
    ...asked,
    properties: {
      ...(asked['properties'] as object),
      answers: { type: 'object', additionalProperties: { type: 'string' } },
      response: { type: 'string' },
      annotations: { type: 'object', additionalProperties: { type: 'object' } },
      afkTimeoutMs: { type: 'number' },
    },
  };
}
