/** A command file as a command of a session. */

import { argumentFiller } from '@turnwright/base/text/fill-arguments.ts';
import { MAX_SHELL_PARTS, type TemplatePart, templateParts } from '@turnwright/base/text/template-parts.ts';
import type { VerifyConditions } from '../protocol/session/verification.ts';
import type {
  Command,
  CommandContext,
  CommandOrigin,
  CommandResult,
  ShellTemplate,
} from '../protocol/tools/command.ts';
import type { CommandFile } from './command-file.ts';

interface FileCommandOptions {
  readonly origin: CommandOrigin;
  /** false: it only supplies a prompt; it grants, runs and switches nothing. */
  readonly trusted: boolean;
  readonly places?: Readonly<Record<string, string>> | undefined;
}

export function fileCommand(file: CommandFile, { origin, trusted, places }: FileCommandOptions): Command {
  const { name, description, argumentHint } = file;
  return {
    name,
    description,
    ...(argumentHint !== undefined && { argumentHint }),
    origin,
    isTrusted: trusted,
    run: (args, context) => run(file, { origin, trusted, places }, args, context),
  };
}

async function run(
  file: CommandFile,
  { origin, trusted, places }: FileCommandOptions,
  args: string,
  context: CommandContext,
): Promise<CommandResult> {
  const parts = fillTemplate(file, args, places);
  const commands = parts.filter((part) => part.kind === 'shell');
  if (commands.length > 0 && !trusted)
    throw new Error(
      `/${file.name} runs shell commands (${file.path}), which a repository that is not trusted may not. Copy what it says into a prompt, or trust the project.`,
    );
  if (commands.length > MAX_SHELL_PARTS)
    throw new Error(`/${file.name} has more than ${MAX_SHELL_PARTS} shell commands (${file.path}).`);

  const allowedTools = trusted ? file.allowedTools : [];
  let text = '';
  let written = '';
  for (const part of parts) {
    if (part.kind === 'text') {
      text += part.text;
      written += part.text;
      continue;
    }
    const of = { name: file.name, source: origin };
    const answer = await context.shell({ pieces: part.pieces, of }, allowedTools);
    if (!answer.ok)
      throw new Error(
        `/${file.name} was not sent: its shell command \`${part.command}\` did not run. ${answer.why}`,
      );
    text += answer.output;
    written += '\n';
  }
  // Mentions in the output of its commands are ignored.
  const mentioned = await context.mentionedFiles(written);
  const dropped = trusted
    ? []
    : [
        ...(file.allowedTools.length > 0 ? ['allowed-tools'] : []),
        ...(file.model === undefined ? [] : ['model']),
        ...(file.verify === undefined ? [] : ['verify']),
      ];
  return {
    messages: [mentioned.length === 0 ? text : [{ type: 'text', text }, ...mentioned]],
    shouldQuery: true,
    ...(allowedTools.length > 0 && { allowedTools }),
    ...(trusted && file.model !== undefined && { model: file.model }),
    ...(trusted && file.verify !== undefined && { verify: toConditions(file.verify) as VerifyConditions }),
    ...(dropped.length > 0 && {
      notices: [`/${file.name}: ${dropped.join(' and ')} passed over, as the project is not trusted.`],
    }),
  };
}

/** As options have them; whether they can be read is checked where they are taken. */
const toConditions = (verify: unknown) =>
  typeof verify === 'string' ? { commands: [verify] } : Array.isArray(verify) ? { commands: verify } : verify;

type FilledPart =
  | Extract<TemplatePart, { readonly kind: 'text' }>
  | {
      readonly kind: 'shell';
      /** As it is written. */
      readonly command: string;
      readonly pieces: ShellTemplate['pieces'];
    };

/** With the arguments filled in, or behind it where it has no place for them. */
function fillTemplate(
  { body, argumentNames: names }: CommandFile,
  args: string,
  places: FileCommandOptions['places'],
): readonly FilledPart[] {
  const filler = argumentFiller(args, names, places);
  const parts = templateParts(body).map(
    (part): FilledPart =>
      part.kind === 'text'
        ? { kind: 'text', text: filler.fill(part.text) }
        : { kind: 'shell', command: part.command, pieces: filler.pieces(part.command) },
  );
  if (!filler.used && args.trim() !== '') parts.push({ kind: 'text', text: `\n\nARGUMENTS: ${args.trim()}` });
  return parts;
}
