const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full (ENOSPC). Free some space, and try again.',
  EDQUOT: 'your share of the disk is full (EDQUOT). Free some space, and try again.',
  EFBIG: 'it would be larger than a file of this process may be (EFBIG). See the limit: ulimit -f.',
  EROFS: 'its file system is read-only (EROFS). Use a folder that can be written to.',
  EACCES: 'you may not (EACCES). See who owns it and its folder: ls -ld.',
  EPERM: 'you may not (EPERM). See who owns it and its folder: ls -ld.',
  EEXIST: 'there is a file of that name (EEXIST). Move it away.',
  ENOTDIR: 'a file is where its folder should be (ENOTDIR). Move it away.',
};

/** The system's words about a file, as a sentence that says which one, why, and what to do. */
export function fileProblem(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code = '', path } = error as NodeJS.ErrnoException;
  const reason = REASONS[code];
  // An error with words of its own says more.
  if (reason === undefined || !error.message.startsWith(`${code}: `)) return undefined;
  return `${path ?? 'A file'} cannot be used: ${reason}`;
}
