/*
 * __ape_confine: a loadable builtin of bash (`enable -f confine.so __ape_confine`). The kernel confines the processes that the
 * current line starts. bash itself stays unconfined, so cd, export, jobs and Ctrl-Z work as usual. The builtin also does further work
 * for setup.bash, which a script cannot do. Once the builtin is loaded, bash saves its history when SIGHUP ends bash.
 *
 *   __ape_confine arm FD LENGTH TOKEN   reads a profile (confinement.h) of LENGTH bytes from FD. From now on every process that
 *                                       this bash forks confines itself with the profile first. Sets __ape_held=TOKEN on success.
 *                                       If __ape_held has another value, the caller runs nothing
 *   __ape_confine off [STATUS]          stops confining new processes; empties __ape_held. If STATUS is not 0 and a profile is armed,
 *                                       prints that the line was confined, with the text of the profile's entry `t`. The message
 *                                       cannot name the refused system call: the kernel reports that call only to root's audit log
 *   __ape_confine unlock                makes PROMPT_COMMAND writable if the user has made it read-only
 *   __ape_confine untrap                resets SIGINT like `trap - INT`, but safely: a Ctrl-C during `trap - INT` can end bash
 *   __ape_confine block                 blocks SIGINT, and other signals that may have traps, in bash itself. So a Ctrl-C waits while
 *                                       setup.bash runs its own commands. Also turns the variables that setup.bash reads into plain
 *                                       variables: removes every reference and attribute that makes bash evaluate a value when bash reads
 *                                       or assigns the variable
 *   __ape_confine unblock               unblocks the signals of `block`. A Ctrl-C that waits takes effect
 *   __ape_confine interruptible         unblocks SIGINT only
 *   __ape_confine literal               turns history expansion off for the commands that bash reads next. On bash's top level, no
 *                                       command can turn the expansion on again. Elsewhere (for example inside `eval`), `set -H`
 *                                       turns the expansion on. `$-` does not change. Makes variables plain, as `block` does
 *   __ape_confine pause                 waits 0.2 ms, and does not change how SIGINT is handled
 *   __ape_confine discard               discards a Ctrl-C that waits, and unblocks nothing. Status 1 if a Ctrl-C waited, else 0
 *   __ape_confine source FILE           unblocks the signals of `block`, runs `. FILE`, and blocks these signals again. If a Ctrl-C ends
 *                                       the file, bash returns to its top level. From then on bash reads commands without its line
 *                                       editor and without history expansion
 *   __ape_confine enter keys            only in a subshell: confines this process for good, with the profile for keys. The process may
 *                                       read and execute everything. It writes nothing but /dev/null, opens no terminal and no
 *                                       socket, and sends no signal to processes outside. The builtin closes the descriptors above
 *                                       255. The caller closes the lower descriptors. Before this call, the caller opens a file or
 *                                       pipe for the output:
 *                                         ( builtin __ape_confine enter keys && the_code ) >&"$__ape_out"
 *   __ape_confine enter keys terminal   as `enter keys`, but the process keeps its terminal and may open the terminal. Some keys start
 *                                       programs that use the terminal
 *   Status, except of `discard` and `source`: 0 done; 72 not possible; 2 usage. With 72, `arm` and `enter` print the reason on
 *   standard error, and the caller must run nothing.
 *
 * A child of a confined process inherits the confinement, and does not confine itself again. So rulesets do not stack.
 *
 * The builtin does not confine what bash does in its own process. bash itself opens the file of `echo x > FILE`, and itself sends the
 * signal of `kill`. Since 5.2, bash also opens the file of `$(< FILE)` itself, without a fork. So a line with such a FILE runs in a
 * subshell. In src/core, a scope covers such a line only if the names of these files are literal.
 * According to src/core and the rule files, no scope covers a line with one of the calls below. In case src/core or a rule file is wrong,
 * these calls also fail in bash itself while a profile is armed:
 * - `exec PROGRAM` would turn bash into the program (`exec` with only redirections is allowed); `enable -f` and `-d` load and
 *   unload builtins
 * - `trap`, `bind`, `mapfile -C`, `compgen -C`, `-F` and `-W` run commands, some of them when the line is over; `hash -p` gives a
 *   name another file
 * - `.`, `source`, `fc`, and `history -a`, `-n`, `-r` and `-w` open files
 * - `declare 'NAME=(…)'`, also with `export` and the like: if NAME is an array, bash expands the quoted list again. This expansion
 *   can set any variable
 * - assignments to PROMPT_COMMAND, HISTFILE and HISTFILESIZE. If the user has no DEBUG trap: also assignments to MAIL, MAILPATH and
 *   PATH, and to elements of BASH_CMDS and BASH_ALIASES
 * - `alias NAME=…`, and a redefinition of an existing function. After the line, the builtin removes the new functions of the line
 * In the user's traps, the builtins of this list run as usual. The processes of an EXIT trap are not confined.
 */
#include "base.h"
#include <dirent.h>
#include <pthread.h>
#include "bash-internals.h"
#include "builtin-guards.h"
#include "confinement.h"

#define EX_BADUSAGE 2 /* of bash: a wrong argument */

static struct {
  int is_armed;
  pid_t shell;
  char *profile;
  struct confinement confinement;
} held = {.confinement = {.ruleset = -1}};

/* The signals of signals_with_traps, except signals that were already blocked when bash loaded the builtin. */
static sigset_t trappable;

/* --- forks ------------------------------------------------------------------------------------------------------------- */
/*
 * A descriptor that an earlier line left open may lead to a file outside the scope of this line. So while a line is armed, such
 * descriptors are close-on-exec, and no program of the line inherits them. If a redirection replaces such a descriptor, bash saves the
 * descriptor. When bash later restores the descriptor, it is close-on-exec again.
 */
static struct {
  int *all;
  size_t count;
} kept_open;

static int hide_descriptors(void) {
  DIR *open_now = opendir("/proc/self/fd");
  if (!open_now) return 0;
  size_t room = 0;
  struct dirent *entry;
  while ((entry = readdir(open_now))) {
    int fd = (int)strtol(entry->d_name, NULL, 10);
    if (fd < 3 || fd == dirfd(open_now)) continue;
    int flags = fcntl(fd, F_GETFD);
    if (flags < 0 || flags & FD_CLOEXEC) continue;
    if (kept_open.count == room) {
      room = room ? 2 * room : 16;
      int *more = realloc(kept_open.all, room * sizeof *more);
      if (!more) {
        closedir(open_now);
        return 0;
      }
      kept_open.all = more;
    }
    if (fcntl(fd, F_SETFD, flags | FD_CLOEXEC) == 0) kept_open.all[kept_open.count++] = fd;
  }
  closedir(open_now);
  return 1;
}

static void show_descriptors(void) {
  for (size_t i = 0; i < kept_open.count; i++) {
    int flags = fcntl(kept_open.all[i], F_GETFD);
    if (flags >= 0) fcntl(kept_open.all[i], F_SETFD, flags & ~FD_CLOEXEC);
  }
  free(kept_open.all);
  kept_open.all = NULL;
  kept_open.count = 0;
}

static void disarm(void) {
  held.is_armed = 0;
  restrict_bash(0);
  show_descriptors();
  release_functions();
  close_confinement(&held.confinement);
  free(held.profile);
  free(debug_trap);
  held.profile = debug_trap = NULL;
}

static void unblock_in(sigset_t *mask) {
  for (int number = 1; number <= SIGRTMAX; number++)
    if (sigismember(&trappable, number) == 1) sigdelset(mask, number);
}

static void confine_child(void) {
  struct confinement_fault fault;
  if (&top_level_mask) unblock_in(&top_level_mask);
  if (!held.is_armed) return;
  if (!is_in_exit_trap() && !enter_confinement(&held.confinement, &fault)) {
    print_confinement_fault("ape-shell", &fault);
    _exit(EX_CONFINEMENT);
  }
  /* The children of this process inherit the confinement. A process could add rules to an open ruleset, so the ruleset is closed. */
  held.is_armed = 0;
  close(held.confinement.ruleset);
  held.confinement.ruleset = -1;
  restrict_bash(0);
}

/* --- the builtin ------------------------------------------------------------------------------------------------------- */
static int fail(const struct confinement_fault *fault) {
  print_confinement_fault("ape-shell", fault);
  return EX_CONFINEMENT;
}

static int fail_because(const char *what) {
  struct confinement_fault fault = {what, NULL, 0};
  return fail(&fault);
}

/* Moves the ruleset to a high descriptor, which users do not write in redirections. The new descriptor is close-on-exec. */
static int move_ruleset_up(struct confinement *confinement) {
  int fd = fcntl(confinement->ruleset, F_DUPFD_CLOEXEC, 248);
  if (fd < 0) fd = fcntl(confinement->ruleset, F_DUPFD_CLOEXEC, 58);
  if (fd < 0) return 0;
  close(confinement->ruleset);
  confinement->ruleset = fd;
  return 1;
}

static int number_of(WORD_LIST *list) {
  char *end;
  long number = list ? strtol(list->word->word, &end, 10) : -1;
  return !list || end == list->word->word || *end || number < 0 || number > (long)MAX_PROFILE_BYTES ? -1 : (int)number;
}

static int give_up(const char *what) {
  disarm();
  return fail_because(what);
}

static int arm(WORD_LIST *list) {
  struct confinement_fault fault;
  int fd = number_of(list), length = number_of(list ? list->next : NULL);
  WORD_LIST *token = fd < 0 || length < 0 ? NULL : list->next->next;
  if (!token || token->next) return EX_BADUSAGE;
  disarm();
  held.profile = malloc((size_t)length + 1);
  if (!held.profile) return give_up("out of memory");
  /* Reads all bytes even if a Ctrl-C comes; otherwise bash would read the rest as the gate's next answer. */
  if (!read_whole(fd, held.profile, (size_t)length)) return give_up("the profile did not arrive whole");
  held.profile[length] = 0;
  if (getpid() != held.shell) return give_up("this is a subshell");
  if (!open_confinement(&held.confinement, held.profile, (size_t)length, &fault)) {
    int status = fail(&fault); /* before disarm: the fault may point into the profile */
    disarm();
    return status;
  }
  if (!move_ruleset_up(&held.confinement)) return give_up("no descriptor is free");
  allow_standard_descriptors(&held.confinement);
  const char *debug = get_string_value("__ape_wrapped");
  if (debug && *debug && !(debug_trap = strdup(debug))) return give_up("out of memory");
  if (!hide_descriptors()) return give_up("the open descriptors cannot be listed");
  if (&running_trap) running_trap = 0; /* after a Ctrl-C in a trap, bash may still have the number of that trap here */
  held.is_armed = 1;
  restrict_bash(1);
  if (!keep_functions()) return give_up("out of memory");
  if (!bind_variable("__ape_held", token->word->word, 0)) return give_up("the variable __ape_held cannot be set");
  return 0;
}

/* The profile for keys: read and execute everything, write only /dev/null, use no port. */
static const char KEYS[] = "v1\0l1\0s\0x/\0D/dev/null\0.";

/* The profile for keys, with /dev/tty, which is always the controlling terminal of the process. */
static const char KEYS_AT_TERMINAL[] = "v1\0l1\0s\0x/\0D/dev/null\0D/dev/tty\0.";

static int enter(WORD_LIST *list) {
  struct confinement_fault fault;
  struct confinement confinement;
  if (!list || strcmp(list->word->word, "keys") != 0) return EX_BADUSAGE;
  int has_terminal = list->next && !list->next->next && strcmp(list->next->word->word, "terminal") == 0;
  if (list->next && !has_terminal) return EX_BADUSAGE;
  if (getpid() == held.shell) return fail_because("this is not a subshell");
  close_from(256); /* a lower number may be the copy of standard error that bash saved for a redirection of this call */
  const char *profile = has_terminal ? KEYS_AT_TERMINAL : KEYS;
  size_t length = has_terminal ? sizeof KEYS_AT_TERMINAL : sizeof KEYS;
  if (!open_confinement(&confinement, profile, length, &fault) || !enter_confinement(&confinement, &fault)) return fail(&fault);
  close_confinement(&confinement);
  if (has_terminal) return 0;
  setsid(); /* the process loses its terminal, and the caller can kill its group. Fails only if the process leads a group already */
  return 0;
}

static sigset_t interrupt_only(void) {
  sigset_t interrupt;
  sigemptyset(&interrupt);
  sigaddset(&interrupt, SIGINT);
  return interrupt;
}

static int untrap(void) {
  sigset_t interrupt = interrupt_only(), before;
  if (!restore_default_signal || !sigint_sighandler) return EX_CONFINEMENT;
  sigprocmask(SIG_BLOCK, &interrupt, &before);
  restore_default_signal(SIGINT);
  set_signal_handler(SIGINT, sigint_sighandler);
  sigprocmask(SIG_SETMASK, &before, NULL);
  return 0;
}

/* --- signals between lines --------------------------------------------------------------------------------------------- */
static int mask(int how, sigset_t signals) { return sigprocmask(how, &signals, NULL) == 0 ? 0 : EX_CONFINEMENT; }

/*
 * Signals that are blocked while setup.bash runs its own commands. Otherwise `return`, `break` or `exit` in a trap would end the running
 * function of setup.bash. LEFT_OUT has the signals of program errors and limits (signal(7)), SIGPIPE, and the signals of job control
 * except SIGTSTP. LEFT_OUT also has SIGHUP, which ends bash when the terminal closes.
 */
static sigset_t signals_with_traps(void) {
  static const int LEFT_OUT[] = {SIGABRT, SIGBUS,  SIGCHLD, SIGCONT, SIGFPE,  SIGHUP,  SIGILL, SIGPIPE,
                                 SIGSEGV, SIGSYS, SIGTRAP, SIGTTIN, SIGTTOU, SIGXCPU, SIGXFSZ};
  sigset_t signals;
  sigfillset(&signals);
  for (size_t i = 0; i < sizeof LEFT_OUT / sizeof *LEFT_OUT; i++) sigdelset(&signals, LEFT_OUT[i]);
  return signals;
}

static int discard_interrupt(void) {
  static const struct timespec at_once = {0, 0};
  sigset_t interrupt = interrupt_only();
  return sigtimedwait(&interrupt, NULL, &at_once) == SIGINT;
}

/*
 * A Ctrl-C makes bash stop its current command and return to its top level, where it reads its next command. Another Ctrl-C, some
 * microseconds later, would interrupt this return. So top_level_mask makes bash block the signals of `trappable` at each return, until
 * setup.bash unblocks them. In the children of bash these signals are not blocked (confine_child).
 */
static void block_at_top_level(void) {
  sigset_t all = signals_with_traps(), at_start;
  sigprocmask(SIG_SETMASK, NULL, &at_start);
  sigemptyset(&trappable);
  for (int number = 1; number <= SIGRTMAX; number++) {
    if (sigismember(&all, number) != 1 || sigismember(&at_start, number) == 1) continue;
    sigaddset(&trappable, number);
    if (&top_level_mask) sigaddset(&top_level_mask, number);
  }
}

/* --- the end of the terminal ------------------------------------------------------------------------------------------- */
static void (*end_by_signal)(int);

/*
 * When SIGHUP ends bash, bash saves its history, but not inside `eval`, where all lines of a gated bash run. So this handler replaces
 * bash's own handler. `trap - HUP` restores bash's own handler, so `block` installs this handler again.
 *
 * If a second SIGHUP comes while bash is ending, bash ends at once: it does not save the history, and does not pass SIGHUP on to its
 * jobs. So this handler ignores SIGHUP once bash has begun to end. When the gate dies, bash gets several SIGHUPs: one for the closed
 * terminal, and one for each thread of the gate (pty-leader.c).
 */
static void on_hang_up(int signal) {
  static volatile sig_atomic_t has_begun;
  if (has_begun && &terminating_signal && terminating_signal == 0) return;
  has_begun = 1;
  if (enable_history_list) remember_on_history = 1;
  end_by_signal(signal);
}

static void save_history_on_hang_up(void) {
  struct sigaction action;
  if (!&remember_on_history || !&enable_history_list || sigaction(SIGHUP, NULL, &action) != 0) return;
  if (action.sa_flags & SA_SIGINFO || action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN) return;
  if (end_by_signal && action.sa_handler != end_by_signal) return;
  end_by_signal = action.sa_handler;
  action.sa_handler = on_hang_up;
  sigaction(SIGHUP, &action, NULL);
}

/* --- start-up files ---------------------------------------------------------------------------------------------------- */
static int read_literally(void) {
  if (!&history_expansion_inhibited || !&history_expansion || !&histexp_flag) return EX_CONFINEMENT;
  history_expansion_inhibited = 1;
  history_expansion = 0;
  return 0;
}

static void read_without_editor(char *unused) {
  (void)unused;
  (void)read_literally();
  no_line_editing = 1;
}

/* If a Ctrl-C ends the file, bash returns to its top level and unwinds the frame, which calls read_without_editor. */
static int source(WORD_LIST *list) {
  static char frame[] = "__ape_confine source";
  struct builtin *dot = builtin_address_internal(".", 1);
  if (!list || list->next || !dot) return EX_BADUSAGE;
  if (!begin_unwind_frame || !add_unwind_protect || !discard_unwind_frame || !&no_line_editing) return dot->function(list);
  begin_unwind_frame(frame);
  add_unwind_protect(read_without_editor, NULL);
  mask(SIG_UNBLOCK, trappable);
  int status = dot->function(list);
  mask(SIG_BLOCK, trappable);
  if (&interrupt_state && interrupt_state) read_without_editor(NULL); /* the Ctrl-C came in the file's last command */
  discard_unwind_frame(frame);
  return status;
}

/* --- variables that setup.bash and completion.bash read ---------------------------------------------------------------- */
/*
 * bash evaluates the index of `a[$(date)]` whenever bash follows a reference to that element. bash also evaluates each value that is
 * assigned to an integer variable. test/house/shell-texts.test.ts compares this list with setup.bash and completion.bash.
 */
static const char *const READ_BY_TEXTS[] = {
    "BASH", "BASHPID", "COLUMNS", "COMPREPLY", "COMP_CWORD", "COMP_KEY", "COMP_LINE", "COMP_POINT", "COMP_TYPE", "COMP_WORDS",
    "FIGNORE", "FUNCNEST", "GLOBIGNORE", "HISTFILE", "HISTIGNORE", "HOME", "IFS", "IGNOREEOF", "LC_ALL", "LINES", "MAIL",
    "MAILPATH", "OLDPWD", "PATH", "POSIXLY_CORRECT", "PROMPT_COMMAND", "PS0", "PS1", "PS2", "PS4", "PWD", "READLINE_ARGUMENT",
    "READLINE_LINE", "READLINE_MARK", "READLINE_POINT", "REPLY", "TMOUT", "histchars"};

/*
 * Returns 1 if the variable is a reference, and bash evaluates text when bash follows the reference or assigns through the reference. Also
 * returns 1 after more than MAX_REFERENCES references. If the variable is not a reference, makes the variable plain and returns 0.
 */
static int is_evaluated(const char *name) {
  struct variable *found = find_variable_noref(name);
  int depth = 0;
  for (; found && found->attributes & REFERENCE && found->value; found = find_variable_noref(found->value))
    if (strchr(found->value, '[') || ++depth > MAX_REFERENCES) return 1;
  if (!found) return 0;
  if (depth > 0) return (found->attributes & INTEGER) != 0;
  found->attributes &= ~CHANGED;
  return 0;
}

static void make_variables_plain(void) {
  if (!find_variable_noref || !unbind_nameref) return;
  for (size_t i = 0; i < sizeof READ_BY_TEXTS / sizeof *READ_BY_TEXTS; i++) {
    if (!is_evaluated(READ_BY_TEXTS[i])) continue;
    unbind_nameref(READ_BY_TEXTS[i]);
    dprintf(2, "ape-shell: %s is no longer a reference: a gated shell reads it, and bash would evaluate text each time\n", READ_BY_TEXTS[i]);
  }
}

/* Makes PROMPT_COMMAND writable: setup.bash adds an entry of its own. */
static int unlock(void) {
  struct variable *hooks = find_variable("PROMPT_COMMAND");
  if (held.is_armed || !hooks) return EX_CONFINEMENT;
  hooks->attributes &= ~READ_ONLY;
  return 0;
}

static void report_confinement(const char *status) {
  for (const char *at = held.profile; held.is_armed && *at != '.'; at += strlen(at) + 1)
    if (*at == 't')
      dprintf(2,
              "ape-shell: status %s; the line was confined: %s. If the line needs more, ask for the exact line, which runs "
              "unconfined: apes run --exact --wait -- bash -c LINE\n",
              status, at + 1);
}

static int confine_builtin(WORD_LIST *list) {
  const char *verb = list ? list->word->word : "";
  struct builtin *own = builtin_address_internal("__ape_confine", 1);
  if (own) own->flags |= STATIC_BUILTIN; /* bash clears the flag when it loads the builtin, before the first call */
  if (strcmp(verb, "arm") == 0) return arm(list->next);
  if (strcmp(verb, "source") == 0) return source(list->next);
  if (strcmp(verb, "enter") == 0) return enter(list->next);
  if (strcmp(verb, "unlock") == 0) return unlock();
  if (strcmp(verb, "untrap") == 0) return untrap();
  if (strcmp(verb, "block") == 0) {
    save_history_on_hang_up();
    make_variables_plain();
    return mask(SIG_BLOCK, trappable);
  }
  if (strcmp(verb, "literal") == 0) return make_variables_plain(), read_literally();
  if (strcmp(verb, "pause") == 0) return usleep(200), 0;
  if (strcmp(verb, "unblock") == 0) return mask(SIG_UNBLOCK, trappable);
  if (strcmp(verb, "interruptible") == 0) return mask(SIG_UNBLOCK, interrupt_only());
  if (strcmp(verb, "discard") == 0) return discard_interrupt();
  if (strcmp(verb, "off") != 0) return EX_BADUSAGE;
  if (list->next && strcmp(list->next->word->word, "0") != 0) report_confinement(list->next->word->word);
  disarm();
  bind_variable("__ape_held", "", 0);
  return 0;
}

/* bash calls this function when bash loads the builtin. If the function returns 0, bash does not load the builtin. */
__attribute__((visibility("default"))) int __ape_confine_builtin_load(char *name) {
  (void)name;
  if (held.shell) return held.shell == getpid();
  held.shell = getpid();
  block_at_top_level();
  save_history_on_hang_up();
  return pthread_atfork(NULL, NULL, confine_child) == 0;
}

static char *const long_doc[] = {"Part of ape-shell.", NULL};
__attribute__((visibility("default"))) struct builtin __ape_confine_struct = {
    "__ape_confine", confine_builtin, BUILTIN_ENABLED, long_doc, "__ape_confine arm|off|unlock|untrap|block|unblock|interruptible|literal|pause|discard|source|enter", NULL};
