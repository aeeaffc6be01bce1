/** Runs one command in a sandbox, in a process of its own: its arguments are the workspace and the command. */
import { runIn } from '@turnwright/test/sandbox/support.ts';

const [, , cwd = '', command = ''] = process.argv;
process.stdout.write(await runIn(cwd, command));
