/** Commands of every session. */

import { grouped } from '@turnwright/base/text/figures-and-times.ts';
import { EFFORT_LEVELS } from '../protocol/model/wire.ts';
import type { VerifyConditions } from '../protocol/session/verification.ts';
import type { Command } from '../protocol/tools/command.ts';

/** `/clear`: ends this conversation and begins another one. */
const clearCommand: Command = {
  name: 'clear',
  aliases: ['reset', 'new'],
  description: 'Begins a new conversation; this one is kept and can be resumed',
  origin: 'builtin',
  run: () => ({ messages: [], shouldQuery: false, clear: true }),
};

/** `/compact [instructions]`. */
const compactCommand: Command = {
  name: 'compact',
  description: 'Replaces the conversation so far by a summary of it',
  argumentHint: '[what the summary should keep]',
  origin: 'builtin',
  run(args) {
    const instructions = args.trim();
    return { messages: [], shouldQuery: false, compact: instructions === '' ? {} : { instructions } };
  },
};

/** `/context`: what fills the context. */
const contextCommand: Command = {
  name: 'context',
  description: 'Shows what fills the context window',
  origin: 'builtin',
  async run(_, { session }) {
    const usage = await session.contextUsage();
    const share = (tokens: number) => `${((tokens / usage.rawMaxTokens) * 100).toFixed(1)} %`;
    const rows = usage.categories.map(
      ({ name, tokens }) => `| ${name} | ${grouped(tokens)} | ${share(tokens)} |`,
    );
    const memory = usage.memoryFiles.map(
      ({ path, type, tokens }) => `- ${path} (${type}): ${grouped(tokens)}`,
    );
    const lines = [
      `${usage.model}: ${grouped(usage.totalTokens)} of ${grouped(usage.rawMaxTokens)} tokens (${usage.percentage} %)`,
      '',
      '| what | tokens | of the window |',
      '|---|---:|---:|',
      ...rows,
      ...(memory.length > 0 ? ['', 'Memory files:', ...memory] : []),
    ];
    return { messages: [], shouldQuery: false, resultText: lines.join('\n') };
  },
};

/** `/cost`: what this session has spent. */
const costCommand: Command = {
  name: 'cost',
  aliases: ['usage'],
  description: 'Shows what this session has cost, by model',
  origin: 'builtin',
  run(_, { session }) {
    const { totalUsd, models } = session.cost();
    const rows = Object.entries(models).map(([model, usage]) => {
      const cached = usage.cacheReadInputTokens + usage.cacheCreationInputTokens;
      const dollars = `$${usage.costUSD.toFixed(4)}`;
      const guess = usage.costUSD > 0 ? `${dollars}, price not known` : 'price not known';
      const cost = usage.costBasis === 'unknown' ? guess : dollars;
      return `- ${model}: ${grouped(usage.inputTokens)} in, ${grouped(cached)} cached, ${grouped(usage.outputTokens)} out, ${cost}`;
    });
    const text = [`Cost so far: $${totalUsd.toFixed(4)} (an estimate from list prices)`, ...rows];
    return { messages: [], shouldQuery: false, resultText: text.join('\n') };
  },
};

/** `/effort [level]`: shows or sets the effort. */
const effortCommand: Command = {
  name: 'effort',
  description: 'Shows how hard the model thinks, or sets it for this session',
  argumentHint: `[${EFFORT_LEVELS.join('|')}|default]`,
  origin: 'builtin',
  async run(args, { session }) {
    const asked = args.trim().toLowerCase();
    const level = EFFORT_LEVELS.find((each) => each === asked);
    if (level === undefined && asked !== '' && asked !== 'default')
      throw new Error(
        `There is no effort "${args.trim()}". It is one of ${EFFORT_LEVELS.join(', ')}, or default.`,
      );
    if (asked !== '') session.setEffort(level);
    return { messages: [], shouldQuery: false, resultText: sentence(asked !== '', session) };
  },
};

function sentence(
  isNew: boolean,
  { effort, model }: { readonly effort: string | undefined; readonly model: string },
): string {
  if (effort === undefined) return `${model} takes no effort.`;
  return isNew ? `The effort is now ${effort}.` : `The effort is ${effort}.`;
}

/** `/goal [condition]`: shows or sets what must hold at the end. */
const goalCommand: Command = {
  name: 'goal',
  description: 'Keeps the model at work until a condition holds: !command, or words for a judge',
  argumentHint: '[!command | condition | off]',
  origin: 'builtin',
  async run(args, { session }) {
    const asked = args.trim();
    if (asked !== '') await session.setGoal(asked === 'off' ? undefined : toGoal(asked));
    const resultText =
      session.goal === undefined
        ? 'There is no goal.'
        : `The goal is ${wordsOf(session.goal)}. Each prompt ends only when it holds, or cannot be reached; /goal off ends it.`;
    return { messages: [], shouldQuery: false, resultText };
  },
};

function toGoal(asked: string): VerifyConditions {
  if (!asked.startsWith('!')) return { judge: asked };
  const command = asked.slice(1).trim();
  if (command === '') throw new Error('Behind ! stands the command that must succeed, as in /goal !npm test');
  return { commands: [command] };
}

const wordsOf = ({ commands = [], judge }: VerifyConditions): string =>
  commands.length > 0
    ? `that \`${String(commands[0])}\` succeeds`
    : `"${String(judge)}", as a small model judges`;

/** `/help`: which commands there are. */
const helpCommand: Command = {
  name: 'help',
  description: 'Lists the commands of this session',
  origin: 'builtin',
  run(_, { session }) {
    const lines = session.commands().map(({ name, argumentHint, description }) => {
      const usage = argumentHint === undefined ? `/${name}` : `/${name} ${argumentHint}`;
      return description === '' ? usage : `${usage}: ${description}`;
    });
    return { messages: [], shouldQuery: false, resultText: lines.join('\n') };
  },
};

/** `/init`: has the model write CLAUDE.md. */
const initCommand: Command = {
  name: 'init',
  description: 'Looks at this project and writes CLAUDE.md, which later sessions read',
  argumentHint: '[what matters]',
  origin: 'builtin',
  run(args) {
    const wish = args.trim() === '' ? '' : `\n\nWhat matters most: ${args.trim()}`;
    return { messages: [`${INIT_PROMPT}${wish}`], shouldQuery: true };
  },
};

const INIT_PROMPT = `Get to know this project, and write what a newcomer with no memory needs into CLAUDE.md in its root folder.

Read first: the README, the manifest and its scripts, the configuration of build, tests and linter, CI files, other files of rules for agents (AGENTS.md, .cursorrules, .github/copilot-instructions.md), and the folders of the sources.

Then write, in at most 60 lines:
- the commands to build, to run all tests and a single one, to lint and to start it, as they stand in the project;
- where things are, and how the parts hang together: what cannot be seen from one file alone;
- rules of the project that differ from what is usual.

Write nothing that is not so in this project, and nothing that goes without saying. If there is a CLAUDE.md already, keep what is right in it and mend the rest. Say at the end what you wrote, and what you could not find out.`;

/** `/model [name]`: shows or sets the model. */
const modelCommand: Command = {
  name: 'model',
  description: 'Shows the model, or switches to another one for this session',
  argumentHint: '[name]',
  origin: 'builtin',
  async run(args, { session }) {
    const name = args.trim();
    if (name !== '') await session.setModel(name === 'default' ? undefined : name);
    const resultText = name === '' ? `The model is ${session.model}.` : `The model is now ${session.model}.`;
    return { messages: [], shouldQuery: false, resultText };
  },
};

/** `/review [what]`: has the model review changes. */
const reviewCommand: Command = {
  name: 'review',
  aliases: ['code-review'],
  description: 'Reviews the uncommitted changes, or a pull request, a branch or a range of commits',
  argumentHint: '[pull request|branch|range] [what matters]',
  origin: 'builtin',
  run: (args) => ({ messages: [reviewPrompt(args.trim())], shouldQuery: true }),
};

function reviewPrompt(what: string): string {
  const [, number, rest = ''] =
    /^(?:#|pr\s+)?(\d+|https:\/\/\S+\/pull\/\d+\S*)(?:\s+([\s\S]*))?$/i.exec(what) ?? [];
  const subject =
    number !== undefined
      ? `Review the pull request ${number}: read it with \`gh pr view\` and \`gh pr diff\`; without gh, say what is missing and stop.`
      : what === ''
        ? 'Review the uncommitted changes of this repository: `git status`, `git diff HEAD`, and the new files. If there are none, review what this branch adds to the default branch.'
        : `Review what is named here: ${what}\nA range of commits is \`git diff\` of it, a branch what it adds to the default branch since it left it, a path the changes in it. Other words say what matters most. If it names nothing, ask.`;
  return [subject, rest === '' ? '' : `What matters most: ${rest}`, REVIEW_PROMPT]
    .filter(Boolean)
    .join('\n\n');
}

const REVIEW_PROMPT = `Read the whole of what changed, and the code around it that it depends on or breaks. Change nothing.

Look for faults that someone would meet: wrong results, lost data, races, errors that are swallowed, input that is not checked, secrets, callers that were forgotten, tests that pass without the change. Check each suspicion in the code before you name it, and run the tests that belong to it where that is allowed.

Answer with the findings, the worst first: file and line, what happens and when, how to mend it; then what you could not check. If there is nothing to say, say so in one line. No praise, no summary of what the change does, nothing about taste.`;

export const BUILTIN_COMMANDS: readonly Command[] = [
  clearCommand,
  compactCommand,
  contextCommand,
  costCommand,
  effortCommand,
  goalCommand,
  helpCommand,
  initCommand,
  modelCommand,
  reviewCommand,
];
