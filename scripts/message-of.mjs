/** Returns the message of a thrown value, which need not be an Error. @type {(error: unknown) => string} */
export const messageOf = (error) => (error instanceof Error ? error.message : String(error));
