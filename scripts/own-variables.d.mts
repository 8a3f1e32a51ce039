/** The text of `bin/own-variables.h`. */
export function ownVariablesHeader(): Promise<string>;
