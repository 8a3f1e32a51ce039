/** The outcome of a function that can fail. The function returns the failure, and does not throw it. */
export type Result<T, F> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: F };

export const success = <T>(value: T): { readonly ok: true; readonly value: T } => ({ ok: true, value });
export const failed = <F>(failure: F): { readonly ok: false; readonly failure: F } => ({ ok: false, failure });
