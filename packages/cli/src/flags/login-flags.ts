/** The flags of `turnwright login` and `logout`. */
import type { Command } from 'commander';

export interface LoginInvocation {
  readonly command: 'login';
  /** Base URL of the API; default that of a run. */
  readonly address: string | undefined;
  readonly token?: true;
  /** A command that prints a key, to be set in place of a stored one. */
  readonly helper?: string;
  readonly check: boolean;
}

export interface LogoutInvocation {
  readonly command: 'logout';
  readonly address: string | undefined;
  readonly all?: true;
}

const ADDRESS = ['[address]', 'base URL of the API (default that of a run here)'] as const;

export function addLoginCommands(
  add: (name: string, does: string) => Command,
  onCall: (invocation: LoginInvocation | LogoutInvocation) => void,
): void {
  add('login', 'store an API key for later runs; it is asked for, or piped in')
    .argument(...ADDRESS)
    .option('--token', 'it is a token, and sent as Authorization: Bearer')
    .option('--helper <command>', 'store no key, but a command that prints one')
    .option('--no-check', 'do not ask the API whether it accepts the key')
    .action((address: string | undefined, flags: Omit<LoginInvocation, 'command' | 'address'>) =>
      onCall({ command: 'login', address, ...flags }),
    );
  add('logout', 'remove the stored key')
    .argument(...ADDRESS)
    .option('--all', 'the keys of all addresses')
    .action((address: string | undefined, flags: Omit<LogoutInvocation, 'command' | 'address'>) =>
      onCall({ command: 'logout', address, ...flags }),
    );
}
