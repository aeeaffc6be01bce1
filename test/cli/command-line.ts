/** The command line for tests of what it says and writes, which do not depend on a process of its own. */
import { EventEmitter } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { runCommandLine } from '../../packages/cli/src/main.ts';
import { createWorld } from '../../packages/cli/src/world.ts';
import { bareEnv, type Ran, type RunOptions, temporaryFolder, turnwright } from './bin.ts';

type Run = (
  args: readonly string[],
  options?: Pick<RunOptions, 'env' | 'cwd' | 'input'> & { readonly isTTY?: boolean },
) => Promise<Ran>;

/** From its words to its exit code, with streams of its own; without the start and the end of a process. */
const inThisProcess: Run = async (args, { env, cwd = temporaryFolder(), input, isTTY } = {}) => {
  const said = { stdout: '', stderr: '' };
  const collect = (name: keyof typeof said) =>
    Object.assign(
      new Writable({
        decodeStrings: false,
        write(text: string, _encoding, done) {
          said[name] += text;
          done();
        },
      }),
      isTTY === true && { isTTY, columns: 100 },
    );
  const surroundings = {
    env: bareEnv(env),
    cwd: () => cwd,
    stdin: Readable.from(input === undefined ? [] : [Buffer.from(input)]),
    stdout: collect('stdout'),
    stderr: collect('stderr'),
    exit: () => {
      throw new Error('A command ends with its exit code, and leaves the end of the process to main.');
    },
  };
  const world = createWorld(Object.assign(new EventEmitter(), surroundings) as unknown as NodeJS.Process);
  return { code: await runCommandLine(args, world), signal: null, ...said };
};

/** As if it printed on a terminal: where no process of its own is needed to see what is printed. */
export const commandLineAtTerminal: Run = (args, options) => inThisProcess(args, { ...options, isTTY: true });

/**
 * The same code as in the built command line, which `turnwright` of bin.ts always starts, for a tenth of the time. A release
 * starts the built one here too. Each command has tests that always do.
 */
export const commandLine: Run =
  process.env['TURNWRIGHT_TESTS_START_COMMANDS'] === '1' ? turnwright : inThisProcess;
