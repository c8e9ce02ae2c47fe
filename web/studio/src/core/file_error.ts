/** An error in a file. The message is for users; `detail` has technical information. */
export class FileError extends Error {
  constructor(
    message: string,
    readonly detail = '',
  ) {
    super(message);
    this.name = 'FileError';
  }
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
