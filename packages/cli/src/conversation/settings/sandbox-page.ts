/** `/sandbox`: whether commands run isolated, what they may, and a switch for this session. */
import { resolveSettings, type SandboxState, type SettingsReport, sandboxState } from '@turnwright/engine';
import { oneLine } from '@turnwright/terminal/text/visible.ts';
import { wrap } from '@turnwright/terminal/text/wrap.ts';
import type { ConversationCommandContext } from '../command-context.ts';
import { CommandMistake } from '../commands/command-type.ts';
import { type ListItem, listOverlay } from '../commands/list.ts';
import { isWorking, listBackground } from '../conversation-state.ts';
import { reopenHere } from '../session/reopen-here.ts';
import { runConfig } from './config-pages.ts';

type Sandbox = NonNullable<SettingsReport['effective']['sandbox']>;
type Choice =
  | { readonly kind: 'set'; readonly change: Pick<Sandbox, 'enabled' | 'autoAllowBashIfSandboxed'> }
  | { readonly kind: 'keep'; readonly line: string }
  | { readonly kind: 'none' };

export async function runSandbox(argument: string, context: ConversationCommandContext): Promise<void> {
  const asked = argument.toLowerCase();
  if (asked !== '' && asked !== 'on' && asked !== 'off')
    throw new CommandMistake('Write /sandbox, /sandbox on or /sandbox off; the rest is in /config sandbox.');
  const { options, open, print, theme } = context;
  print([theme.dim('Looking what this machine can do …')]);
  const [found, { effective }] = await Promise.all([sandboxState(options), resolveSettings(options)]);
  const sandbox = effective.sandbox ?? {};
  if (asked !== '') return switchTo({ enabled: asked === 'on' }, found, context);
  const choice = await open(
    listOverlay({
      title: sandboxTitle(found),
      items: sandboxItems(found, sandbox),
      empty: '',
      enter: 'takes it',
    }),
  );
  if (choice === undefined || choice.kind === 'none') return;
  if (choice.kind === 'set') return switchTo(choice.change, found, context);
  await runConfig(choice.line, context);
}

export function sandboxTitle({ asked, required, isolator }: SandboxState): string {
  if (isolator !== undefined)
    return asked ? `Sandbox: on (${isolator})` : `Sandbox: off (${isolator} would isolate)`;
  const then = !asked ? '' : required ? ', so commands do not run' : ', so commands run WITHOUT isolation';
  return `Sandbox: not available here${then}`;
}

/** What can be switched, then what isolated commands may, one line each. */
export function sandboxItems(
  { asked, isolator, hooks, mcpServers, why, remedy = '' }: SandboxState,
  sandbox: Sandbox,
): readonly ListItem<Choice>[] {
  const { filesystem = {}, network = {}, autoAllowBashIfSandboxed: free = false } = sandbox;
  const none: Choice = { kind: 'none' };
  const fact = (label: string, detail: string): ListItem<Choice> => ({ value: none, label, detail });
  const list = (values: readonly string[] | undefined, otherwise: string) => values?.join(', ') || otherwise;
  const isFiles = filesystem.disabled !== true;
  const servers = mcpServers === 'all' ? ['all MCP servers'] : mcpServers.map((name) => `the server ${name}`);
  return [
    ...(isolator === undefined
      ? [fact('why', `${why}. ${remedy}`.trimEnd())]
      : [
          {
            value: { kind: 'set', change: { enabled: !asked } } as const,
            label: asked ? 'Switch it off' : 'Switch it on',
            detail: 'for this session',
          },
        ]),
    ...(asked && isolator !== undefined
      ? [
          {
            value: { kind: 'set', change: { autoAllowBashIfSandboxed: !free } } as const,
            label: free ? 'Ask about isolated commands' : 'Let isolated commands run without a question',
            detail: 'for this session',
            about: ['Rules that deny or ask still count, and so does what leaves the sandbox.'],
          },
        ]
      : []),
    {
      value: { kind: 'keep', line: 'sandbox.enabled' } as const,
      label: 'Keep it on or off …',
      detail: 'in a settings file, for the sessions that follow',
    },
    fact('isolated', ['commands', ...(hooks ? ['hooks'] : []), ...servers].join(', ')),
    fact('questions', free ? 'isolated commands run without one' : 'as without a sandbox'),
    fact(
      'writes',
      isFiles
        ? list(['this folder and those that you added', ...(filesystem.allowWrite ?? [])], '')
        : 'files are not isolated',
    ),
    fact(
      'never writes',
      [...(filesystem.denyWrite ?? []), 'settings, hooks and other files that decide what runs'].join(', '),
    ),
    fact('never reads', list(filesystem.denyRead, 'keys and logins of your home')),
    fact('network', list(network.allowedDomains, 'none')),
    fact(
      'outside',
      list(sandbox.excludedCommands, sandbox.allowUnsandboxedCommands === false ? 'never' : 'what you allow'),
    ),
  ];
}

async function switchTo(
  change: Pick<Sandbox, 'enabled' | 'autoAllowBashIfSandboxed'>,
  found: SandboxState,
  context: ConversationCommandContext,
): Promise<void> {
  const { columns, options, print, query, state } = context;
  if (isWorking(state))
    throw new CommandMistake(
      'The session works. Switch the sandbox when it has answered, or interrupt it first.',
    );
  if (listBackground(state).length > 0)
    throw new CommandMistake(
      'Background work would end: the session is opened again for it. Stop it first (/tasks), or wait.',
    );
  if (change.enabled === true && found.isolator === undefined)
    throw new CommandMistake(`Nothing can be isolated here: ${found.why}. ${found.remedy ?? ''}`.trimEnd());
  const flags = (await query.getSettings()).sources.find(({ source }) => source === 'flag')?.settings ?? {};
  const settings = { ...flags, sandbox: { ...flags.sandbox, ...change } };
  const { effective } = await resolveSettings({ ...options, settings });
  for (const [key, value] of Object.entries(change))
    if ((effective.sandbox?.[key] ?? false) !== value)
      throw new CommandMistake(`The policy of this machine sets sandbox.${key}, so it stays as it is.`);
  await reopenHere(context, { settings });
  print(wrap(oneLine(switchedSentence(change, found)), columns));
}

function switchedSentence(
  { enabled, autoAllowBashIfSandboxed: free }: Pick<Sandbox, 'enabled' | 'autoAllowBashIfSandboxed'>,
  { isolator }: SandboxState,
): string {
  if (enabled === true) return `Commands run isolated now (${isolator}), until this conversation ends.`;
  if (enabled === false) return 'Commands run WITHOUT isolation now, until this conversation ends.';
  return free === true
    ? 'Isolated commands run without a question now, until this conversation ends.'
    : 'Isolated commands are asked about again.';
}
