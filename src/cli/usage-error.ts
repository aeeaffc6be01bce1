/** The call as written cannot run. Its message is all a person needs to write it right; exit code 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}
