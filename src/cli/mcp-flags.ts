/** The flags of `turnwright mcp`. */
import type { Command } from 'commander';

export interface McpInvocation {
  readonly command: 'mcp';
  /** `list`, `login`, `logout`, or what somebody took for one of them. */
  readonly action: string;
  readonly server: string | undefined;
  readonly browser?: true;
  readonly json?: true;
}

export function addMcpCommand(command: Command, onCall: (invocation: McpInvocation) => void): void {
  command
    .argument('[action]', 'list (the default), login or logout')
    .argument('[server]', 'login, logout: its name here, or its address')
    .option('--browser', 'login: also open the page')
    .option('--json', 'list: as JSON')
    .action((action: string | undefined, server: string | undefined, flags: Pick<McpInvocation, 'json'>) =>
      onCall({ command: 'mcp', action: action ?? 'list', server, ...flags }),
    );
}
