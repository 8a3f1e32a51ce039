/** The behaviours of the battery in which our interactive shell differs from plain bash: at most ten, each with its reason. */
export const KNOWN_DIFFERENCES: Readonly<Record<string, string>> = {
  set_x: 'Lines run inside nested evals, so `set -x` marks them with `+++++` where plain bash writes `+`.',
  lineno: 'LINENO at the prompt counts our ticks, so it is ahead of the lines that were typed.',
  trap_int_prompt: 'What a trap on Ctrl-C at the prompt prints begins on a line of its own.',
  trap_chld_read: 'A trap runs at once while a line is being edited; plain bash waits for Enter.',
  input_bad_utf8: 'A line that is not UTF-8 cannot be shown to an approver as it is, so it is refused.',
  unterminated_eof:
    'Ctrl-D inside an unfinished quote gives one error line and a new prompt; bash 5.2 asks for more and then ends.',
  extdebug_skip:
    'A DEBUG trap that fails under `extdebug` makes both shells skip every command; ours then ends with a message.',
  tab_file: 'TAB redraws the line, since `read -e` completes file names only; what it completes is the same.',
};

const NOTICE_BEFORE_OUTPUT =
  'The message that a background job is done comes before the output of the next line, as in bash 5.2; bash 5.3 prints it after the output.';

/** Behaviours that differ in one version of bash only. */
export const KNOWN_DIFFERENCES_OF: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '5.1': {
    tmout: 'When TMOUT has passed, bracketed paste is turned on and off once more before the message.',
  },
  '5.3': {
    bg_done: NOTICE_BEFORE_OUTPUT,
    bg_output: NOTICE_BEFORE_OUTPUT,
    eval: 'A syntax error inside `eval` names the line by our LINENO.',
  },
};
