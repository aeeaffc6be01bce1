/** `/config`, `/diff`, `/fork`, `/logout` and `/plan`: what people type without looking. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { getSessionInfo, modelAccess, removeLogin } from '../../../index.ts';
import { oneLine } from '../../../terminal/text/visible.ts';
import { wrap } from '../../../terminal/text/wrap.ts';
import { loginTarget } from '../../run/log-in.ts';
import type { CommandContext } from '../command-context.ts';
import { isWorking } from '../state.ts';
import { CommandMistake, type ConversationCommand } from './command.ts';

export const configCommand: ConversationCommand = {
  name: 'config',
  aliases: ['settings'],
  summary: 'Shows the settings in effect, and the files that they are from',
  async run(_, { columns, print, query, theme }) {
    const { effective, sources } = await query.getSettings();
    const files = sources.flatMap(({ path }) => path ?? []);
    const rows = Object.entries(effective).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
    const lines = [
      files.length === 0 ? 'No settings file was read.' : `Settings of ${files.join(', ')}:`,
      ...rows,
      'Change the files with your editor; turnwright init writes one that explains its keys. /model, /effort, /permissions and /theme change single ones here.',
    ];
    print(lines.flatMap((line) => wrap(oneLine(line), columns, { hang: '  ' })).map((row) => theme.dim(row)));
  },
};

/** Neither programs that a repository names, nor a pager, take part. */
const QUIETLY = ['--no-pager', '-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null'];
const MOST_BYTES = 32 * 1024 * 1024;

export const diffCommand: ConversationCommand = {
  name: 'diff',
  summary: 'Shows what has changed since the last commit',
  async run(_, { cwd, env, print, view }) {
    const git = async (...args: readonly string[]) => {
      const options = { cwd, env: { ...env, GIT_OPTIONAL_LOCKS: '0' }, maxBuffer: MOST_BYTES };
      const { stdout } = await promisify(execFile)('git', [...QUIETLY, ...args], options);
      return stdout.trimEnd();
    };
    const safely = ['--no-ext-diff', '--no-textconv', '--no-color'];
    let changed: string;
    let added: string;
    try {
      changed = await git('diff', ...safely, 'HEAD').catch(() => git('diff', ...safely));
      added = await git('ls-files', '--others', '--exclude-standard');
    } catch {
      throw new CommandMistake('There is no git repository here, or git cannot read it.');
    }
    if (changed === '' && added === '') return print(['Nothing has changed since the last commit.']);
    const files = changed === '' ? [] : changed.split(/^(?=diff --git )/m);
    await view({
      title: 'Changes since the last commit',
      parts: [
        ...files.map((text) => {
          const [heading = '', ...lines] = text.trimEnd().split('\n');
          return { heading: heading.replace(/^diff --git a\/.* b\//, ''), lines };
        }),
        ...(added === '' ? [] : [{ heading: 'New files', lines: added.split('\n') }]),
      ],
    });
  },
};

export const forkCommand: ConversationCommand = {
  name: 'fork',
  aliases: ['branch'],
  summary: 'Goes on in a copy of this session',
  async run(_, { env, print, reopen, state }) {
    if (isWorking(state))
      throw new CommandMistake('The session works. Fork it when it has answered, or interrupt it first.');
    const { id } = state.session;
    if ((await getSessionInfo(id, { env })) === undefined)
      throw new CommandMistake('There is nothing to copy yet.');
    await reopen({ resume: id, forkSession: true, isQuiet: true });
    print([`This is a copy now. The session itself is kept: /resume ${id}`]);
  },
};

export const logoutCommand: ConversationCommand = {
  name: 'logout',
  summary: 'Removes the stored key; this session keeps it until it ends',
  argument: '[address]',
  async run(given, context) {
    const { columns, cwd, env, print } = context;
    const { address } = await loginTarget(context, given === '' ? undefined : given);
    const gone = await removeLogin(address, { cwd, env });
    const { apiKeySource } = await modelAccess({ cwd, env, settingSources: ['user'] });
    const said =
      gone.length > 0 ? `Removed what was stored for ${address}.` : `Nothing is stored for ${address}.`;
    const rest = apiKeySource === 'none' ? '' : ` Credentials from ${apiKeySource} are still used.`;
    print(wrap(oneLine(`${said}${rest}`), columns));
  },
};

export const planCommand: ConversationCommand = {
  name: 'plan',
  summary: 'Plans before anything is changed; with a task, begins with it',
  argument: '[task]',
  async run(task, { print, query, send }: CommandContext) {
    await query.setPermissionMode('plan');
    if (task === '') print(['Plan mode: nothing is changed until you accept a plan. Shift+Tab leaves it.']);
    else send(task);
  },
};
