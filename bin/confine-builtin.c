/*
 * __ape_confine: a loadable builtin of bash (`enable -f confine.so __ape_confine`). The kernel confines the processes that the
 * current line starts. bash itself stays unconfined, so cd, export, aliases, jobs and Ctrl-Z work as usual.
 *
 *   __ape_confine arm FD LENGTH TOKEN   reads LENGTH bytes, a profile (confinement.h), from FD. From now on every process that
 *                                       this bash forks confines itself with it before it does anything else. Sets
 *                                       __ape_held=TOKEN on success; the caller checks that, and otherwise runs nothing
 *   __ape_confine off [STATUS]          the next processes are unconfined again; empties __ape_held. If STATUS is not
 *                                       0, prints that the line was confined. It cannot name the call that was refused: the
 *                                       kernel reports that only to root's audit log
 *   __ape_confine enter keys            only in a subshell: confines this very process with the profile for keys, for good. It
 *                                       may read and execute everything; it writes nothing but /dev/null, opens no terminal and
 *                                       no socket, sends no signal to processes outside. It keeps its open descriptors, so
 *                                       its output goes into a file or pipe that was opened before:
 *                                         ( builtin __ape_confine enter keys && the_code ) >&"$__ape_out"
 *   __ape_confine enter keys terminal   the same, but it keeps its terminal and may open it, for programs that a key shows
 *   Status: 0 done; 72 not possible, with a line on standard error, and the caller must then run nothing; 2 usage.
 *
 * The processes of a line do not stack rulesets: a child of a confined process is confined already.
 *
 * This does not confine what bash does in its own process: bash itself opens the file of `echo x > FILE`, of `. FILE`
 * and (without a fork since 5.2) of `$(< FILE)`, and itself sends the signal of `kill`. So src/core lets a scope
 * cover such a line only if its words are literal.
 * `exec PROGRAM` would turn bash into the program, and `enable -f` and `-d` load and unload builtins: while a line is armed,
 * both fail in bash itself. `exec` with only redirections is allowed. `declare 'NAME=(…)'` fails too: bash expands the text of such a
 * list once more if NAME is an array, and may so set any variable.
 *
 * bash's headers are not needed: the few types below are the same in all versions since 4.0.
 */
#include "base.h"
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
#define COMPOUND_ASSIGNMENT (1 << 15) /* bash's W_COMPASSIGN: the parser of bash read the list itself, and expands it only once */
#define MAX_PROFILE_BYTES (1u << 20)

extern struct builtin *builtin_address_internal(char *, int);
extern void *bind_variable(const char *, char *, int);

static struct {
  int is_armed;
  pid_t shell;
  char *profile;
  struct confinement confinement;
} held = {.confinement = {.ruleset = -1}};

/* --- what bash itself must not do while a line is armed ---------------------------------------------------------------- */
static struct guard {
  const char *name;
  builtin_function *guarded, *own;
} guards[5];
#define GUARDS (sizeof guards / sizeof *guards)

static int refuse_builtin(const char *name) {
  dprintf(2, "ape-shell: %s: a confined line may not change its own shell; ask for the exact line, which runs unconfined\n", name);
  return 126;
}

static int guarded_exec(WORD_LIST *list) { return list ? refuse_builtin("exec") : guards[0].own(list); }

static int guarded_enable(WORD_LIST *list) {
  for (WORD_LIST *at = list; at && at->word->word[0] == '-'; at = at->next)
    if (strpbrk(at->word->word, "fd")) return refuse_builtin("enable");
  return guards[1].own(list);
}

/* declare, typeset, local: `at` is the place in `guards`. */
static int guarded_variables(size_t at, WORD_LIST *list) {
  for (WORD_LIST *each = list; each; each = each->next) {
    const char *value = strchr(each->word->word, '=');
    if (value && value[1] == '(' && !(each->word->flags & COMPOUND_ASSIGNMENT)) return refuse_builtin(guards[at].name);
  }
  return guards[at].own(list);
}
static int guarded_declare(WORD_LIST *list) { return guarded_variables(2, list); }
static int guarded_typeset(WORD_LIST *list) { return guarded_variables(3, list); }
static int guarded_local(WORD_LIST *list) { return guarded_variables(4, list); }

static void set_guards(int is_on) {
  for (size_t i = 0; i < GUARDS; i++) {
    struct builtin *builtin = builtin_address_internal((char *)guards[i].name, 1);
    if (!builtin) continue;
    if (is_on && builtin->function != guards[i].guarded) {
      guards[i].own = builtin->function;
      builtin->function = guards[i].guarded;
    } else if (!is_on && builtin->function == guards[i].guarded)
      builtin->function = guards[i].own;
  }
}

/* --- forks ------------------------------------------------------------------------------------------------------------- */
static void disarm(void) {
  held.is_armed = 0;
  set_guards(0);
  close_confinement(&held.confinement);
  free(held.profile);
  held.profile = NULL;
}

static void confine_child(void) {
  struct confinement_fault fault;
  if (!held.is_armed) return;
  if (!enter_confinement(&held.confinement, &fault)) {
    print_confinement_fault("ape-shell", &fault);
    _exit(EX_CONFINEMENT);
  }
  /* Its children inherit the confinement. The ruleset must not be open here: rules could be added to it. */
  held.is_armed = 0;
  close(held.confinement.ruleset);
  held.confinement.ruleset = -1;
  set_guards(0);
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

/* To a high number, which users do not write in redirections, and close-on-exec. */
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
  /* All of it, even when a Ctrl-C comes: bash would read the rest as the gate's next answer. */
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
  held.is_armed = 1;
  set_guards(1);
  if (!bind_variable("__ape_held", token->word->word, 0)) {
    disarm();
    return fail_because("the variable __ape_held cannot be set");
  }
  return 0;
}

/* May read and execute everything, write only /dev/null, use no port. */
static const char KEYS[] = "v1\0l1\0s\0x/\0D/dev/null\0.";

/* The same, and /dev/tty, which is always the controlling terminal of the process. */
static const char KEYS_AT_TERMINAL[] = "v1\0l1\0s\0x/\0D/dev/null\0D/dev/tty\0.";

static int enter(WORD_LIST *list) {
  struct confinement_fault fault;
  struct confinement confinement;
  if (!list || strcmp(list->word->word, "keys") != 0) return EX_BADUSAGE;
  int has_terminal = list->next && !list->next->next && strcmp(list->next->word->word, "terminal") == 0;
  if (list->next && !has_terminal) return EX_BADUSAGE;
  if (getpid() == held.shell) return fail_because("this is not a subshell");
  const char *profile = has_terminal ? KEYS_AT_TERMINAL : KEYS;
  size_t length = has_terminal ? sizeof KEYS_AT_TERMINAL : sizeof KEYS;
  if (!open_confinement(&confinement, profile, length, &fault) || !enter_confinement(&confinement, &fault)) return fail(&fault);
  close_confinement(&confinement);
  if (has_terminal) return 0;
  setsid(); /* its own process group, which the caller can kill, and no terminal; fails only for a process group leader */
  return 0;
}

static void tell(const char *status) {
  for (const char *at = held.profile; held.is_armed && *at != '.'; at += strlen(at) + 1)
    if (*at == 't')
      dprintf(2,
              "ape-shell: status %s; the line was confined: %s. If it was refused what it needs, ask for the exact line, which runs "
              "unconfined: apes run --exact --wait -- bash -c LINE\n",
              status, at + 1);
}

static int confine_builtin(WORD_LIST *list) {
  const char *verb = list ? list->word->word : "";
  struct builtin *own = builtin_address_internal("__ape_confine", 1);
  if (own) own->flags |= STATIC_BUILTIN; /* bash clears the flag when it loads the builtin, before the first call */
  if (strcmp(verb, "arm") == 0) return arm(list->next);
  if (strcmp(verb, "enter") == 0) return enter(list->next);
  if (strcmp(verb, "off") != 0) return EX_BADUSAGE;
  if (list->next && strcmp(list->next->word->word, "0") != 0) tell(list->next->word->word);
  disarm();
  bind_variable("__ape_held", "", 0);
  return 0;
}

/* bash calls this when it loads the builtin. 0: bash does not load it. */
__attribute__((visibility("default"))) int __ape_confine_builtin_load(char *name) {
  (void)name;
  if (held.shell) return held.shell == getpid();
  guards[0] = (struct guard){"exec", guarded_exec, NULL};
  guards[1] = (struct guard){"enable", guarded_enable, NULL};
  guards[2] = (struct guard){"declare", guarded_declare, NULL};
  guards[3] = (struct guard){"typeset", guarded_typeset, NULL};
  guards[4] = (struct guard){"local", guarded_local, NULL};
  held.shell = getpid();
  return pthread_atfork(NULL, NULL, confine_child) == 0;
}

static char *const long_doc[] = {"Part of ape-shell.", NULL};
__attribute__((visibility("default"))) struct builtin __ape_confine_struct = {
    "__ape_confine", confine_builtin, BUILTIN_ENABLED, long_doc, "__ape_confine arm|off|enter", NULL};
