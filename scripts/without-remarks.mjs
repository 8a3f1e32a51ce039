/**
 * Returns a bash text with an empty line in place of each line that is only a remark. bash reads the set-up text before the first prompt, and
 * remarks are a third of this text. The line numbers stay, because bash's messages name them. A text with such a line in a here-document
 * or in quotes would change its meaning; test/component/without-remarks.test.ts finds that.
 * @param {string} text
 */
export const withoutRemarks = (text) => text.replaceAll(/^[ \t]*#.*$/gm, '');
