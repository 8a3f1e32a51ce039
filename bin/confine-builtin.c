/*
 * __ape_confine: a loadable builtin of bash (`enable -f confine.so __ape_confine`). The kernel confines the processes that the
 * current line starts. bash itself stays unconfined, so cd, export, jobs and Ctrl-Z work as usual. The builtin also does what
 * setup.bash needs and a script cannot do. Once the builtin is loaded, bash saves its history when SIGHUP ends bash.
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
 * The builtin does not confine what bash does in its own process. bash itself opens the file of `echo x > FILE` and (without a
 * fork since 5.2) of `$(< FILE)`, and itself sends the signal of `kill`. So a line that opens a file in one of these ways runs in a
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
 * All these builtins work in the user's traps. The processes of an EXIT trap are not confined.
 *
 * bash's headers are not needed: the few types below are the same in all versions of bash since 4.0.
 */
#include "base.h"
#include <dirent.h>
#include <pthread.h>
#include "confinement.h"

typedef struct word_desc {
  char *word;
  int flags;
} WORD_DESC;
typedef struct word_list {
  struct word_list *next;
  WORD_DESC *word;
} WORD_LIST;
typedef int builtin_function(WORD_LIST *);
struct builtin {
  char *name;
  builtin_function *function;
  int flags;
  char *const *long_doc;
  const char *short_doc;
  char *handle;
};
#define BUILTIN_ENABLED 1
#define STATIC_BUILTIN 4 /* cannot be unloaded with `enable -d` */
#define EX_BADUSAGE 2
#define COMPOUND_ASSIGNMENT (1 << 15) /* bash's W_COMPASSIGN: bash has parsed the word as a list, and expands the list only once */
#define MAX_PROFILE_BYTES (1u << 20)

extern struct builtin *builtin_address_internal(char *, int);
extern void *bind_variable(const char *, char *, int);
extern char *get_string_value(const char *);

/* bash's SHELL_VAR. */
struct variable {
  char *name, *value, *exportstr;
  void *dynamic_value, *assign_func;
  int attributes, context;
};
#define READ_ONLY 2 /* bash's att_readonly */
#define INTEGER 0x10 /* bash's att_integer: bash evaluates a value that is assigned */
#define CHANGED 0x710 /* INTEGER, and bash's att_uppercase, att_lowercase and att_capcase: bash changes a value that is assigned */
#define REFERENCE 0x800 /* bash's att_nameref */
#define INVISIBLE 0x1000 /* bash's att_invisible: the variable is unset */
#define MAX_REFERENCES 8 /* how many references bash follows */
extern struct variable *find_variable(const char *);
extern struct variable *find_variable_noref(const char *) __attribute__((weak));
extern int unbind_nameref(const char *) __attribute__((weak));
extern int unbind_variable(const char *);
extern struct variable **all_shell_functions(void); /* sorted by name, ends with NULL; the caller frees it; NULL if no function exists */
extern int unbind_func(const char *);
/* While bash runs a trap: the number of the trap's signal, plus 1. */
extern int running_trap __attribute__((weak));
#define EXIT_TRAP 1
extern void restore_default_signal(int) __attribute__((weak));
extern void sigint_sighandler(int) __attribute__((weak));
extern void (*set_signal_handler(int, void (*)(int)))(int);
/* The signal mask that bash restores when it returns to its top level, and in each child. */
extern sigset_t top_level_mask __attribute__((weak));
extern void begin_unwind_frame(char *) __attribute__((weak));
extern void add_unwind_protect(void (*)(char *), char *) __attribute__((weak));
extern void discard_unwind_frame(char *) __attribute__((weak));
extern volatile sig_atomic_t interrupt_state __attribute__((weak)); /* a Ctrl-C has come, and bash has not returned to its top level */
extern volatile sig_atomic_t terminating_signal __attribute__((weak)); /* the signal that ends bash; 0 again once bash has begun to end */
extern int no_line_editing __attribute__((weak)); /* `--noediting`; bash reads this variable when it begins to read commands */
extern int remember_on_history __attribute__((weak)); /* whether bash adds lines to its history; 0 inside `eval` */
extern int enable_history_list __attribute__((weak)); /* `set -o history` */
extern int history_expansion_inhibited __attribute__((weak)); /* 1: no expansion. After `eval` or a Ctrl-C, bash restores its old value */
extern int history_expansion __attribute__((weak)); /* whether bash expands history; `set -H` sets this and `histexp_flag` */
extern int histexp_flag __attribute__((weak)); /* `H` in `$-` */

static struct {
  int is_armed;
  pid_t shell;
  char *profile;
  char *debug_trap; /* the user's DEBUG trap, in the form that setup.bash sets for a line; NULL: the user has none */
  struct confinement confinement;
} held = {.confinement = {.ruleset = -1}};

/* --- calls of builtins that fail while a line is armed ------------------------------------------------------------------ */
static int has_words(WORD_LIST *list) { return list != NULL; }
static int always(WORD_LIST *list) { return list || 1; }

/* Whether a word is an option with one of the letters. A word after an operand counts too: an unnecessary refusal is harmless. */
static int has_option(WORD_LIST *list, const char *letters) {
  for (; list && strcmp(list->word->word, "--") != 0; list = list->next)
    if (list->word->word[0] == '-' && strpbrk(list->word->word, letters)) return 1;
  return 0;
}
static int loads_builtin(WORD_LIST *list) { return has_option(list, "fd"); }
static int names_file(WORD_LIST *list) { return has_option(list, "p"); }
static int uses_history_file(WORD_LIST *list) { return has_option(list, "anrw"); }
static int defines_alias(WORD_LIST *list) {
  for (; list; list = list->next)
    if (strchr(list->word->word, '=')) return 1;
  return 0;
}
static int has_callback(WORD_LIST *list) { return has_option(list, "C"); }
static int runs_for_completion(WORD_LIST *list) { return has_option(list, "CFW"); }

/* Returns 0 if `bind` only lists. */
static int binds(WORD_LIST *list) {
  for (; list; list = list->next)
    if (list->word->word[0] != '-' || list->word->word[1 + strspn(list->word->word + 1, "lpPsSvVX")]) return 1;
  return 0;
}

/* Whether a word is `NAME=(…)`, and the parser of bash has not read that word as a list. */
static int expands_list(WORD_LIST *list) {
  for (; list; list = list->next) {
    const char *value = strchr(list->word->word, '=');
    if (value && value[1] == '(' && !(list->word->flags & COMPOUND_ASSIGNMENT)) return 1;
  }
  return 0;
}

/*
 * Whether `trap` sets a command. Two commands that setup.bash itself sets for a line do not count: the user's unchanged DEBUG trap, and
 * `exit` after a time-out.
 */
static int sets_trap(WORD_LIST *list) {
  static const char leave[] = "\\builtin exit ";
  const char *first = list ? list->word->word : "-";
  if (strcmp(first, "-") == 0 || strcmp(first, "-p") == 0 || strcmp(first, "-l") == 0) return 0;
  if (strcmp(first, "--") == 0) list = list->next;
  if (!list || !list->next || list->next->next) return 1;
  const char *command = list->word->word, *signal = list->next->word->word;
  if (strcmp(signal, "DEBUG") == 0) return !held.debug_trap || strcmp(command, held.debug_trap) != 0;
  if (strcmp(signal, "ALRM") != 0 || strncmp(command, leave, sizeof leave - 1) != 0) return 1;
  return command[sizeof leave - 1 + strspn(command + sizeof leave - 1, "0123456789")] != 0;
}

/* For each guarded builtin: its name in C, its name in bash, and the function that decides whether a call is refused. */
#define GUARDS(GUARD)                                \
  GUARD(exec, "exec", has_words)                     \
  GUARD(enable, "enable", loads_builtin)             \
  GUARD(declare, "declare", expands_list)            \
  GUARD(typeset, "typeset", expands_list)            \
  GUARD(local, "local", expands_list)                \
  GUARD(readonly, "readonly", expands_list)          \
  GUARD(export, "export", expands_list)              \
  GUARD(hash, "hash", names_file)                    \
  GUARD(alias, "alias", defines_alias)               \
  GUARD(trap, "trap", sets_trap)                     \
  GUARD(bind, "bind", binds)                         \
  GUARD(history, "history", uses_history_file)       \
  GUARD(fc, "fc", always)                            \
  GUARD(dot, ".", has_words)                         \
  GUARD(source, "source", has_words)                 \
  GUARD(mapfile, "mapfile", has_callback)            \
  GUARD(readarray, "readarray", has_callback)        \
  GUARD(compgen, "compgen", runs_for_completion)

#define NUMBER(id, name, is_refused) GUARD_##id,
enum { GUARDS(NUMBER) GUARD_COUNT };

#define DECLARED(id, name, is_refused) static int guarded_##id(WORD_LIST *);
GUARDS(DECLARED)

static struct guard {
  const char *name;
  int (*is_refused)(WORD_LIST *);
  builtin_function *guarded, *own;
} guards[] = {
#define ENTRY(id, name, is_refused) {name, is_refused, guarded_##id, NULL},
    GUARDS(ENTRY)};

/* No confined line can set a trap, so the commands of a trap are the user's own. */
static int is_in_trap(void) { return &running_trap && running_trap > 0; }
static int is_in_exit_trap(void) { return &running_trap && running_trap == EXIT_TRAP; }

static int call_guarded(const struct guard *guard, WORD_LIST *list) {
  if (is_in_trap() || !guard->is_refused(list)) return guard->own(list);
  dprintf(2, "ape-shell: %s: a confined line may not change its own shell; ask for the exact line, which runs unconfined\n", guard->name);
  return 126;
}

#define DEFINED(id, name, is_refused) \
  static int guarded_##id(WORD_LIST *list) { return call_guarded(&guards[GUARD_##id], list); }
GUARDS(DEFINED)

static void set_guards(int is_on) {
  for (size_t i = 0; i < GUARD_COUNT; i++) {
    struct builtin *builtin = builtin_address_internal((char *)guards[i].name, 1);
    if (!builtin) continue;
    if (is_on && builtin->function != guards[i].guarded) {
      guards[i].own = builtin->function;
      builtin->function = guards[i].guarded;
    } else if (!is_on && builtin->function == guards[i].guarded)
      builtin->function = guards[i].own;
  }
}

/*
 * Variables that are read-only while a line is armed: setup.bash could not undo a change in time. After a Ctrl-C, bash runs
 * PROMPT_COMMAND before any other command. When bash exits, it writes HISTFILE. An assignment to HISTFILESIZE makes bash truncate HISTFILE.
 * bash itself expands MAILPATH. The user's hooks find their programs by PATH, BASH_CMDS and BASH_ALIASES. A DEBUG trap of the user may set
 * the last five variables. If there is such a trap, only the first three variables are read-only. An unset variable becomes read-only too.
 */
static struct kept {
  const char *name;
  struct variable *variable;
} kept[] = {{"PROMPT_COMMAND", NULL}, {"HISTFILE", NULL}, {"HISTFILESIZE", NULL}, {"MAIL", NULL},
            {"MAILPATH", NULL},       {"PATH", NULL},     {"BASH_CMDS", NULL},    {"BASH_ALIASES", NULL}};
#define ALWAYS_KEPT 3

static void keep_variables(void) {
  size_t count = held.debug_trap ? ALWAYS_KEPT : sizeof kept / sizeof *kept;
  for (size_t i = 0; i < count; i++) {
    struct variable *found = find_variable(kept[i].name);
    if (!found && (found = bind_variable(kept[i].name, NULL, 0))) found->attributes |= INVISIBLE;
    if (!found || found->attributes & READ_ONLY) continue;
    found->attributes |= READ_ONLY;
    kept[i].variable = found;
  }
}

static void release_variables(void) {
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
    struct variable *variable = kept[i].variable;
    kept[i].variable = NULL;
    if (!variable) continue;
    variable->attributes &= ~READ_ONLY;
    if (variable->attributes & INVISIBLE) unbind_variable(kept[i].name);
  }
}

/* The user's functions while a line is armed, and whether each was read-only before. */
static struct {
  struct variable **all;
  char *was_read_only;
} functions;

static int keep_functions(void) {
  size_t count = 0;
  functions.all = all_shell_functions();
  if (!functions.all) return 1;
  while (functions.all[count]) count++;
  functions.was_read_only = malloc(count + 1);
  if (!functions.was_read_only) return 0;
  for (size_t i = 0; i < count; i++) {
    functions.was_read_only[i] = (functions.all[i]->attributes & READ_ONLY) != 0;
    functions.all[i]->attributes |= READ_ONLY;
  }
  return 1;
}

/* Removes the functions that the line has defined. Otherwise a hook of the user would call such a function instead of a program. */
static void release_functions(void) {
  struct variable **now = functions.was_read_only ? all_shell_functions() : NULL;
  size_t known = 0;
  for (size_t i = 0; now && now[i]; i++) {
    if (functions.all[known] == now[i]) {
      if (!functions.was_read_only[known]) now[i]->attributes &= ~READ_ONLY;
      known++;
    } else {
      dprintf(2, "ape-shell: a confined line may not change its own shell; the function %s is not defined\n", now[i]->name);
      unbind_func(now[i]->name);
    }
  }
  free(now);
  free(functions.all);
  free(functions.was_read_only);
  functions.all = NULL;
  functions.was_read_only = NULL;
}

static void restrict_bash(int is_on) {
  set_guards(is_on);
  if (is_on)
    keep_variables();
  else
    release_variables();
}

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
  free(held.debug_trap);
  held.profile = held.debug_trap = NULL;
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

static int arm(WORD_LIST *list) {
  struct confinement_fault fault;
  int fd = number_of(list), length = number_of(list ? list->next : NULL);
  WORD_LIST *token = fd < 0 || length < 0 ? NULL : list->next->next;
  if (!token || token->next) return EX_BADUSAGE;
  disarm();
  held.profile = malloc((size_t)length + 1);
  if (!held.profile) return fail_because("out of memory");
  /* Reads all bytes even if a Ctrl-C comes; otherwise bash would read the rest as the gate's next answer. */
  if (!read_whole(fd, held.profile, (size_t)length)) return fail_because("the profile did not arrive whole");
  held.profile[length] = 0;
  if (getpid() != held.shell) return fail_because("this is a subshell");
  if (!open_confinement(&held.confinement, held.profile, (size_t)length, &fault)) {
    int status = fail(&fault); /* before disarm: the fault may point into the profile */
    disarm();
    return status;
  }
  if (!move_ruleset_up(&held.confinement)) {
    disarm();
    return fail_because("no descriptor is free");
  }
  allow_standard_descriptors(&held.confinement);
  const char *debug = get_string_value("__ape_wrapped");
  if (debug && *debug && !(held.debug_trap = strdup(debug))) {
    disarm();
    return fail_because("out of memory");
  }
  if (!hide_descriptors()) {
    disarm();
    return fail_because("the open descriptors cannot be listed");
  }
  if (&running_trap) running_trap = 0; /* after a Ctrl-C in a trap, bash may still have the number of that trap here */
  held.is_armed = 1;
  restrict_bash(1);
  if (!keep_functions()) {
    disarm();
    return fail_because("out of memory");
  }
  if (!bind_variable("__ape_held", token->word->word, 0)) {
    disarm();
    return fail_because("the variable __ape_held cannot be set");
  }
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
