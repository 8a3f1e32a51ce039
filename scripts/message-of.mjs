/** The message of what was thrown, which may be any value. @type {(error: unknown) => string} */
export const messageOf = (error) => (error instanceof Error ? error.message : String(error));
