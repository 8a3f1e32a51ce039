/* Functions that stand in for those of bash, behind bin/confine-builtin.c. A target brings its own bind_variable. */
#pragma once

static struct builtin others[2] = {{.name = "exec"}, {.name = "enable"}};

struct builtin *builtin_address_internal(char *name, int is_any) {
  (void)is_any;
  return strcmp(name, "exec") == 0 ? &others[0] : strcmp(name, "enable") == 0 ? &others[1] : NULL;
}
char *get_string_value(const char *name) {
  (void)name;
  return "a trap";
}
struct variable *find_variable(const char *name) {
  static struct variable found;
  (void)name;
  return &found;
}
static struct variable defined[2] = {{.name = "one"}, {.name = "other"}};

int unbind_variable(const char *name) { return name ? 0 : -1; }
int unbind_func(const char *name) { return name ? 0 : -1; }
/* Every second call also returns `other`, as if the line had defined that function after the call before. */
struct variable **all_shell_functions(void) {
  static int calls;
  size_t count = calls++ % 2 ? 2 : 1;
  struct variable **all = calloc(count + 1, sizeof *all);
  for (size_t i = 0; all && i < count; i++) all[i] = &defined[i];
  return all;
}
void (*set_signal_handler(int signal, void (*handler)(int)))(int) { return signal ? handler : NULL; }
