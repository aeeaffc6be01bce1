/** Questions of MCP servers: a form with one page for each field, or a web page that the person opens. */

import { isRecord } from '@turnwright/base/json-values.ts';
import type { ElicitationAnswer, ElicitationRequest } from '@turnwright/engine';
import { clean } from '@turnwright/terminal/text/clean.ts';
import { oneLine } from '@turnwright/terminal/text/visible.ts';
import { wrap } from '@turnwright/terminal/text/wrap.ts';
import { textRows } from '../../words/call-rows.ts';
import { createLineField } from '../commands/list-parts/line-field.ts';
import { viewHint } from './dialog-keys.ts';
import { answer, type DialogPage, goTo, type KeyOutcome, STAY, UNWRAPPED } from './dialog-page.ts';
import { type Drawing, keyRows } from './explanation-rows.ts';

type Values = Readonly<Record<string, unknown>>;

interface Field {
  readonly name: string;
  /** Of the schema: title and description, for the person. */
  readonly title: string;
  readonly description: string;
  readonly type: 'string' | 'number' | 'integer' | 'boolean';
  /** Values to choose from, with what they are called. */
  readonly options: readonly { readonly value: unknown; readonly label: string }[] | undefined;
  readonly isRequired: boolean;
  readonly initial: string;
  /** Why a text is no value; undefined: it is one. */
  problemOf(text: string): string | undefined;
}

export function elicitationPage(
  request: ElicitationRequest,
  drawing: Drawing,
): DialogPage<ElicitationAnswer> {
  if (request.mode === 'url') return urlPage(request, drawing);
  const form = { request, drawing, fields: readFields(request.requestedSchema) };
  return form.fields.length === 0 ? lastPage(form, {}) : fieldPage(form, 0, {});
}

interface Form {
  readonly request: ElicitationRequest;
  readonly drawing: Drawing;
  readonly fields: readonly Field[];
}

const formatTitle = ({ serverName }: ElicitationRequest): string => `The server ${serverName} asks`;
const declines = () => answer<ElicitationAnswer>({ action: 'decline' });
const cancels = () => answer<ElicitationAnswer>({ action: 'cancel' });

function urlPage(request: ElicitationRequest, { theme }: Drawing): DialogPage<ElicitationAnswer> {
  const rows = (columns: number) => [
    ...textRows(request.message, columns),
    ...wrap(`  ${theme.link(clean(request.url ?? ''))}`, columns, { hang: '  ' }),
  ];
  return {
    title: formatTitle(request),
    body: rows,
    foot: (columns) =>
      keyRows(
        ['Open the address in a browser: 1 I will do it there', '2 decline', 'Esc cancel'],
        columns,
        theme,
      ),
    document: () => ({
      title: formatTitle(request),
      parts: [{ heading: 'The question', lines: rows(UNWRAPPED) }],
    }),
    choices: { '1': () => answer<ElicitationAnswer>({ action: 'accept' }), '2': declines },
    escape: cancels,
  };
}

function fieldPage(form: Form, index: number, values: Values): DialogPage<ElicitationAnswer> {
  const field = form.fields[index] as Field;
  const next = (value: unknown): KeyOutcome<ElicitationAnswer> => {
    const given = value === undefined ? values : { ...values, [field.name]: value };
    return goTo(index + 1 < form.fields.length ? fieldPage(form, index + 1, given) : lastPage(form, given));
  };
  return field.options === undefined
    ? textPage(form, field, index, next)
    : choicePage(form, field, index, next);
}

function aboutField({ request, fields }: Form, field: Field, index: number, columns: number) {
  const place = fields.length > 1 ? `${index + 1} of ${fields.length} · ` : '';
  const need = field.isRequired ? 'required' : 'may be left out';
  return [
    ...textRows(request.message, columns),
    ...wrap(`  ${place}${oneLine(field.title)} (${need})`, columns, { hang: '    ' }),
    ...(field.description === '' ? [] : textRows(field.description, columns, '    ')),
  ];
}

function choicePage(
  form: Form,
  field: Field,
  index: number,
  next: (value: unknown) => KeyOutcome<ElicitationAnswer>,
): DialogPage<ElicitationAnswer> {
  const { theme } = form.drawing;
  const options = field.options ?? [];
  const body = (columns: number) => [
    ...aboutField(form, field, index, columns),
    ...options.flatMap(({ label }, at) =>
      wrap(`    ${at + 1} ${oneLine(label)}`, columns, { hang: '      ' }),
    ),
  ];
  // One digit each; what is further down the list is typed.
  const few = options.length <= 9;
  return {
    title: formatTitle(form.request),
    body,
    foot: (columns) => {
      const skip = field.isRequired ? [] : ['Tab leave out'];
      return keyRows(
        ['a digit chooses', ...skip, 'd decline', 'Esc cancel', ...viewHint(form.drawing.keys)],
        columns,
        theme,
      );
    },
    document: () => ({
      title: formatTitle(form.request),
      parts: [{ heading: field.title, lines: body(UNWRAPPED) }],
    }),
    choices: {
      ...Object.fromEntries(options.slice(0, 9).map(({ value }, at) => [String(at + 1), () => next(value)])),
      ...(!field.isRequired && { tab: () => next(undefined) }),
      ...(!few && {
        '0': () => goTo(textPage(form, field, index, (text) => next(valueNamed(field, String(text))))),
      }),
      d: declines,
    },
    keepsPlace: true,
    escape: cancels,
  };
}

const valueNamed = ({ options = [] }: Field, text: string): unknown =>
  options.find(({ label, value }) => label === text || value === text)?.value;

function textPage(
  form: Form,
  field: Field,
  index: number,
  next: (value: unknown) => KeyOutcome<ElicitationAnswer>,
): DialogPage<ElicitationAnswer> {
  const { theme } = form.drawing;
  let now = createLineField(field.initial);
  let problem: string | undefined;
  const body = (columns: number) => [
    ...aboutField(form, field, index, columns),
    ...(problem === undefined ? [] : wrap(`  ${theme.warn(clean(problem))}`, columns, { hang: '  ' })),
  ];
  return {
    title: formatTitle(form.request),
    body,
    foot: (columns) => keyRows(['Enter goes on', 'Esc cancel'], columns, theme),
    document: () => ({
      title: formatTitle(form.request),
      parts: [{ heading: field.title, lines: body(UNWRAPPED) }],
    }),
    choices: {},
    field: {
      label: `  ${oneLine(field.title)}:`,
      get now() {
        return now;
      },
      change(to) {
        now = to;
        problem = undefined;
      },
      submit() {
        const text = now.text.trim();
        if (text === '' && !field.isRequired) return next(undefined);
        problem = text === '' ? 'An answer is required.' : field.problemOf(text);
        return problem === undefined ? next(typed(field, text)) : STAY;
      },
    },
    keepsPlace: true,
    escape: cancels,
  };
}

/** What is sent, before it is sent. */
function lastPage(form: Form, values: Values): DialogPage<ElicitationAnswer> {
  const { request, drawing, fields } = form;
  const body = (columns: number) => [
    ...textRows(request.message, columns),
    ...fields.flatMap(({ name, title }) =>
      name in values
        ? wrap(`  ${oneLine(title)}: ${oneLine(String(values[name]))}`, columns, { hang: '    ' })
        : [],
    ),
  ];
  return {
    title: formatTitle(request),
    body,
    foot: (columns) => {
      const again = fields.length === 0 ? [] : ['3 fill in again'];
      return keyRows(
        ['1 send', '2 decline', ...again, 'Esc cancel', ...viewHint(drawing.keys)],
        columns,
        drawing.theme,
      );
    },
    document: () => ({
      title: formatTitle(request),
      parts: [{ heading: 'What is sent', lines: body(UNWRAPPED) }],
    }),
    choices: {
      '1': () => answer<ElicitationAnswer>({ action: 'accept', content: { ...values } }),
      '2': declines,
      ...(fields.length > 0 && { '3': () => goTo(fieldPage(form, 0, {})) }),
    },
    keepsPlace: true,
    escape: cancels,
  };
}

function typed({ type }: Field, text: string): unknown {
  return type === 'number' || type === 'integer' ? Number(text) : text;
}

/** The flat schemas that the protocol allows: strings, numbers, booleans and choices. */
function readFields(schema: unknown): readonly Field[] {
  if (!isRecord(schema) || !isRecord(schema['properties'])) return [];
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  return Object.entries(schema['properties']).flatMap(([name, given]) => {
    const about = isRecord(given) ? given : {};
    return [{ ...fieldOfSchema(name, about), isRequired: required.includes(name) }];
  });
}

function fieldOfSchema(name: string, about: Values): Omit<Field, 'isRequired'> {
  const type = (['number', 'integer', 'boolean'] as const).find((each) => each === about['type']) ?? 'string';
  return {
    name,
    title: readText(about['title']) ?? name,
    description: readText(about['description']) ?? '',
    type,
    options: readOptions(type, about),
    initial: about['default'] === undefined ? '' : String(about['default']),
    problemOf: (text) => findProblem(type, about, text),
  };
}

function readOptions(type: Field['type'], about: Values): Field['options'] {
  if (type === 'boolean')
    return [
      { value: true, label: 'yes' },
      { value: false, label: 'no' },
    ];
  const named = Array.isArray(about['oneOf']) ? about['oneOf'] : [];
  if (named.length > 0)
    return named.flatMap((each) =>
      isRecord(each) && 'const' in each
        ? [{ value: each['const'], label: readText(each['title']) ?? String(each['const']) }]
        : [],
    );
  if (!Array.isArray(about['enum'])) return undefined;
  const names = Array.isArray(about['enumNames']) ? about['enumNames'] : [];
  return about['enum'].map((value: unknown, at) => ({ value, label: readText(names[at]) ?? String(value) }));
}

function findProblem(type: Field['type'], about: Values, text: string): string | undefined {
  if (type === 'string') {
    const [least, most] = [about['minLength'], about['maxLength']];
    if (typeof least === 'number' && text.length < least) return `At least ${least} characters are needed.`;
    if (typeof most === 'number' && text.length > most) return `At most ${most} characters are possible.`;
    return undefined;
  }
  const value = Number(text);
  if (!Number.isFinite(value)) return `${text} is no number.`;
  if (type === 'integer' && !Number.isInteger(value)) return `${text} is no whole number.`;
  const [least, most] = [about['minimum'], about['maximum']];
  if (typeof least === 'number' && value < least) return `The least possible value is ${least}.`;
  if (typeof most === 'number' && value > most) return `The greatest possible value is ${most}.`;
  return undefined;
}

const readText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
