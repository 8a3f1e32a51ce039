/*
 * The types, variables and functions of bash that the loadable builtin (confine-builtin.c) uses. bash's headers are not needed: these types
 * are the same in all versions of bash since 4.0. A weak name may be missing in some versions or builds of bash.
 */
#ifndef APE_BASH_INTERNALS_H
#define APE_BASH_INTERNALS_H
#include <signal.h>

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
#define COMPOUND_ASSIGNMENT (1 << 15) /* bash's W_COMPASSIGN: bash has parsed the word as a list, and expands the list only once */

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
/* The signal that will end bash. When bash begins to end, it sets this variable to 0 again. */
extern volatile sig_atomic_t terminating_signal __attribute__((weak));
extern int no_line_editing __attribute__((weak)); /* `--noediting`; bash reads this variable when it begins to read commands */
extern int remember_on_history __attribute__((weak)); /* whether bash adds lines to its history; 0 inside `eval` */
extern int enable_history_list __attribute__((weak)); /* `set -o history` */
/* 1: bash expands no history. After `eval` or a Ctrl-C, bash restores the old value of this variable. */
extern int history_expansion_inhibited __attribute__((weak));
extern int history_expansion __attribute__((weak)); /* whether bash expands history; `set -H` sets this and `histexp_flag` */
extern int histexp_flag __attribute__((weak)); /* `H` in `$-` */
#endif
