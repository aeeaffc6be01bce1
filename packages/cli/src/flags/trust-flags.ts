/** The flags of `turnwright trust`. */
import type { Command } from 'commander';

export interface TrustInvocation {
  readonly command: 'trust';
  readonly list?: true;
  /** true: this folder. */
  readonly revoke?: string | true;
  readonly show?: true;
}

export function addTrustCommand(command: Command, onCall: (invocation: TrustInvocation) => void): void {
  command
    .option('--show', 'only say what its settings would make happen')
    .option('--list', 'the folders that are trusted')
    .option('--revoke [folder]', 'trust it no more')
    .action((flags: Omit<TrustInvocation, 'command'>) => onCall({ command: 'trust', ...flags }));
}
