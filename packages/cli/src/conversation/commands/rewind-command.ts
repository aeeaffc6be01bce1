/** `/rewind`, and Esc Esc: back to before a prompt, with the conversation, the files, or both. */
import { type RewindFilesResult, type SessionPrompt, sessionPrompts } from '@turnwright/engine';
import { oneLine } from '@turnwright/terminal/text/visible.ts';
import { shortPath } from '../../words/tool-label.ts';
import { age, counted } from '../../words/units.ts';
import type { ConversationCommandContext } from '../command-context.ts';
import { isWorking } from '../conversation-state.ts';
import { parseShellPrompt } from '../session/typed-command.ts';
import { CommandMistake, type ConversationCommand } from './command-type.ts';
import { type ListItem, listOverlay } from './list.ts';

export const rewindCommand: ConversationCommand = {
  name: 'rewind',
  aliases: ['undo', 'checkpoint'],
  summary: 'Goes back to before a prompt, files too',
  run: (_, context) => rewind(context),
};

/** Lets the person choose a prompt and what to restore, and restores it. */
async function rewind(context: ConversationCommandContext): Promise<void> {
  const { clock, env, state } = context;
  if (isWorking(state)) throw new CommandMistake('It still works. Interrupt it with Esc, then go back.');
  const { id } = state.session;
  const prompts = id === '' ? [] : await sessionPrompts(id, { env });
  const prompt = await context.open(
    listOverlay({
      title: 'Go back to before a prompt',
      items: promptItems(prompts, clock.nowMs(), context.cwd),
      empty: 'Nothing was asked in this session yet.',
      enter: 'goes there',
    }),
  );
  if (prompt === undefined) return;
  const files = await plannedFiles(prompt, context);
  const extent = await context.open(
    listOverlay({
      title: `Before “${oneLine(prompt.text)}”`,
      items: extentItems(prompt, prompts, files, context.cwd),
      empty: '',
      enter: 'restores it',
    }),
  );
  if (extent !== undefined) await restore(prompt, extent, context);
}

/** Newest first: going back a little is more common than going back far. */
/** A command of the person's own as it was typed. */
function formatLabel(prompt: string): string {
  const command = parseShellPrompt(prompt);
  return command === undefined ? prompt : `! ${command}`;
}

function promptItems(
  prompts: readonly SessionPrompt[],
  nowMs: number,
  cwd: string,
): readonly ListItem<SessionPrompt>[] {
  return prompts
    .map((prompt) => ({
      value: prompt,
      label: formatLabel(prompt.text),
      detail: [
        age(nowMs - Date.parse(prompt.timestamp)),
        ...(prompt.filesChanged.length > 0 ? [counted(prompt.filesChanged.length, 'file')] : []),
      ].join(' · '),
      about: prompt.filesChanged.map((path) => `changed ${shortPath(path, { cwd })}`),
    }))
    .reverse();
}

type RewindExtent = 'both' | 'conversation' | 'files';

/** What rewinding files would do, or the sentence that says why it cannot be done. */
type PlannedFiles = RewindFilesResult | string;

async function plannedFiles(
  { uuid }: SessionPrompt,
  { query }: ConversationCommandContext,
): Promise<PlannedFiles> {
  try {
    return await query.rewindFiles(uuid, { dryRun: true });
  } catch (error) {
    return (error as Error).message;
  }
}

/** Only what there is something to restore of. */
function extentItems(
  prompt: SessionPrompt,
  prompts: readonly SessionPrompt[],
  files: PlannedFiles,
  cwd: string,
): readonly ListItem<RewindExtent>[] {
  const dropped = prompts.length - prompts.findIndex(({ uuid }) => uuid === prompt.uuid);
  const conversation = `forgets ${counted(dropped, 'prompt')}`;
  if (typeof files === 'string')
    return [{ value: 'conversation', label: 'The conversation', detail: conversation, about: [files] }];
  const { filesChanged = [], conflicts = [] } = files;
  const about = [
    ...filesChanged.map((path) => shortPath(path, { cwd })),
    ...conflicts.map(
      (path) => `${shortPath(path, { cwd })} stays, because another program has changed it since`,
    ),
  ];
  if (filesChanged.length === 0)
    return [
      {
        value: 'conversation',
        label: 'The conversation',
        detail: conversation,
        about: about.length > 0 ? about : [files.error ?? 'No file was changed since.'],
      },
    ];
  const change = `${counted(filesChanged.length, 'file')} (${formatLineCounts(files)})`;
  return [
    { value: 'both', label: 'Both', detail: `${conversation} · ${change}`, about },
    { value: 'conversation', label: 'The conversation', detail: conversation },
    { value: 'files', label: 'The files', detail: change, about },
  ];
}

const formatLineCounts = ({ insertions = 0, deletions = 0 }: RewindFilesResult) =>
  `+${insertions} −${deletions}`;

async function restore(
  prompt: SessionPrompt,
  extent: RewindExtent,
  context: ConversationCommandContext,
): Promise<void> {
  const { print, query, state, theme } = context;
  if (extent !== 'conversation') {
    const { error, filesChanged = [], ...lines } = await query.rewindFiles(prompt.uuid);
    print([
      ...(filesChanged.length > 0
        ? [`Restored ${counted(filesChanged.length, 'file')} (${formatLineCounts(lines)}).`]
        : []),
      ...(error === undefined ? [] : [theme.warn(oneLine(error))]),
    ]);
  }
  if (extent === 'files') return;
  const { resumeAt, text: draft } = prompt;
  // Before the first prompt there is nothing to resume.
  if (resumeAt === undefined) await context.reopen({ draft });
  else await context.reopen({ resume: state.session.id, resumeSessionAt: resumeAt, draft });
}
