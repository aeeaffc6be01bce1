/** Commands of the shell: how they are read, and what rules and modes say of them. One chunk of its own. */
export { readCommandLine } from '../../shell/reading/command-line.ts';
export { whyFeared } from './asked-word.ts';
export { findStrayPath, judgeCommand, onlyReads, unsafeWrite } from './judge-command.ts';
export { leavingOut } from './leaving-out.ts';
export { matchCommand } from './match-command.ts';
