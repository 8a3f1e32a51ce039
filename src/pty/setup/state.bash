# The variables of the set-up text.

# Every variable of ours is global, starts with __ape_, and always exists. So one test (__ape_sound) shows whether a line has given
# such a variable an attribute with which bash would evaluate, change or refuse an assigned value.
# "Set" below means: not empty.
__ape_started=      # set once __ape_start_up has begun: the start-up files are done
__ape_st=0          # $? as the user sees it
__ape_set=          # SHELLOPTS at each tick since the line began. The last value is not enough: after a first Ctrl-C our code has
                    # turned line editing off
__ape_last=         # $_ as the user sees it
__ape_ps=(0)        # PIPESTATUS as the user sees it
__ape_arguments=    # the positional parameters of the top level, each in quotes
__ape_unfound=      # the function command_not_found_handle of the start-up files
builtin readonly __ape_zero=$0
__ape_flags=        # the user's $-, if x, v, E or T was on
__ape_options=      # SHELLOPTS of the user
__ape_running=      # set while an approved text is evaluated; its value is a format that prints nothing
__ape_saved=        # set if the approved text came to its end
__ape_text=         # the text that the tick evaluates
__ape_debug=        # `=` and the text of the user's DEBUG trap; empty if the user has no such trap
__ape_aside=        # set while the user's DEBUG trap is only in __ape_debug, and bash itself has no DEBUG trap
__ape_trapped=      # the user's traps except DEBUG, before the line was edited
__ape_interrupt=    # the user's INT trap, set aside while the user edits a line and the gate decides about it
__ape_disabled=     # builtins that the user disabled; __ape_collect fills this variable and __ape_debug
__ape_blank=        # set while PS0, PS1, PS2 and HISTIGNORE are set aside for the tick; a format as in __ape_running
__ape_ps1= __ape_ps2= __ape_ps0= # the values of PS1, PS2 and PS0
__ape_kept_ps0=     # PS0, set aside while a line is edited or runs
__ape_ignore= __ape_ignored= # the value of HISTIGNORE, and whether it was set
__ape_mode=emacs    # the user's editing mode; bash itself has no editing mode while it reads ticks
__ape_editing=1     # whether the user has line editing on
__ape_commands=()   # PROMPT_COMMAND, set aside when a tick edits no line
__ape_locked=       # set while the user's read-only PROMPT_COMMAND is writable for us
__ape_unhooked=     # set if PROMPT_COMMAND cannot have our entry: it stays read-only, or is an associative array
__ape_reading=      # set while __ape_collect reads the private file
__ape_collected=    # set when __ape_nest has called __ape_collect for an interrupted line
__ape_strewn=       # set by __ape_nest: after Ctrl-Cs the history may contain ticks
__ape_bangs=        # set while history expansion is off for a line with `fc`
__ape_leaving=      # set when the previous line was `exit`, `logout` or `jobs`
__ape_eof=0         # how often Ctrl-D was ignored
__ape_keys=         # our bindings of `bind -x` after our last change
__ape_key_commands=() # the commands of the user's keys of `bind -x`, each run by `__ape_key INDEX`
__ape_begun=        # set by __ape_begin_keys, at the first prompt
__ape_tabbed=       # `POINT LINE` after the last TAB, if that TAB changed nothing
__ape_completion=${BASH_SOURCE[0]%/*}/completion.bash
__ape_uncover=        # commands that restore the variables of __ape_covered
__ape_facts=()      # the entries on which the meaning of the line depends: variables, aliases, functions, …
__ape_sent=()       # the directory and all entries that were sent with the line
__ape_was=()        # __ape_sent as it was before a trap may have run
__ape_chain=        # the words that __ape_meanings_in_chain has looked up
__ape_names_asked=() # the names that the gate asked about
__ape_lines=()      # the lines of a text; __ape_split makes them
__ape_ifs=          # IFS of the user: IFS=VALUE, or nothing when it is unset
__ape_expansions=   # has one of three values. A newline: __ape_note_names may note which variables are set. A text that begins with a
                    # blank: the expansions of the noted variables. Empty: __ape_look looks the variables up after Enter
__ape_asked=        # set once the gate was asked about a line
__ape_shopts=       # options of `shopt` that are off while our own functions run, and on for the user
__ape_exporting=    # set while the user's `set -a` is off for our own functions
__ape_funcnest=     # the user's FUNCNEST, set aside while our own functions run
__ape_turn=0        # the number of this prompt
__ape_token=        # the word with which the gate's answers to this prompt's line begin
__ape_typed=        # the text that the user has typed so far
__ape_more=         # a newline while a continuation line is read
__ape_late=         # set when TMOUT has passed
__ape_shown=        # the prompt
__ape_e=-e          # the option with which `read` edits the line, or nothing
__ape_enter_key=    # the delimiter of the `read` for the line
__ape_piped=        # commands that set PIPESTATUS again
# Used in one function, or passed from one to the next:
__ape_rc=0 __ape_probe= __ape_line= __ape_frame= __ape_seen= __ape_rest= __ape_name= __ape_i=0 __ape_before= __ape_behind=
__ape_whole= __ape_body= __ape_all= __ape_word= __ape_known= __ape_exported= __ape_fact= __ape_folder= __ape_expanded=
__ape_command= __ape_wrapped= __ape_first= __ape_nul= __ape_byte= __ape_most=0
__ape_made=         # the text that the tick will evaluate, once the line is confined
__ape_own=()        # the variables that bash itself expands, as they were before a confined line
__ape_now=()        # the same variables, as they are now
__ape_held=         # the token of the line whose processes are confined
# For the keys:
__ape_map= __ape_round=0 __ape_key_round=0 __ape_key_name= __ape_key_line= __ape_key_list= __ape_key_text= __ape_key_known= __ape_key_command= __ape_instead=
