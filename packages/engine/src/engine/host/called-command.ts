/** Which command a prompt calls, and what the command gets to work with (L1 phase 3). */

import { verifyConditions } from '../../options/verify-conditions.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import type { UserBlock } from '../../protocol/model/wire.ts';
import type { Command, CommandContext, CommandResult } from '../../protocol/tools/command.ts';
import type { Session } from '../session/session.ts';
import { gatedShell } from '../tools/gated-shell.ts';
import { setGoal } from '../verifying/verify-submission.ts';

export interface CommandCall {
  readonly command: Command;
  readonly args: string;
}

/** `/name args`. Anything else is a prompt, a name that no command has as well: undefined. */
export function findCommand(
  prompt: string | readonly UserBlock[],
  commands: readonly Command[],
): CommandCall | undefined {
  const text = readPromptText(prompt).trim();
  if (!text.startsWith('/')) return undefined;
  const match = /^\/(\S+)(?:\s+([\s\S]*))?$/.exec(text);
  const name = match?.[1];
  if (name === undefined) return undefined;
  const command =
    commands.find((each) => each.name === name) ??
    commands.find(({ aliases = [] }) => aliases.includes(name));
  if (command !== undefined) return { command, args: match?.[2] ?? '' };
  // The name of a file may hold blanks.
  const spaced = commands
    .filter((each) => each.name.includes(' ') && `${text} `.startsWith(`/${each.name} `))
    .sort((a, b) => b.name.length - a.name.length)[0];
  return spaced && { command: spaced, args: text.slice(spaced.name.length + 1).trim() };
}

/** A text is a text also when its sender wrote it as one block. */
function readPromptText(prompt: string | readonly UserBlock[]): string {
  if (typeof prompt === 'string') return prompt;
  const [only] = prompt;
  return prompt.length === 1 && only?.type === 'text' ? only.text : '';
}

export function commandContext(session: Session, signal: AbortSignal): CommandContext {
  const { budget, commands, config, conversation, model, verification } = session;
  const { ledger } = budget;
  return {
    sessionId: conversation.sessionId,
    cwd: config.cwd,
    messages: conversation.messages.slice(),
    signal,
    session: {
      get model() {
        return model.current;
      },
      async setModel(name) {
        const { switchModel } = await import('../models/switch-model.ts');
        await switchModel(name, 'command', session);
      },
      get effort() {
        const info = model.infoOf(model.current);
        return info.supportsEffort ? (model.effort ?? info.defaultEffort) : undefined;
      },
      setEffort: (level) => {
        model.effort = level;
      },
      get goal() {
        return verification.goal;
      },
      setGoal: (goal) => setGoal(goal, session),
      commands: () => commands.list(),
      contextUsage: async () => (await import('./measure-context.ts')).measureContextUsage(session),
      cost: () => ({ totalUsd: ledger.totalCostUsd(), models: ledger.modelUsage() }),
    },
    shell: (command, allowedTools) =>
      gatedShell(command, allowedTools, { signal, invokedBy: 'user' }, session),
    async mentionedFiles(text) {
      if (!text.includes('@')) return [];
      const { readMentions } = await import('../submission/mentioned-files.ts');
      return (await readMentions(text, { signal }, session)).flatMap(({ rendered }) => rendered);
    },
  };
}

/** Throws `invalid_option` for what a host's own command returned in another shape than `CommandResult`. */
export function checkedResult(name: string, result: CommandResult): CommandResult {
  const problem = findProblem(result);
  if (problem === undefined) return result;
  throw new TurnwrightError(
    'invalid_option',
    `The command /${name} did not return a CommandResult: ${problem}. Its \`run\` returns { messages, shouldQuery }.`,
  );
}

/** Fields that are lists of texts, where they are there. */
const LISTS = ['allowedTools', 'notices'] as const;

function findProblem(result: unknown): string | undefined {
  if (typeof result !== 'object' || result === null) return `it returned ${describeKind(result)}`;
  const fields = result as Readonly<Record<string, unknown>>;
  const { messages, shouldQuery } = fields;
  if (!Array.isArray(messages)) return `\`messages\` must be a list, and is ${describeKind(messages)}`;
  const odd = messages.findIndex((message) => typeof message !== 'string' && !Array.isArray(message));
  if (odd !== -1)
    return `\`messages[${odd}]\` must be a text or a list of content blocks, and is ${describeKind(messages[odd])}`;
  if (typeof shouldQuery !== 'boolean')
    return `\`shouldQuery\` must be true or false, and is ${describeKind(shouldQuery)}`;
  const { verify } = fields;
  if (verify !== undefined && !verifyConditions.accepts(verify))
    return `\`verify\` must be ${verifyConditions.expected}`;
  for (const name of LISTS) {
    const list = fields[name];
    if (list !== undefined && !(Array.isArray(list) && list.every((each) => typeof each === 'string')))
      return `\`${name}\` must be a list of texts, and is ${describeKind(list)}`;
  }
  return undefined;
}

const describeKind = (value: unknown): string =>
  value === undefined
    ? 'missing'
    : value === null
      ? 'null'
      : Array.isArray(value)
        ? 'a list'
        : `a ${typeof value}`;
