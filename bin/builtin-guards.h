/*
 * What bash itself may not do while a line is armed: call certain builtins, change certain variables, redefine a function, or keep a new
 * function. The head of confine-builtin.c lists these actions and says why.
 */
#ifndef APE_BUILTIN_GUARDS_H
#define APE_BUILTIN_GUARDS_H
#include "base.h"
#include "bash-internals.h"

/* The user's DEBUG trap, in the form that setup.bash sets for a line. NULL: the user has none. */
static char *debug_trap;

static int has_words(WORD_LIST *list) { return list != NULL; }
static int always(WORD_LIST *list) { return list || 1; }

/*
 * Whether a word is an option with one of the letters. Words after an operand or after `--` count too: an unnecessary refusal is harmless,
 * and `--` may be the value of an option, as in `mapfile -d -- -C COMMAND`.
 */
static int has_option(WORD_LIST *list, const char *letters) {
  for (; list; list = list->next)
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
  if (strcmp(signal, "DEBUG") == 0) return !debug_trap || strcmp(command, debug_trap) != 0;
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
 * bash itself expands MAILPATH. The user's hooks find their programs by PATH, BASH_CMDS and BASH_ALIASES. If the user has a DEBUG trap,
 * only PROMPT_COMMAND, HISTFILE and HISTFILESIZE are read-only, because the trap may set the others. An unset variable becomes read-only
 * too.
 */
static struct kept {
  const char *name;
  struct variable *variable;
} kept[] = {{"PROMPT_COMMAND", NULL}, {"HISTFILE", NULL}, {"HISTFILESIZE", NULL}, {"MAIL", NULL},
            {"MAILPATH", NULL},       {"PATH", NULL},     {"BASH_CMDS", NULL},    {"BASH_ALIASES", NULL}};
#define ALWAYS_KEPT 3

static void keep_variables(void) {
  size_t count = debug_trap ? ALWAYS_KEPT : sizeof kept / sizeof *kept;
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

/* The functions that exist when a line is armed, and whether each function was read-only before. */
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
#endif
