/** Variables that make programs run others or talk elsewhere: no rule covers their being set. */
import { isMattering } from '../environment-that-matters.ts';

const LOUD =
  /PAGER|EDITOR|BROWSER|_CMD$|_COMMAND$|COMMAND_|PROXY|ASKPASS|EXTERNAL|_SHELL$|^BASH|^PROMPT_|^PS\d$|^SSH_|TERMINFO|PRELOAD|_HOME$|_PATH$|RC$|_OPT(?:ION)?S$|FLAGS$|CONFIG/i;

export const changesPrograms = (name: string): boolean => isMattering(name) || LOUD.test(name);
