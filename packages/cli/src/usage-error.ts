/** The call cannot run as written. Its message says how to correct it; exit code 2. */
export class UsageError extends Error {
  /** Whose help says more. */
  readonly command: string;

  constructor(message: string, command = 'turnwright') {
    super(message);
    this.name = 'UsageError';
    this.command = command;
  }
}
