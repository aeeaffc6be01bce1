/** Questions of MCP servers: the fields of a form one after the other, or an address to open. */
import type { Options } from '@turnwright/engine';
import { oneLine, visible } from '@turnwright/terminal/text/visible.ts';
import { choose, type LineDialog, readTypedAnswer } from './numbered.ts';

type Elicit = NonNullable<Options['onElicitation']>;
type ElicitRequest = Parameters<Elicit>[0];
type ElicitAnswer = Awaited<ReturnType<Elicit>>;

export async function elicit(
  request: ElicitRequest,
  dialog: LineDialog,
  signal: AbortSignal,
): Promise<ElicitAnswer> {
  const { serverName, message, mode, url, requestedSchema } = request;
  const { line } = dialog;
  line(`Question of the MCP server ${oneLine(serverName)}: ${oneLine(message)}`);
  if (mode === 'url') line(`It wants this page opened: ${visible(url ?? '')}`);
  const chosen = await choose<'accept' | 'decline'>(
    dialog,
    [
      { value: 'accept', label: mode === 'url' ? 'Yes, I have opened it' : 'Answer' },
      { value: 'decline', label: 'Do not answer' },
    ],
    { signal },
  );
  if (chosen === undefined) return { action: 'cancel' };
  if (chosen.value === 'decline') return { action: 'decline' };
  const content: Record<string, unknown> = {};
  const { required: names } = requestedSchema ?? {};
  const required: readonly unknown[] = Array.isArray(names) ? names : [];
  for (const [name, schema] of Object.entries(requestedSchema?.properties ?? {})) {
    const value = await askField(name, schema, required.includes(name), dialog, signal);
    if (value === undefined) return { action: 'cancel' };
    if (value !== SKIPPED) content[name] = value;
  }
  return { action: 'accept', content };
}

const SKIPPED = Symbol('skipped');

interface FieldSchema {
  readonly type?: unknown;
  readonly title?: unknown;
  readonly description?: unknown;
  readonly enum?: unknown;
  readonly default?: unknown;
}

/** undefined: withdrawn. */
async function askField(
  name: string,
  schema: unknown,
  isRequired: boolean,
  dialog: LineDialog,
  signal: AbortSignal,
): Promise<unknown> {
  const field = (typeof schema === 'object' && schema !== null ? schema : {}) as FieldSchema;
  const title = oneLine(typeof field.title === 'string' ? field.title : name);
  if (typeof field.description === 'string') dialog.line(oneLine(field.description));
  const choices = Array.isArray(field.enum) ? field.enum.map(String) : undefined;
  if (choices !== undefined) {
    dialog.line(`${title}:`);
    const chosen = await choose(
      dialog,
      choices.map((value) => ({ value, label: value })),
      { signal },
    );
    return chosen?.value;
  }
  const how = field.type === 'boolean' ? ' (yes or no)' : isRequired ? '' : ' (Enter to leave it out)';
  while (true) {
    const typed = await readTypedAnswer(dialog, `${title}${how}: `, signal);
    if (typed === undefined) return undefined;
    if (typed === '' && field.default !== undefined) return field.default;
    if (typed === '' && !isRequired) return SKIPPED;
    const value = fieldValue(typed, field.type);
    if (value !== undefined) return value;
    dialog.line(`${oneLine(typed) || 'An empty line'} is not an answer of this kind.`);
  }
}

/** undefined: not of this type. */
function fieldValue(typed: string, type: unknown): unknown {
  if (type === 'boolean')
    return /^(?:y|yes|true)$/i.test(typed) ? true : /^(?:n|no|false)$/i.test(typed) ? false : undefined;
  if (type === 'number' || type === 'integer') {
    const number = typed === '' ? Number.NaN : Number(typed);
    return Number.isFinite(number) && (type === 'number' || Number.isInteger(number)) ? number : undefined;
  }
  return typed === '' ? undefined : typed;
}
