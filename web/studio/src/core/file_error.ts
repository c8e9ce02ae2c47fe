/** A sentence for the user; `detail` for those who want to know more. */
export class FileError extends Error {
  constructor(
    message: string,
    readonly detail = '',
  ) {
    super(message);
    this.name = 'FileError';
  }
}
